"""The smoothed program on tensors of any device: the mathematics of `quadratic`, vectorised over rows.

c is (rows, n), mu (rows, 1), both scaled as in `quadratic`. Every entry has an upper pair here; where no
upper bound exists its slack stays one and its multiplier zero.
"""

import torch
from torch import Tensor

from .quadratic import ENOUGH, EXACT, ROUNDING, SMALLEST, TIE
from .tensors import Constraints, largest, solve_spd, step_length

STEPS = 30
NEWTON = 6
SHIFTS = 3
NEAR = 1e-9  # of μ: products and gaps at which a row stands still
RIDGE = 1e-11  # for rows that are combinations of others; the Newton steps forget it
ROUNDED = 1e-12  # of a diagonal: what rounding may take from a pivot near the end


def solve(c: Tensor, mu: Tensor, p: Constraints) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return decisions (rows, n), free entries, tight rows (rows, m), and whether a row is solved (rows,).

    Args:
        c: costs (rows, n).
        mu: weight of ‖z‖²/2, (rows, 1).
        p: the constraints, scaled.
    """
    y = _near(c, mu, p)
    enough = EXACT + ROUNDING / mu
    for _ in range(NEWTON):
        z, free = _cut(c, mu, p, y)
        tight, gap, missed = _miss(mu, p, z, y)
        move = torch.where(missed > enough, mu, 0.0) * _solve_free(p, free, tight, gap)
        y = torch.where(tight, y + move, 0.0)
    z, free = _cut(c, mu, p, y)
    tight, gap, missed = _miss(mu, p, z, y)
    z, left = _shift(p, z, free, tight)
    _, free = _cut(c, mu, p, y, TIE)
    tight = p.equal | (y / mu > TIE + ROUNDING / mu)
    solved = (missed <= enough.clamp(min=ENOUGH)) & (left <= ENOUGH) & (mu >= SMALLEST)
    return z, free, tight, solved.squeeze(-1)


def vjp(grad: Tensor, free: Tensor, tight: Tensor, p: Constraints, mu: float) -> Tensor:
    """Return −(1/μ) times grad (rows, n) projected on the directions that keep all tight constraints.

    Args:
        grad: (rows, n).
        free: (rows, n), bool.
        tight: (rows, m), bool.
        p: the constraints, scaled.
        mu: weight of ‖z‖²/2.
    """
    moved = grad.masked_fill(free.logical_not(), 0.0)
    for _ in range(2):  # the second time for what the ridge left
        load = (moved @ p.matrix.mT).masked_fill(tight.logical_not(), 0.0)
        moved = moved - (_solve_free(p, free, tight, load) @ p.matrix).masked_fill(free.logical_not(), 0.0)
    return -moved / mu


def _near(c: Tensor, mu: Tensor, p: Constraints) -> Tensor:
    """Return prices (rows, m) near the optimal ones, by Mehrotra's predictor and corrector."""
    n, loose = c.shape[-1], p.equal.logical_not().to(c.dtype)
    slack = torch.where(p.equal, 1.0, p.right - p.matrix @ p.inside)
    upper = torch.where(p.has > 0, p.upper - p.inside, 1.0)
    real = torch.cat([torch.ones_like(p.inside), p.has, loose])
    x = torch.cat([p.inside, upper, slack]).expand(len(c), -1)
    t = real * (c + mu * p.inside).abs().amax(-1, keepdim=True) / x
    y = torch.zeros_like(c @ p.matrix.mT)
    sizes = [n, n, y.shape[-1]]
    for _ in range(STEPS):
        (z, _, s), (low, high, price) = x.split(sizes, -1), t.split(sizes, -1)
        y = torch.where(p.equal, y, price)
        dual = c + mu * z + y @ p.matrix - low + high
        primal = z @ p.matrix.mT - p.right + loose * s
        mean = (x * t).sum(-1, keepdim=True) / real.sum()
        going = torch.maximum(mean, largest(dual, primal)) >= (NEAR * mu).clamp(min=EXACT)
        dx, dt, dy = _direction(p, mu, real, x, t, dual, primal, -x * t)
        step = step_length((x, dx), (t, dt))
        ahead = ((x + step * dx) * (t + step * dt)).sum(-1, keepdim=True) / real.sum()
        change = real * mean * (ahead / mean) ** 3 - x * t - step * step * dx * dt
        dx, dt, dy = _direction(p, mu, real, x, t, dual, primal, change)
        step = 0.995 * step_length((x, dx), (t, dt))
        ahead = torch.cat([x + step * dx, t + step * dt, y + step * dy], -1)
        # Not finite where a factor broke down: the row stands still.
        going = going & ahead.isfinite().all(-1, keepdim=True)
        x, t, y = torch.where(going, ahead, torch.cat([x, t, y], -1)).split(
            [x.shape[-1], t.shape[-1], y.shape[-1]], -1
        )
    return y


def _direction(
    p: Constraints,
    mu: Tensor,
    real: Tensor,
    x: Tensor,
    t: Tensor,
    dual: Tensor,
    primal: Tensor,
    change: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the step of x, t and y that closes both gaps and changes the products x t by `change`."""
    n, m = dual.shape[-1], primal.shape[-1]
    low, high, rows = (t / x).split([n, n, m], -1)
    push_low, push_high, _ = (change / x).split([n, n, m], -1)
    weights = 1.0 / (mu + low + high)
    lead = push_low - push_high - dual
    loose = p.equal.logical_not()
    safe = torch.where(loose, rows, 1.0)
    system = (p.matrix * weights.unsqueeze(-2)) @ p.matrix.mT
    ridge = ROUNDED * system.diagonal(dim1=-2, dim2=-1)
    system = system + torch.diag_embed(torch.where(loose, 1.0 / safe, 0.0) + ridge)
    added = torch.where(
        loose, change.narrow(-1, 2 * n, m) / torch.where(loose, t.narrow(-1, 2 * n, m), 1.0), 0.0
    )
    dy = solve_spd(system, (lead * weights) @ p.matrix.mT + primal + added)
    dz = (lead - dy @ p.matrix) * weights
    ds = torch.where(loose, added - dy / safe, 0.0)
    dx = torch.cat([dz, -dz * p.has, ds], -1)
    return dx, real * (change - t * dx) / x, dy


def _cut(c: Tensor, mu: Tensor, p: Constraints, y: Tensor, tie: float = 0.0) -> tuple[Tensor, Tensor]:
    """Return the decision that the prices tell, and which of its entries are free."""
    uncut = -(c + y @ p.matrix) / mu
    tied = tie + ROUNDING / mu
    free = (uncut > -tied) & (uncut < p.upper + tied)
    return torch.minimum(uncut.clamp(min=0.0), p.upper), free


def _miss(mu: Tensor, p: Constraints, z: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return which rows are tight, M z − right in them (else 0), and the KKT residual (rows, 1)."""
    gap = z @ p.matrix.mT - p.right
    tight = p.equal | (y / mu + gap > 0.0)
    return tight, gap.masked_fill(tight.logical_not(), 0.0), largest(torch.where(tight, gap, y / mu))


def _shift(p: Constraints, z: Tensor, free: Tensor, tight: Tensor) -> tuple[Tensor, Tensor]:
    """Close what rounding of c/μ leaves between M z and right; return z and the rest, (rows, 1)."""
    for _ in range(SHIFTS):
        gap = z @ p.matrix.mT - p.right
        tight = tight | (gap > EXACT)
        gap = gap.masked_fill(tight.logical_not(), 0.0)
        moved = z - (_solve_free(p, free, tight, gap) @ p.matrix).masked_fill(free.logical_not(), 0.0)
        free = free & (moved >= 0.0) & (moved <= p.upper)
        z = torch.minimum(moved.clamp(min=0.0), p.upper)
    gap = z @ p.matrix.mT - p.right
    return z, largest(torch.where(p.equal, gap, gap.clamp(min=0.0)))


def _solve_free(p: Constraints, free: Tensor, tight: Tensor, gap: Tensor) -> Tensor:
    """Return y with M_free M_freeᵀ y = gap in the tight rows, 0 in the others."""
    counts = tight.to(gap.dtype)
    system = (p.matrix * free.to(gap.dtype).unsqueeze(-2)) @ p.matrix.mT
    system = system * counts.unsqueeze(-1) * counts.unsqueeze(-2)
    return solve_spd(system + torch.diag_embed(1.0 - counts + RIDGE * counts), gap)
