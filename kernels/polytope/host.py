"""Rows of NumPy arrays through the compiled kernels, and the errors for what these did not solve."""

from collections.abc import Callable

import numpy as np

from .._shared.arrays import require_finite
from .._shared.threads import n_chunks
from . import cone, given, homogeneous, inside, quadratic
from .constraints import Polytope
from .outward import Normals

Solved = tuple[np.ndarray, Callable[[np.ndarray], np.ndarray]]
"""Decisions, and the function that multiplies a gradient by their derivative."""

# Entries of all rows: about 100 ms with one thread. Below, two threads on busy cores wait for each other.
_THREADED_FROM = 100_000


def smoothed(costs: np.ndarray, polytope: Polytope, mu: float) -> Solved:
    """Return the decisions of costs (..., n), and their derivative.

    Args:
        costs: (..., n), float64, contiguous.
        polytope: the constraints.
        mu: weight of ‖z‖²/2.
    """
    require_finite(costs, "costs")
    form, rows = polytope.form, _writable(costs).reshape(-1, len(polytope))
    z, free = np.empty(rows.shape), np.empty(rows.shape, np.bool_)
    tight, solved = np.empty((len(rows), len(form.scaled.right)), np.bool_), np.empty(len(rows), np.bool_)
    if (chunks := n_chunks(rows.size, _THREADED_FROM)) > 1:
        quadratic.solve_rows_threaded(form.scaled, form.unit, rows, mu, chunks, z, free, tight, solved)
    else:
        quadratic.solve_rows(form.scaled, form.unit, rows, mu, 0, len(rows), z, free, tight, solved)
    explain_smoothed(solved.reshape(costs.shape[:-1]), mu)

    def vjp(grad: np.ndarray) -> np.ndarray:
        out = np.empty(rows.shape)
        quadratic.vjp_rows(form.scaled, mu, free, tight, grad.reshape(rows.shape), out)
        return out.reshape(costs.shape)

    return z.reshape(costs.shape), vjp


def explain_smoothed(solved: np.ndarray, mu: float) -> None:
    """Raise for the rows whose smoothed program was not solved; solved has the leading shape of costs."""
    advice = f"costs are too large beside mu = {mu:g} for float64: raise mu, or divide costs by a constant"
    given.require_solved(solved, "the smoothed program was not solved to its KKT conditions", advice)


def barrier(costs: np.ndarray, polytope: Polytope, stop: float, damping: float, form: str) -> Solved:
    """Return where the interior-point paths of costs (..., n) stop, and the derivative there.

    Args:
        costs: (..., n), float64, contiguous.
        polytope: the constraints.
        stop: the duality measure that ends a path.
        damping: added to the normal matrix of the derivative.
        form: "hsd" or "kkt".
    """
    require_finite(costs, "costs")
    program, rows = polytope.form.given, _writable(costs).reshape(-1, len(polytope))
    b = np.concatenate([program.right, program.upper[program.bounded]])
    size = rows.shape[1] + len(b) - program.n_equal
    z, delta = np.empty(rows.shape), np.empty((len(rows), size))
    ratio, status = np.empty(len(rows)), np.empty(len(rows), np.int64)
    if (chunks := n_chunks(rows.size, _THREADED_FROM)) > 1:
        homogeneous.follow_rows_threaded(program, b, rows, stop, chunks, z, delta, ratio, status)
    else:
        homogeneous.follow_rows(program, b, rows, stop, 0, len(rows), z, delta, ratio, status)
    explain_barrier(status.reshape(costs.shape[:-1]), stop)

    def vjp(grad: np.ndarray) -> np.ndarray:
        out = np.empty(rows.shape)
        to_shape = grad.reshape(rows.shape)
        homogeneous.vjp_rows(program, b, rows, damping, form == "hsd", z, delta, ratio, to_shape, out)
        return out.reshape(costs.shape)

    return z.reshape(costs.shape), vjp


def explain_barrier(status: np.ndarray, stop: float) -> None:
    """Raise for the rows whose path did not end well; status has the leading shape of costs."""
    given.require_solved(
        status != homogeneous.UNBOUNDED,
        "the linear program has no optimum",
        "its costs fall for ever: give the entries of z upper bounds",
    )
    given.require_solved(
        status != homogeneous.STUCK,
        f"the interior-point path did not reach stop = {stop:g}",
        "use a larger stop, or bring costs and constraints to numbers of about one",
    )


def tight(polytope: Polytope, z: np.ndarray, tolerance: float) -> np.ndarray:
    """Return which normals are tight at z (..., n): bool (..., k).

    Args:
        polytope: the constraints.
        z: decisions (..., n).
        tolerance: how far a limit r may be missed, in units of max(1, |r|).
    """
    require_finite(z, "z")
    allowed = tolerance * np.maximum(1.0, np.abs(polytope.limits))
    room = polytope.limits - z @ polytope.normals.matrix.T
    given.require_inside((room < -allowed).any(-1), tolerance)
    return room <= allowed


def project(
    q: np.ndarray, normals: Normals, tight: np.ndarray, steps: int | None, lead: tuple[int, ...]
) -> np.ndarray:
    """Return the points (rows, n) of the cones nearest to q, or inside them after some steps.

    Args:
        q: (rows, n).
        normals: all normals.
        tight: (rows, k), bool: those that count in each row.
        steps: None for the nearest points.
        lead: the leading shape that the rows come from.
    """
    require_finite(q.reshape(*lead, q.shape[-1]), "q")
    split = normals.split
    tight = _writable(tight[:, 2 * normals.n_lines :])
    flat = q @ split.rest
    size = np.linalg.norm(flat, axis=1, keepdims=True)
    flat = flat / np.where(size > 0.0, size, 1.0)
    goal, points = flat @ split.rays.T, np.empty(flat.shape)
    if steps is not None:
        inside.inside_rows(split.rays, split.gram, goal, tight, steps, points)
    elif (chunks := n_chunks(q.size, _THREADED_FROM)) > 1:
        cone.nearest_rows_threaded(split.rays, split.gram, flat, goal, tight, chunks, points)
    else:
        cone.nearest_rows(split.rays, split.gram, flat, goal, tight, 0, len(q), points)
    if steps is None:
        slopes = np.where(tight, (flat - points) @ split.rays.T, 0.0)
        explain_cone((slopes <= cone.ENOUGH).all(-1).reshape(lead))
    return (q @ split.lines) @ split.lines.T + (size * points) @ split.rest.T


def explain_cone(solved: np.ndarray) -> None:
    """Raise for the rows whose nearest point was not found."""
    advice = "some of its normals are nearly, but not quite, combinations of others"
    given.require_solved(solved, "the nearest point of the cone was not found", advice)


def _writable(array: np.ndarray) -> np.ndarray:
    """Return a contiguous array that can be written to: Numba would compile all again for another kind."""
    return np.require(array, requirements=["C", "W"])
