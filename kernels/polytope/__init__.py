"""Smoothed linear programs over one polytope for many costs, with derivatives, and cones of its normals.

A `Polytope` {A z = b, G z ≤ h, 0 ≤ z ≤ upper} is made once; costs (..., n) vary. Functions take NumPy arrays
or torch tensors, compute in float64 and return the kind of the costs; with a tensor in an autograd graph,
`smoothed` and `barrier` are layers. An unsolved row is an error that names it, never a decision.
"""

import math
from typing import Any, Literal

import numpy as np

from .._shared.arrays import Array, broadcast_rows, giver, is_tensor, to_numpy, wants_torch
from . import given, host
from .constraints import Polytope
from .outward import Normals

__all__ = ["Normals", "Polytope", "barrier", "normals", "project_cone", "smoothed"]


def smoothed(costs: Array, polytope: Polytope, mu: float) -> Array:
    """Return the z of smallest costs·z + (mu/2)‖z‖²: (..., n) -> (..., n).

    This is −costs/mu projected on the polytope. Its KKT residual is 10⁻¹³ of the size of decisions, or what
    rounding leaves of costs/mu where that is more, and never above 10⁻⁹ in the constraints. With a tensor in
    an autograd graph, backward multiplies by the derivative −P/mu, where P projects on the directions that
    keep the constraints with a multiplier: on a kink, those without one do not count.

    Args:
        costs: (..., n), finite, at most 10¹² times mu and the size of decisions.
        polytope: the constraints.
        mu: weight of the square, positive.

    Raises:
        SolverError: a row did not reach its KKT conditions. The message names the rows.
    """
    given.check_positive(mu, "mu")
    given.check_last(costs, len(polytope), "costs", "entry of z")
    return _solve(costs, "smoothed", polytope, float(mu))


def barrier(
    costs: Array,
    polytope: Polytope,
    stop: float,
    damping: float,
    *,
    form: Literal["hsd", "kkt"] = "hsd",
) -> Array:
    """Return where an interior-point path of min costs·z stops (IntOpt, Mandi and Guns 2020).

    The path is that of the homogeneous self-dual form from a start of ones, after at least one step, stopped
    at a duality measure (xᵀt + τκ)/(entries of x + 1) below `stop`. z is positive, but neither rows nor upper
    bounds hold exactly before the end of the path: what they miss falls in proportion to the measure.

    With a tensor in an autograd graph, backward uses Δ Fᵀ N⁻¹ F Δ − Δ with Δ = x/t and N = F Δ Fᵀ + damping,
    where F x = b is the polytope with slacks.

    Args:
        costs: (..., n), finite.
        polytope: the constraints; its rows count as they are given, because damping depends on their length.
        stop: the measure that ends a path, positive; it starts from 1.
        damping: added to the diagonal of N in the derivative, not negative.
        form: "hsd" differentiates the homogeneous form, τ too; "kkt" the KKT conditions at z = x/τ.

    Raises:
        SolverError: a path did not reach `stop`, or costs fall for ever. The message names the rows. That
            they fall for ever shows near the end of a path alone, about 10⁻⁷: one that stops before gives a
            point as any other, far away.
    """
    given.check_positive(stop, "stop")
    given.check_damping(damping)
    if form not in ("hsd", "kkt"):
        raise ValueError(f'expected form "hsd" or "kkt", got {form!r}.')
    given.check_last(costs, len(polytope), "costs", "entry of z")
    return _solve(costs, "barrier", polytope, float(stop), float(damping), form)


def normals(polytope: Polytope, z: Array, *, tolerance: float = 1e-6) -> tuple[Normals, Array]:
    """Return the outward normals of all constraints, and which of them are tight at z: (..., n) -> (..., k).

    The normals are shared: `Normals.matrix` (k, n) holds A, −A, G, −1 for each lower bound and 1 for each
    finite upper bound. Those of equalities are tight at every z.

    Args:
        polytope: the constraints.
        z: decisions (..., n) in the polytope.
        tolerance: how far a right-hand side r may be missed, in units of max(1, |r|).
    """
    given.check_positive(tolerance, "tolerance")
    given.check_last(z, len(polytope), "z", "entry of z")
    if wants_torch(z):
        from . import device

        return polytope.normals, device.tight(polytope, z, tolerance)  # type: ignore[arg-type]
    tight = host.tight(polytope, to_numpy(z, "z"), tolerance)
    return polytope.normals, _as_given(tight, z)


def project_cone(q: Array, normals: Normals | Array, tight: Array, *, steps: int | None = None) -> Array:
    """Return the point nearest to q of the cone of tight normals: min ‖q − Σ λ_k normal_k‖, λ ≥ 0.

    It has no gradient: to a loss it is a constant. Without a tight normal the cone is the origin.

    Args:
        q: (..., n), finite.
        normals: what `normals` returned, or any vectors (k, n), none of them tight always.
        tight: (..., k), bool; leading dimensions broadcast. For equalities of a polytope it is not read.
        steps: None for the nearest point. A number stops an interior point after so many steps, which gives
            a point inside the cone, deeper for fewer; both signs of equalities are exact in any case.

    Returns:
        Points (..., n) of the broadcast leading shape.

    Raises:
        SolverError: a nearest point was not found. The message names the rows.
    """
    given.check_steps(steps)
    vectors = given.normals(normals)
    given.check_last(q, vectors.matrix.shape[1], "q", "entry of a normal")
    given.check_last(tight, len(vectors), "tight", "normal")
    lead, _ = broadcast_rows(q=tuple(np.shape(q))[:-1], tight=tuple(np.shape(tight))[:-1])
    give, q = giver(q), _detached(q)
    if wants_torch(q, tight):
        from . import device

        return give(device.project(q, vectors, tight, steps, lead))
    wide, mask = _rows(to_numpy(q, "q"), lead), _rows(given.mask(tight), lead)
    return give(host.project(wide, vectors, mask, steps, lead).reshape(*lead, wide.shape[-1]))


def _solve(costs: Any, name: str, *settings: Any) -> Array:
    """Run the solver of this name where the costs are."""

    def on_host(values: np.ndarray) -> host.Solved:
        return getattr(host, name)(values, *settings)

    give = giver(costs)
    if not wants_torch(costs):
        return give(on_host(to_numpy(costs, "costs"))[0])
    from . import layers

    return give(layers.solve(costs, on_host, name, *settings))


def _rows(array: np.ndarray, lead: tuple[int, ...]) -> np.ndarray:
    """Return (..., m) of a leading shape that broadcasts to lead as (rows, m)."""
    size = array.shape[-1]
    return np.broadcast_to(array, (*lead, size)).reshape(math.prod(lead), size)


def _as_given(array: np.ndarray, like: Any) -> Array:
    if not is_tensor(like):
        return array
    import torch

    return torch.from_numpy(array)


def _detached(array: Any) -> Any:
    return array.detach() if is_tensor(array) else array
