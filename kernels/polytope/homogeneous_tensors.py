"""IntOpt's path and its derivative on tensors of any device: the mathematics of `homogeneous`, over rows.

x holds z (n), a slack for every entry's upper bound (n), and one for every row of M (m). A slack that does
not exist, of an infinite bound or of an equality, stays one and counts in no sum: `real` marks the others.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from .homogeneous import FACTOR, SOLVED, STUCK, UNBOUNDED, VANISHED
from .tensors import Constraints, step_length

STEPS = 40


class Normal(NamedTuple):
    """What solves with N = F Δ Fᵀ + damping need: Δ, its parts, and the factor of the rows' system."""

    delta: Tensor
    wide: Tensor
    """Δ of the upper bounds' slacks, and the damping."""
    slack: Tensor
    """Δ of the rows' slacks, 0 for equalities."""
    factor: Tensor


def sides(p: Constraints) -> Tensor:
    """Return b (m + n,): the right sides and the upper bounds, 0 where there is none."""
    return torch.cat([p.right, torch.where(p.has > 0, p.upper, 0.0)])


def follow(c: Tensor, p: Constraints, enough: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return points (rows, n), Δ (rows, 2n + m), κ/τ (rows, 1) and a status (rows,).

    Args:
        c: costs (rows, n).
        p: the constraints as given.
        enough: a path ends when its duality measure is smaller.
    """
    real = torch.cat([torch.ones_like(p.inside), p.has, p.equal.logical_not().to(c.dtype)])
    b = sides(p)
    x = torch.ones_like(real).expand(len(c), -1)
    t, y = x, torch.zeros_like(b).expand(len(c), -1)
    tau = kappa = torch.ones_like(x.narrow(-1, 0, 1))
    going = torch.ones_like(tau, dtype=torch.bool)
    for _ in range(STEPS):
        stepped = _advance(c, p, b, real, x, t, y, tau, kappa)
        x, t, y, tau, kappa = (
            torch.where(going, after, before)
            for after, before in zip(stepped, (x, t, y, tau, kappa), strict=True)
        )
        vanished = tau < VANISHED * kappa.clamp(min=1.0)
        going = (_mean(real, x, t, tau, kappa) < enough).logical_or(vanished).logical_not()
    status = torch.full_like(tau, SOLVED, dtype=torch.int64).masked_fill(going, STUCK)
    status = status.masked_fill(vanished, UNBOUNDED)
    return x.narrow(-1, 0, c.shape[-1]) / tau, x / t, kappa / tau, status.squeeze(-1)


def vjp(
    grad: Tensor,
    c: Tensor,
    z: Tensor,
    delta: Tensor,
    ratio: Tensor,
    p: Constraints,
    damping: float,
    tau: bool,
) -> Tensor:
    """Return gradᵀ ∂z/∂c, (rows, n), as `homogeneous.vjp_rows` has it.

    Args:
        grad: (rows, n).
        c: costs (rows, n).
        z: points (rows, n).
        delta: Δ (rows, 2n + m).
        ratio: κ/τ (rows, 1).
        p: the constraints as given.
        damping: added to N.
        tau: whether τ counts, as in the homogeneous form.
    """
    n, normal = c.shape[-1], _normal(p, delta, damping)
    b = sides(p)
    none = torch.zeros_like(b).expand(len(c), -1)
    out = _newton(p, normal, _padded(grad, p), none)[0].narrow(-1, 0, n)
    if not tau:
        return out
    along = _newton(p, normal, _padded(c, p), none)[0].narrow(-1, 0, n)
    move, price = _newton(p, normal, torch.zeros_like(delta), b.expand(len(c), -1))
    move = move.narrow(-1, 0, n)
    slope = (price * b).sum(-1, keepdim=True) - (along * c).sum(-1, keepdim=True) + ratio
    return out + (grad * (along + move - z)).sum(-1, keepdim=True) / slope * (z + along - move)


def _mean(real: Tensor, x: Tensor, t: Tensor, tau: Tensor, kappa: Tensor) -> Tensor:
    return ((real * x * t).sum(-1, keepdim=True) + tau * kappa) / (real.sum() + 1.0)


def _padded(first: Tensor, p: Constraints) -> Tensor:
    """Return first (rows, n) with zeros for all slacks."""
    return torch.cat([first, torch.zeros_like(sides(p)).expand(len(first), -1)], -1)


def _normal(p: Constraints, delta: Tensor, damping: float) -> Normal:
    n, m = len(p.inside), len(p.right)
    entry, upper, slack = delta.split([n, n, m], -1)
    wide = upper + damping
    slack = slack.masked_fill(p.equal, 0.0)
    weights = torch.where(p.has > 0, entry * wide / (entry + wide), entry)
    system = (p.matrix * weights.unsqueeze(-2)) @ p.matrix.mT + torch.diag_embed(slack + damping)
    return Normal(delta, wide, slack, torch.linalg.cholesky_ex(system).L)


def _newton(p: Constraints, normal: Normal, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
    """Return Δ(Fᵀ price − first) and price = N⁻¹(second + F Δ first)."""
    n, m = len(p.inside), len(p.right)
    (entry, upper, _), (one, two, three) = normal.delta.split([n, n, m], -1), first.split([n, n, m], -1)
    rows, bounds = second.split([m, n], -1)
    has, wide, both = p.has > 0, normal.wide, entry + normal.wide
    added = bounds + upper * two
    load = torch.where(has, entry * (wide * one - added) / both, entry * one)
    price = (rows + load @ p.matrix.mT + normal.slack * three).unsqueeze(-1)
    price = torch.cholesky_solve(price, normal.factor).squeeze(-1)
    back = price @ p.matrix - one
    bound = p.has * (added - entry * back) / both
    move = torch.where(has, entry * (wide * back + added) / both, entry * back)
    return (
        torch.cat([move, p.has * upper * (bound - two), normal.slack * (price - three)], -1),
        torch.cat([price, bound], -1),
    )


def _gaps(
    c: Tensor, p: Constraints, b: Tensor, x: Tensor, t: Tensor, y: Tensor, tau: Tensor
) -> tuple[Tensor, Tensor]:
    """Return cτ − Fᵀy − t and bτ − F x, zero for what does not exist."""
    n, m, loose = len(p.inside), len(p.right), p.equal.logical_not().to(c.dtype)
    (z, w, s), (low, high, price) = x.split([n, n, m], -1), t.split([n, n, m], -1)
    rows, bounds = y.split([m, n], -1)
    dual = [
        c * tau - rows @ p.matrix - p.has * bounds - low,
        -p.has * (bounds + high),
        -loose * (rows + price),
    ]
    primal = torch.cat([z @ p.matrix.mT + loose * s, p.has * (z + w)], -1)
    return torch.cat(dual, -1), b * tau - primal


def _advance(
    c: Tensor,
    p: Constraints,
    b: Tensor,
    real: Tensor,
    x: Tensor,
    t: Tensor,
    y: Tensor,
    tau: Tensor,
    kappa: Tensor,
) -> tuple[Tensor, ...]:
    """Return x, t, y, τ and κ after one predictor-corrector step."""
    normal, mean = _normal(p, x / t, 0.0), _mean(real, x, t, tau, kappa)
    dual, primal = _gaps(c, p, b, x, t, y, tau)
    gap = _costs(x, c) - (y * b).sum(-1, keepdim=True) + kappa
    along, price_along = _newton(p, normal, _padded(c, p), b.expand_as(y))
    slope = kappa / tau - _costs(along, c) + (price_along * b).sum(-1, keepdim=True)
    dx = dt = torch.zeros_like(x)
    dtau = dkappa = aim = torch.zeros_like(tau)
    for _ in range(2):
        change = real * (aim * mean - x * t - dx * dt)
        change_pair = aim * mean - tau * kappa - dtau * dkappa
        move, price = _newton(p, normal, (1.0 - aim) * dual - change / x, (1.0 - aim) * primal)
        dtau = (1.0 - aim) * gap + change_pair / tau + _costs(move, c) - (price * b).sum(-1, keepdim=True)
        dtau = dtau / slope
        dkappa = (change_pair - kappa * dtau) / tau
        dx = real * (move + along * dtau)
        dt = real * (change - t * dx) / x
        longest = step_length((x, dx), (t, dt), (tau, dtau), (kappa, dkappa))
        aim = (1.0 - longest) ** 2 * (1.0 - longest).clamp(max=0.1)
    step = step_length(*((a, da / FACTOR) for a, da in ((x, dx), (t, dt), (tau, dtau), (kappa, dkappa))))
    dy = price + price_along * dtau
    return x + step * dx, t + step * dt, y + step * dy, tau + step * dtau, kappa + step * dkappa


def _costs(x: Tensor, c: Tensor) -> Tensor:
    return (x.narrow(-1, 0, c.shape[-1]) * c).sum(-1, keepdim=True)
