"""The simplex QP on any device: a fixed number of batched interior-point steps, then a polish on the support.

Nothing here reads a value on the host or loops on data; `solve` returns a status tensor for its caller to
read once. y (G, K, N) holds the K predictions that share each of sigma (G, N, N). Interior-point steps need
no guess of the support: 150 batched ADMM steps with a polish left a tenth of QPs with a singular Σ unsolved.
Shapes change by method (unsqueeze, select): brackets and ~ need a CUDA driver even where tensors are fake.

Arguments: y, a and grad (G, K, N), sigma (G, N, N), risk_aversion γ; tolerance, how far from symmetric and
semi-definite rounding may leave a matrix, relative to its size; threshold, the least weight of the support.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .active_set import ASYMMETRIC, INDEFINITE, NOT_FINITE, SOLVED, UNSOLVED

INTERIOR_STEPS = 20  # 12 leave errors of 5e-5 in the weights on hard matrices, from 18 on nothing changes
POLISH_STEPS = 2
ANCHOR = 1e-9  # pull towards the last weights, for singular systems; it vanishes as the weights settle
ENOUGH = 1e-7  # largest KKT residual of a solved row, in units of the variance
CHUNK = 1 << 22  # entries of the systems held at a time


class Differentiable(torch.autograd.Function):
    """Weights as a function of y: forward solves, backward multiplies by the derivative on the support."""

    @staticmethod
    def forward(ctx: Any, y: Tensor, forward: Callable, vjp: Callable) -> Tensor:
        """Return what forward makes of y, and keep it for the way back.

        Args:
            ctx: where torch keeps values between forward and backward.
            y: returns (..., N).
            forward: takes y without its gradient and returns the weights.
            vjp: takes weights and their gradient and returns the gradient of y.
        """
        a = forward(y.detach())
        ctx.save_for_backward(a)
        ctx.vjp, ctx.shape = vjp, y.shape
        return a

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient with respect to y, summed over the dimensions along which y was broadcast."""
        (a,) = ctx.saved_tensors
        return ctx.vjp(a, grad).sum_to_size(ctx.shape), None, None


def is_in_range(sigma: Tensor, risk_aversion: float, smallest: float, largest: float) -> Tensor:
    """Return a 0-d bool tensor: 2γ times the largest variance of every finite matrix is inside, or zero.

    Args:
        sigma: (G, N, N).
        risk_aversion: γ.
        smallest: lower limit of 2γ times the largest variance.
        largest: upper limit of 2γ times the largest variance.
    """
    variance = sigma.diagonal(dim1=-2, dim2=-1).amax(-1)
    unit = 2.0 * risk_aversion * variance
    outside = (unit < smallest) | (unit > largest)
    return ((variance > 0.0) & variance.isfinite() & outside).logical_not().all()


def cost(a: Tensor, y: Tensor, sigma: Tensor, risk_aversion: float) -> Tensor:
    """Return −yᵀa + γaᵀΣa, (G, K), differentiable in all three.

    Args:
        a: (G, K, N), weights of the stocks.
        y: (G, K, N), returns.
        sigma: (G, N, N), risk.
        risk_aversion: γ.
    """
    return (a * (risk_aversion * (a @ sigma) - y)).sum(-1)


def kkt_residual(a: Tensor, y: Tensor, sigma: Tensor, risk_aversion: float) -> Tensor:
    """Return the largest violation of optimality, (G, K).

    Args:
        a: (G, K, N), weights of the stocks.
        y: (G, K, N), returns.
        sigma: (G, N, N), risk.
        risk_aversion: γ.
    """
    return _residual(a, 2.0 * risk_aversion * (a @ sigma) + (y.amax(-1, keepdim=True) - y))


def _residual(a: Tensor, gradient: Tensor) -> Tensor:
    total = a.sum(-1, keepdim=True)
    reduced = gradient - (a * gradient).sum(-1, keepdim=True) / total
    return torch.cat([-a, a - 1.0, -reduced, (a * reduced).abs(), (total - 1.0).abs()], -1).amax(-1)


def solve(y: Tensor, sigma: Tensor, risk_aversion: float, tolerance: float) -> tuple[Tensor, Tensor]:
    """Return the best weights (G, K, N) and a status (G, K): SOLVED, UNSOLVED or what is wrong.

    Args:
        y: (G, K, N), returns.
        sigma: (G, N, N), risk.
        risk_aversion: γ.
        tolerance: how far rounding may leave a matrix from symmetric and semi-definite, relative to its size.
    """
    if risk_aversion == 0.0:
        a = torch.zeros_like(y).scatter_(-1, y.argmax(-1, keepdim=True), 1.0)
        return a, _status(y, sigma, tolerance, torch.ones_like(y.select(-1, 0), dtype=torch.bool))
    hessian, unit = _in_units(sigma, risk_aversion)
    # A stock four units below the best never enters (see `with_osqp`), so the clamp changes no optimum.
    q = ((y.amax(-1, keepdim=True) - y) / unit).clamp(max=4.0)
    a, residual = _by_chunks(_solve_rows, hessian, q)
    return a, _status(y, sigma, tolerance, residual <= ENOUGH * (1.0 / unit.squeeze(-1)).clamp(max=1.0))


def derivative_vjp(a: Tensor, grad: Tensor, sigma: Tensor, risk_aversion: float, threshold: float) -> Tensor:
    """Return Jᵀgrad on the support of a, (G, K, N).

    Args:
        a: (G, K, N), weights of the stocks.
        grad: (G, K, N), gradients with respect to a.
        sigma: (G, N, N), risk.
        risk_aversion: γ.
        threshold: stocks with a larger weight belong to the support.
    """
    if risk_aversion == 0.0:
        return torch.zeros_like(a)
    hessian, unit = _in_units(sigma, risk_aversion)
    (out,) = _by_chunks(
        lambda h, a, g: (_minimise(g, h, a > threshold, 0.0, 1e-13),), hessian, a, grad / unit
    )
    return out


def _in_units(sigma: Tensor, risk_aversion: float) -> tuple[Tensor, Tensor]:
    """Return 2γΣ with its largest entry brought to one, (G, N, N), and that entry, (G, 1, 1)."""
    unit = 2.0 * risk_aversion * sigma.diagonal(dim1=-2, dim2=-1).amax(-1).reshape(-1, 1, 1)
    # A product that underflows to zero counts as zero here; `is_in_range` refuses it.
    unit = unit.masked_fill(unit <= 0.0, 1.0)
    return 2.0 * risk_aversion * sigma / unit, unit


def _by_chunks(solve_rows: Callable, hessian: Tensor, *vectors: Tensor) -> tuple[Tensor, ...]:
    """Apply solve_rows to (R, N, N) and (R, N) blocks, so that a bounded number is held at a time."""
    groups, shared, n = vectors[0].shape
    rows = groups * shared
    owner = torch.arange(rows, device=hessian.device) // max(shared, 1)
    size = max(1, CHUNK // (n * n))
    blocks = zip(*(v.split(size) for v in (owner, *(v.reshape(rows, n) for v in vectors))), strict=True)
    parts = [solve_rows(hessian.index_select(0, own), *block) for own, *block in blocks]
    return tuple(
        torch.cat(part).reshape(groups, shared, *part[0].shape[1:]) for part in zip(*parts, strict=True)
    )


def _solve_rows(hessian: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    x, s = _interior(hessian, q)
    support = x > s
    best = a = _normalise(x)
    residual = _residual(a, _times(hessian, a) + q)
    for _ in range(POLISH_STEPS):
        a = _normalise(_minimise(ANCHOR * a - q, hessian, support, 1.0, ANCHOR).clamp(min=0.0))
        found = _residual(a, _times(hessian, a) + q)
        better = found < residual
        best = torch.where(better.unsqueeze(-1), a, best)
        residual = torch.where(better, found, residual)
    return best, residual


def _interior(hessian: Tensor, q: Tensor) -> tuple[Tensor, Tensor]:
    """Return weights and reduced costs, both positive, near the end of the central path.

    Mehrotra's predictor and corrector for Hx + q − multiplier − s = 0, Σx = 1, xs → 0.
    """
    x = torch.full_like(q, 1.0 / q.shape[-1])
    gradient = _times(hessian, x) + q
    multiplier = gradient.amin(-1, keepdim=True) - 1.0
    s = gradient - multiplier
    for _ in range(INTERIOR_STEPS):
        system = hessian.clone()
        system.diagonal(dim1=-2, dim2=-1).add_(s / x)
        factor = torch.linalg.cholesky_ex(system).L
        ones = torch.cholesky_solve(torch.ones_like(x).unsqueeze(-1), factor).squeeze(-1)
        state = (factor, ones, _times(hessian, x) + q - multiplier - s, x, s)
        mean = (x * s).mean(-1, keepdim=True)
        dx, ds, _ = _direction(*state, -x * s)
        length = _length(x, dx, s, ds)
        ahead = ((x + length * dx) * (s + length * ds)).mean(-1, keepdim=True)
        centre = (mean * (ahead / mean) ** 3).clamp(min=1e-15)  # the floor keeps s / x finite once converged
        dx, ds, dm = _direction(*state, centre - x * s - dx * ds)
        length = 0.995 * _length(x, dx, s, ds)
        x, s, multiplier = x + length * dx, s + length * ds, multiplier + length * dm
    return x, s


def _direction(
    factor: Tensor, ones: Tensor, dual: Tensor, x: Tensor, s: Tensor, product: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the Newton step of weights, reduced costs and multiplier that changes xs by product."""
    lead = torch.cholesky_solve((product / x - dual).unsqueeze(-1), factor).squeeze(-1)
    dm = (1.0 - (x + lead).sum(-1, keepdim=True)) / ones.sum(-1, keepdim=True)
    dx = lead + dm * ones
    return dx, (product - s * dx) / x, dm


def _length(x: Tensor, dx: Tensor, s: Tensor, ds: Tensor) -> Tensor:
    """Return the longest step up to one that keeps both non-negative, (R, 1)."""
    now, change = torch.cat([x, s], -1), torch.cat([dx, ds], -1)
    return (-now / change).masked_fill(change >= 0.0, 1.0).amin(-1, keepdim=True).clamp(max=1.0)


def _minimise(linear: Tensor, hessian: Tensor, support: Tensor, total: float, ridge: float) -> Tensor:
    """Return the minimiser of ½xᵀ(H + ridge)x − linearᵀx with Σx = total on the support, zero elsewhere."""
    inside = torch.zeros_like(linear).masked_fill(support, 1.0)
    # H + 11ᵀ: the same problem on Σx = total, regular wherever it is strictly convex (see `active_set`).
    system = (hessian + 1.0) * inside.unsqueeze(-1) * inside.unsqueeze(-2)
    system.diagonal(dim1=-2, dim2=-1).add_(1.0 - inside + ridge * inside)
    factor = torch.linalg.cholesky_ex(system).L
    lead, ones = torch.cholesky_solve(torch.stack([linear * inside, inside], -1), factor).unbind(-1)
    return lead + (total - lead.sum(-1, keepdim=True)) / ones.sum(-1, keepdim=True) * ones


def _times(hessian: Tensor, x: Tensor) -> Tensor:
    return (hessian @ x.unsqueeze(-1)).squeeze(-1)


def _normalise(weights: Tensor) -> Tensor:
    return weights / weights.sum(-1, keepdim=True)


def _status(y: Tensor, sigma: Tensor, tolerance: float, solved: Tensor) -> Tensor:
    """Return one code per row, (G, K); a refused matrix marks all its rows."""
    size = sigma.abs().amax((-2, -1))
    gap = (sigma - sigma.mT).abs().amax((-2, -1))
    ridge = (tolerance * size).masked_fill(size == 0.0, 1.0).reshape(-1, 1, 1)
    identity = torch.eye(sigma.shape[-1], dtype=sigma.dtype, device=sigma.device)
    refused = torch.linalg.cholesky_ex(sigma + ridge * identity).info != 0
    status = torch.full_like(solved, UNSOLVED, dtype=torch.int8).masked_fill(solved, SOLVED)
    status = status.masked_fill(refused.unsqueeze(-1), INDEFINITE)
    status = status.masked_fill((gap > tolerance * size).unsqueeze(-1), ASYMMETRIC)
    finite = sigma.isfinite().all(-1).all(-1).unsqueeze(-1) & y.isfinite().all(-1)
    return status.masked_fill(finite.logical_not(), NOT_FINITE)
