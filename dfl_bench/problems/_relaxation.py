"""The decision of the budget problem as published for DFL: a relaxation that torch can differentiate.

The true optimum is a vertex, where the exact derivative is zero almost everywhere; what signal there is comes
from the damping of the KKT system. Published code damps it so that the signal turns round at the bounds; so
there are two backward passes: as published, and as the KKT conditions of a maximum have it.
"""

from typing import Any

import torch
from torch import Tensor

from kernels import budget

DAMPING = 0.01
_AT_BOUND = 1e-6  # nearer than this to 0 or 1, a weight is at its bound

Derivatives = tuple[Tensor, Tensor, Tensor]


class RelaxedSubset(torch.autograd.Function):
    """z maximizing g(z; Y) = Σ_u [1 - Π_w (1 - z_w Y_wu)] on 0 <= z <= 1, Σz = B: Y (..., W, U) -> (..., W).

    Forward: 100 projected-gradient steps (rate 0.1, momentum 0.9) from z = B/W. Backward: `published_vjp` or
    `derived_vjp`.
    """

    @staticmethod
    def forward(ctx: Any, ctr: Tensor, size: int, backward: str) -> Tensor:
        """Return the relaxed decision of click rates."""
        # Detached, or the kernel would record all hundred steps for a gradient nobody asks for.
        z: Any = budget.relax(ctr.detach(), size, steps=100, lr=0.1, momentum=0.9)
        ctx.save_for_backward(z, ctr)
        ctx.size, ctx.published = size, backward == "published"
        return z

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        """Return the gradient with respect to the click rates."""
        z, ctr = ctx.saved_tensors
        of_g = derivatives(z, ctr)
        vjp = published_vjp(z, of_g, grads[0], ctx.size) if ctx.published else derived_vjp(z, of_g, grads[0])
        return vjp, None, None


def published_vjp(z: Tensor, of_g: Derivatives, grad: Tensor, size: int, damping: float = DAMPING) -> Tensor:
    """Return gradᵀ ∂z/∂Y (..., W, U) from (K + damping·I) [∂z; ∂λ] = [∂²g/∂z∂Y; 0], as published.

    `of_g` are ∇g, ∇²g and ∂²g/∂z∂Y. K = [[∇²g, Gᵀ], [diag(λ) G, diag(c)]] with the constraints
    c = (Σz - B, z - 1, -z) and their Jacobian G; λ of the sum is the mean of ∇g over fractional weights (0 if
    there is none), λ of a bound is ∇g - λ_sum where it is met.
    """
    first, second, cross = of_g
    eye = torch.eye(z.shape[-1], dtype=z.dtype, device=z.device)
    jacobian = torch.cat([torch.ones_like(eye[:1]), eye, -eye])
    upper, lower, level = _multiplier_parts(z, first)
    multipliers = torch.cat([level, (first - level) * upper, (first - level) * lower], -1)
    slack = torch.cat([z.sum(-1, keepdim=True) - size, z - 1, -z], -1)
    top = torch.cat([second, jacobian.mT.expand(*z.shape[:-1], -1, -1)], -1)
    bottom = torch.cat([multipliers[..., None] * jacobian, torch.diag_embed(slack)], -1)
    system = torch.cat([top, bottom], -2)
    system = system + damping * torch.eye(system.shape[-1], dtype=z.dtype, device=z.device)
    return _solve_adjoint(system, grad, cross)


def derived_vjp(z: Tensor, of_g: Derivatives, grad: Tensor, damping: float = DAMPING) -> Tensor:
    """Return gradᵀ ∂z/∂Y (..., W, U) from the KKT conditions of a maximum.

    ∇g - λ_sum - λ_upper + λ_lower = 0 gives [[-∇²g + D, 1], [1ᵀ, 0]] [∂z; ∂λ_sum] = [∂²g/∂z∂Y; 0] with the
    bounds eliminated: D = λ_upper / (1 - z + damping) + λ_lower / (z + damping) + damping. At a vertex λ_sum
    is the middle between the largest ∇g left out and the smallest taken. At a fractional point -∇²g is
    indefinite and this damping does not outweigh it: the gradient there can be very large.
    """
    first, second, cross = of_g
    upper, lower, level = _multiplier_parts(z, first)
    taken = torch.where(upper, first, torch.inf).amin(-1, keepdim=True)
    left = torch.where(lower, first, -torch.inf).amax(-1, keepdim=True)
    level = torch.where((upper | lower).all(-1, keepdim=True), (taken + left) / 2, level)
    # A point that is not quite optimal has multipliers below zero: their constraints do not hold it.
    of_upper, of_lower = ((first - level) * upper).clamp_min(0), ((level - first) * lower).clamp_min(0)
    bounds = of_upper / (1 - z + damping) + of_lower / (z + damping) + damping
    ones = torch.ones_like(z)[..., None]
    top = torch.cat([torch.diag_embed(bounds) - second, ones], -1)
    bottom = torch.cat([ones.mT, torch.zeros_like(ones[..., :1, :])], -1)
    return _solve_adjoint(torch.cat([top, bottom], -2), grad, cross)


def _multiplier_parts(z: Tensor, first: Tensor) -> Derivatives:
    """Return which weights are at 1, which at 0, and the mean of ∇g over the others (0 if there is none)."""
    upper, lower = z >= 1 - _AT_BOUND, z <= _AT_BOUND
    free = ~(upper | lower)
    level = (first * free).sum(-1, keepdim=True) / free.sum(-1, keepdim=True).clamp_min(1)
    return upper, lower, level


def _solve_adjoint(system: Tensor, grad: Tensor, cross: Tensor) -> Tensor:
    # gradᵀ K⁻¹ [cross; 0] needs one transposed solve, whatever the number of click rates.
    n = grad.shape[-1]
    right = torch.nn.functional.pad(grad, (0, system.shape[-1] - n))
    adjoint = torch.linalg.solve(system.mT, right)[..., :n]
    return (adjoint[..., None, None] * cross).sum(-3)


def derivatives(z: Tensor, ctr: Tensor) -> Derivatives:
    """Return ∇g (..., W), ∇²g (..., W, W) and ∂²g/∂z∂Y (..., W, W, U), by products without a website."""
    n = z.shape[-1]
    eye = torch.eye(n, dtype=torch.bool, device=z.device)
    missed = 1 - z[..., None] * ctr  # (..., W, U)
    # Leaving out by a one in its place, not by division: a website with z = y = 1 has missed = 0.
    without_one = torch.where(eye[:, :, None], 1.0, missed[..., None, :, :]).prod(-2)  # (..., W, U)
    left_out = (eye[:, None, :] | eye[None, :, :])[..., None]  # (W, W, W, 1)
    without_two = torch.where(left_out, 1.0, missed[..., None, None, :, :]).prod(-2)  # (..., W, W, U)
    first = (ctr * without_one).sum(-1)
    pairs = torch.where(eye[..., None], 0.0, without_two)
    second = -(ctr[..., :, None, :] * ctr[..., None, :, :] * pairs).sum(-1)
    # ∂(∂g/∂z_i)/∂Y_ju: without website i where j = i, else minus z_j times what both leave.
    other = -ctr[..., :, None, :] * z[..., None, :, None] * without_two
    cross = torch.where(eye[..., None], without_one[..., :, None, :], other)
    return first, second, cross
