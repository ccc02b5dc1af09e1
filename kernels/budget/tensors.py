"""Budget kernels on tensors of any device: the mathematics of the Numba kernels, vectorised over rows.

Nothing here reads a value on the host; shapes alone say how long a loop is. `value` carries gradients.
"""

import torch
from torch import Tensor

from .compiled import TIE

_CHUNK = 1 << 23  # float64 entries of the largest temporary: 64 MB


def is_within(values: Tensor, low: float, high: float) -> Tensor:
    """Return a 0-d bool tensor: no NaN and everything inside [low, high].

    Args:
        values: a tensor of any shape.
        low: smallest value allowed.
        high: largest value allowed.
    """
    return ((values >= low) & (values <= high)).all()


def value(z: Tensor, ctr: Tensor, weights: Tensor) -> Tensor:
    """Return Σ_u w_u [1 − Π_w (1 − z_w Y_wu)]: z (..., W), ctr (..., W, U), weights (..., U) -> (...).

    Args:
        z: decisions (..., W), from 0 to 1.
        ctr: click rates (..., W, U).
        weights: user weights (..., U).
    """
    reached = z[..., None] * ctr
    missed = (1 - reached).cumprod(-2)
    before = torch.cat([torch.ones_like(missed[..., :1, :]), missed[..., :-1, :]], -2)
    # Websites add non-negative shares, so small values keep their relative accuracy.
    return ((before * reached).sum(-2) * weights).sum(-1)


def extreme_subset(ctr: Tensor, weights: Tensor, subsets: Tensor, sign: float) -> tuple[Tensor, Tensor]:
    """Return the first subset of largest sign × value and its value.

    Args:
        ctr: click rates (N, W, U).
        weights: user weights (N, U).
        subsets: all subsets in lexicographic order (C, B), integers on the same device.
        sign: 1 for the best, -1 for the worst.

    Returns:
        Websites (N, B) and values (N,).
    """
    n_rows, _, n_users = ctr.shape
    n_at_once = max(1, _CHUNK // max(1, len(subsets) * n_users))
    if n_rows > n_at_once:
        pieces = [
            extreme_subset(c, w, subsets, sign)
            for c, w in zip(ctr.split(n_at_once), weights.split(n_at_once), strict=True)
        ]
        return torch.cat([p[0] for p in pieces]), torch.cat([p[1] for p in pieces])
    best = ctr.new_full((n_rows,), -torch.inf)
    chosen = torch.zeros_like(subsets[:1]).repeat(n_rows, 1)
    for piece in subsets.split(max(1, _CHUNK // max(1, n_rows * n_users))):
        missed = weights[:, None, :]
        total = ctr.new_zeros((n_rows, 1))
        for sites in piece.unbind(1):
            rates = ctr[:, sites]
            total = total + (missed * rates).sum(-1)
            missed = missed * (1 - rates)
        first = _first_largest(sign * total)
        score = (sign * total).gather(1, first[:, None])[:, 0]
        better = score > best + TIE * best.abs().nan_to_num(posinf=0.0)
        best = torch.where(better, score, best)
        chosen = torch.where(better[:, None], piece[first], chosen)
    return chosen, sign * best


def greedy_subset(ctr: Tensor, weights: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """Return the greedy subset (N, B), ascending, and its value (N,): ctr (N, W, U), weights (N, U).

    Args:
        ctr: click rates (N, W, U).
        weights: user weights (N, U).
        size: B, how many websites a subset has.
    """
    missed, total = weights, ctr.new_zeros(len(ctr))
    taken = ctr.new_zeros(ctr.shape[:2])
    chosen = []
    for _ in range(size):
        gains = (missed[:, None] * ctr).sum(-1)
        site = _first_largest(torch.where(taken > 0, -1.0, gains))[:, None]
        chosen.append(site)
        taken = taken.scatter(1, site, 1.0)
        total = total + gains.gather(1, site)[:, 0]
        missed = missed * (1 - ctr.take_along_dim(site[..., None], 1)[:, 0])
    return torch.cat(chosen, 1).sort(1).values, total


def mark(chosen: Tensor, ctr: Tensor) -> Tensor:
    """Turn chosen websites (N, B) into rows (N, W) of zeros and ones, for ctr (N, W, U)."""
    return ctr.new_zeros(ctr.shape[:2]).scatter(1, chosen, 1.0)


def project(z: Tensor, total: float) -> Tensor:
    """Return the Euclidean projection of (..., W) onto {0 ≤ z ≤ 1, Σz = total}."""
    corners, which = torch.cat([-z, 1 - z], -1).sort(-1)
    slope = torch.where(which < z.shape[-1], 1.0, -1.0).to(z).cumsum(-1)
    filled = (slope[..., :-1] * corners.diff(dim=-1)).cumsum(-1)
    filled = torch.cat([torch.zeros_like(filled[..., :1]), filled], -1)
    last = ((filled < total).sum(-1, keepdim=True) - 1).clamp(min=0)
    shift = corners.gather(-1, last) + (total - filled.gather(-1, last)) / slope.gather(-1, last).clamp(min=1)
    return (z + shift).clamp(0, 1)


def ascend(
    ctr: Tensor, weights: Tensor, start: Tensor, total: float, steps: int, lr: float, momentum: float
) -> Tensor:
    """Return z (..., W) after projected gradient steps on the multilinear relaxation; shapes broadcast.

    Args:
        ctr: click rates (..., W, U).
        weights: user weights (..., U).
        start: first point (..., W).
        total: the sum of z.
        steps: how many gradient steps.
        lr: step size.
        momentum: share of the last step that is repeated.
    """
    z = project(start, total)
    velocity = torch.zeros_like(z)
    for _ in range(steps):
        velocity = momentum * velocity + _gradient(z, ctr, weights)
        z = project(z + lr * velocity, total)
    return z


def _gradient(z: Tensor, ctr: Tensor, weights: Tensor) -> Tensor:
    missed = 1 - z[..., None] * ctr
    one = torch.ones_like(missed[..., :1, :])
    before = torch.cat([one, missed[..., :-1, :]], -2).cumprod(-2)
    after = torch.cat([missed[..., 1:, :], one], -2).flip(-2).cumprod(-2).flip(-2)
    return (weights[..., None, :] * ctr * before * after).sum(-1)


def _first_largest(scores: Tensor) -> Tensor:
    """Return for scores (N, C) the first index of each row that ties with the largest score."""
    largest = scores.max(-1, keepdim=True).values
    positions = torch.arange(scores.shape[-1], device=scores.device)
    return torch.where(scores >= largest - TIE * largest.abs(), positions, scores.shape[-1]).amin(-1)
