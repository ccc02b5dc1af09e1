"""Nearest and inner points of cones on tensors of any device, by Mehrotra's steps as in `inside`, over rows.

q (rows, d) has length one or zero, tight is (rows, k). Systems have the dimension d: with D = λ/s,
(R Rᵀ + D⁻¹)⁻¹ = D − D R (I + Rᵀ D R)⁻¹ Rᵀ D, and a ray that is not tight has D = 0.
"""

import torch
from torch import Tensor

from .cone import ENOUGH
from .inside import DONE
from .tensors import solve_spd, step_length

STEPS = 30
SOFT, PASSES = 1e-5, 6  # a pass leaves SOFT / σ² of what q has along the chosen rays, σ their singular values
CLOSE = 1e-4  # how far the passes may move the point


def inside(q: Tensor, tight: Tensor, rays: Tensor, steps: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return a point inside each cone (rows, d), its λ and their multipliers (rows, k).

    Args:
        q: (rows, d), of length one or zero.
        tight: (rows, k), bool.
        rays: (k, d), of length one or zero.
        steps: how many steps to make.
    """
    counts = tight.to(q.dtype)
    goal = counts * (q @ rays.mT)
    part, slack = _start(q, counts, rays)
    n_tight = counts.sum(-1, keepdim=True).clamp(min=1.0)
    for _ in range(steps):
        mean = (counts * part * slack).sum(-1, keepdim=True) / n_tight
        weights = counts * part / slack
        uphill = counts * ((counts * part) @ rays @ rays.mT) - goal - counts * slack
        factor = torch.linalg.cholesky_ex(_system(weights, rays)).L
        change = -counts * part * slack
        dpart, dslack = _direction(factor, weights, rays, part, slack, uphill, change)
        step = step_length((part, dpart), (slack, dslack))
        ahead = (counts * (part + step * dpart) * (slack + step * dslack)).sum(-1, keepdim=True) / n_tight
        change = change + counts * (mean * (ahead / mean) ** 3 - step * step * dpart * dslack)
        dpart, dslack = _direction(factor, weights, rays, part, slack, uphill, change)
        step = 0.99 * step_length((part, dpart), (slack, dslack))
        ahead = torch.cat([part + step * dpart, slack + step * dslack], -1)
        going = (mean > DONE) & (ahead > 0.0).all(-1, keepdim=True)  # false for NaN, when a factor broke down
        part, slack = torch.where(going, ahead, torch.cat([part, slack], -1)).chunk(2, -1)
    return (counts * part) @ rays, part, slack


def nearest(q: Tensor, tight: Tensor, rays: Tensor) -> tuple[Tensor, Tensor]:
    """Return the nearest point of each cone (rows, d), and whether it is the nearest (rows,).

    Args:
        q: (rows, d), of length one or zero.
        tight: (rows, k), bool.
        rays: (k, d), of length one or zero.
    """
    near, part, slack = inside(q, tight, rays, STEPS)
    # What is left of q when its part along the rays with a positive λ is taken away, and their λ.
    chosen = (tight & (part > slack)).to(q.dtype)
    factor = torch.linalg.cholesky_ex(_system(chosen / SOFT, rays)).L
    rest, part = q, torch.zeros_like(part)
    for _ in range(PASSES):
        rest = torch.cholesky_solve(rest.unsqueeze(-1), factor).squeeze(-1)
        part = part + chosen / SOFT * (rest @ rays.mT)
    point, slopes = q - rest, (rest @ rays.mT).masked_fill(tight.logical_not(), 0.0)
    # Where rays depend on each other some λ may be negative at the very point that others reach with none.
    positive = part.amin(-1) >= -ENOUGH
    close = (torch.where(q == 0.0, 0.0, point - near).abs() <= CLOSE).all(-1)
    return point, (slopes.amax(-1) <= ENOUGH) & (positive | close)


def _start(q: Tensor, counts: Tensor, rays: Tensor) -> tuple[Tensor, Tensor]:
    """Return positive λ and multipliers, balanced; one where a ray is not tight."""
    part = counts * (solve_spd(_system(counts, rays), q) @ rays.mT)
    slack = 1.5 * part.amax(-1, keepdim=True).clamp(min=0.0) - part
    part = part - 1.5 * part.amin(-1, keepdim=True).clamp(max=0.0)
    products, parts, slacks = ((counts * a).sum(-1, keepdim=True) for a in (part * slack, part, slack))
    some = products > 0.0
    part = part + torch.where(some, 0.5 * products / slacks, 1.0)
    slack = slack + torch.where(some, 0.5 * products / parts, 1.0)
    return torch.where(counts > 0, part, 1.0), torch.where(counts > 0, slack, 1.0)


def _system(weights: Tensor, rays: Tensor) -> Tensor:
    """Return I + Σ weight ray rayᵀ, (rows, d, d)."""
    identity = torch.eye(rays.shape[-1], dtype=rays.dtype, device=rays.device)
    return identity + (rays.mT * weights.unsqueeze(-2)) @ rays


def _direction(
    factor: Tensor, weights: Tensor, rays: Tensor, part: Tensor, slack: Tensor, uphill: Tensor, change: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the step of λ and s that changes their products by `change`, to first order."""
    lead = change / part - uphill
    move = torch.cholesky_solve(((weights * lead) @ rays).unsqueeze(-1), factor).squeeze(-1)
    dpart = weights * (lead - move @ rays.mT)
    return dpart, torch.where(weights > 0, (change - slack * dpart) / part, 0.0)
