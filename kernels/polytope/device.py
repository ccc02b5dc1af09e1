"""Rows of tensors on a device: cast, compute there, and ask once at the end whether all was valid."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from .._shared.arrays import Array, device_of, is_tensor, require_finite, to_tensor
from ..deferred import require
from . import cone_tensors, given, homogeneous, homogeneous_tensors, host, quadratic_tensors, tensors
from .constraints import Polytope
from .outward import Normals

Solved = tuple[Tensor, Callable[[Tensor], Tensor]]


def smoothed(costs: Tensor, polytope: Polytope, mu: float) -> Solved:
    """As `host.smoothed`.

    Args:
        costs: (..., n), float64.
        polytope: the constraints.
        mu: weight of ‖z‖²/2.
    """
    form, lead, n = polytope.form, costs.shape[:-1], costs.shape[-1]
    p = tensors.constraints(polytope, costs.device, scaled=True)
    rows = costs.reshape(math.prod(lead), n)
    width = n * max(1, len(form.scaled.right))

    def solve(rows: Tensor) -> tuple[Tensor, ...]:
        scale = rows.abs().amax(-1, keepdim=True).clamp(min=mu * form.unit)
        return quadratic_tensors.solve(rows / scale, mu * form.unit / scale, p)

    z, free, tight, solved = tensors.by_blocks(solve, width, rows)
    _require_finite(costs, "costs")
    require(solved.all(), lambda: host.explain_smoothed(solved.reshape(lead).cpu().numpy(), mu))

    def vjp(grad: Tensor) -> Tensor:
        def run(grad: Tensor, free: Tensor, tight: Tensor) -> tuple[Tensor]:
            return (quadratic_tensors.vjp(grad, free, tight, p, mu),)

        (out,) = tensors.by_blocks(run, width, grad.reshape(rows.shape), free, tight)
        return out.reshape(costs.shape)

    return (form.unit * z).reshape(costs.shape), vjp


def barrier(costs: Tensor, polytope: Polytope, stop: float, damping: float, form: str) -> Solved:
    """As `host.barrier`.

    Args:
        costs: (..., n), float64.
        polytope: the constraints.
        stop: the duality measure that ends a path.
        damping: added to the normal matrix of the derivative.
        form: "hsd" or "kkt".
    """
    lead, n = costs.shape[:-1], costs.shape[-1]
    p = tensors.constraints(polytope, costs.device, scaled=False)
    rows = costs.reshape(math.prod(lead), n)
    width = n * max(1, len(p.right))
    z, delta, ratio, status = tensors.by_blocks(lambda c: homogeneous_tensors.follow(c, p, stop), width, rows)
    _require_finite(costs, "costs")
    good = (status == homogeneous.SOLVED).all()
    require(good, lambda: host.explain_barrier(status.reshape(lead).cpu().numpy(), stop))

    def vjp(grad: Tensor) -> Tensor:
        def run(grad: Tensor, c: Tensor, z: Tensor, delta: Tensor, ratio: Tensor) -> tuple[Tensor]:
            return (homogeneous_tensors.vjp(grad, c, z, delta, ratio, p, damping, form == "hsd"),)

        (out,) = tensors.by_blocks(run, width, grad.reshape(rows.shape), rows, z, delta, ratio)
        return out.reshape(costs.shape)

    return z.reshape(costs.shape), vjp


def tight(polytope: Polytope, z: Tensor, tolerance: float) -> Tensor:
    """As `host.tight`.

    Args:
        polytope: the constraints.
        z: decisions (..., n).
        tolerance: how far a limit r may be missed, in units of max(1, |r|).
    """
    values = to_tensor(z.detach(), "z", z.device)
    matrix, limits = tensors.bounds(polytope, values.device)
    allowed = tolerance * limits.abs().clamp(min=1.0)
    room = limits - values @ matrix.mT
    _require_finite(values, "z")
    outside = (room < -allowed).any(-1)
    inside = outside.logical_not().all()
    require(inside, lambda: given.require_inside(outside.cpu().numpy(), tolerance))
    return room <= allowed


def project(q: Array, normals: Normals, tight: Array, steps: int | None, lead: tuple[int, ...]) -> Tensor:
    """As `host.project`, for q and tight of leading shapes that broadcast to lead.

    Args:
        q: (..., n).
        normals: all normals.
        tight: (..., k), bool.
        steps: None for the nearest points.
        lead: the leading shape of the result.
    """
    device = device_of(q, tight)
    values, mask = to_tensor(q, "q", device), _mask(tight, device)
    lines, rest, rays = tensors.directions(normals, device)
    rows = math.prod(lead)
    mask = mask.narrow(-1, 2 * normals.n_lines, len(rays)).expand(*lead, -1).reshape(rows, len(rays))
    wide = values.expand(*lead, -1).reshape(rows, values.shape[-1])
    flat = wide @ rest
    size = torch.linalg.vector_norm(flat, dim=-1, keepdim=True)
    flat = flat / size.masked_fill(size == 0.0, 1.0)

    def solve(q: Tensor, tight: Tensor) -> tuple[Tensor, Tensor]:
        if steps is None:
            return cone_tensors.nearest(q, tight, rays)
        point = cone_tensors.inside(q, tight, rays, steps)[0]
        return point, torch.ones_like(point.sum(-1), dtype=torch.bool)

    points, solved = tensors.by_blocks(solve, rest.shape[-1] * max(1, len(rays)), flat, mask)
    _require_finite(values, "q")
    require(solved.all(), lambda: host.explain_cone(solved.reshape(lead).cpu().numpy()))
    return ((wide @ lines) @ lines.mT + (size * points) @ rest.mT).reshape(*lead, values.shape[-1])


def _mask(tight: Array, device: torch.device) -> Tensor:
    mask = tight if is_tensor(tight) else torch.from_numpy(given.mask(tight)).to(device)
    if mask.dtype != torch.bool:
        raise TypeError(f"expected bool for tight, got dtype {mask.dtype}; compare with 0 first.")
    if mask.device != device:
        raise ValueError(f"expected tight on {device}, got {mask.device}; move it there first.")
    return mask


def _require_finite(values: Tensor, name: str) -> None:
    require(values.isfinite().all(), lambda: require_finite(values.cpu().numpy(), name))
