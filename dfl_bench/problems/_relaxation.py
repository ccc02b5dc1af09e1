"""The decision of the budget problem as published for DFL: a relaxation that torch can differentiate.

The true optimum is a vertex, where the exact derivative is zero almost everywhere; what signal there is comes
from the damping of the KKT system.
"""

from typing import Any

import torch
from torch import Tensor

from kernels import budget

DAMPING = 0.01
_AT_BOUND = 1e-6  # nearer than this to 0 or 1, a weight is at its bound


class RelaxedSubset(torch.autograd.Function):
    """z maximizing g(z; Y) = Σ_u [1 - Π_w (1 - z_w Y_wu)] on 0 <= z <= 1, Σz = B: Y (..., W, U) -> (..., W).

    Forward: 100 projected-gradient steps (rate 0.1, momentum 0.9) from z = B/W. Backward: `relaxation_vjp`.
    """

    @staticmethod
    def forward(ctx: Any, ctr: Tensor, size: int, hessian: str) -> Tensor:
        z: Any = budget.relax(ctr, size, steps=100, lr=0.1, momentum=0.9)
        ctx.save_for_backward(z, ctr)
        ctx.size, ctx.sign = size, 1.0 if hessian == "published" else -1.0
        return z

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None, None]:
        z, ctr = ctx.saved_tensors
        return relaxation_vjp(z, ctr, grads[0], ctx.size, ctx.sign), None, None


def relaxation_vjp(
    z: Tensor, ctr: Tensor, grad: Tensor, size: int, sign: float, damping: float = DAMPING
) -> Tensor:
    """Return gradᵀ ∂z/∂Y (..., W, U) from the damped KKT system (K + damping·I) [∂z; ∂λ] = [∂²g/∂z∂Y; 0].

    K = [[sign·∇²g, Gᵀ], [diag(λ) G, diag(c)]] with constraints c = (Σz - B, z - 1, -z) and their Jacobian G;
    λ of the sum is the mean of ∇g over fractional weights (0 if there is none), λ of a bound is ∇g - λ_sum
    where it is met. Published code has sign = +1; differentiating the KKT conditions of a maximum gives -1.
    """
    first, second, cross = _derivatives(z, ctr)
    eye = torch.eye(z.shape[-1], dtype=z.dtype, device=z.device)
    jacobian = torch.cat([torch.ones_like(eye[:1]), eye, -eye])
    upper, lower = z >= 1 - _AT_BOUND, z <= _AT_BOUND
    free = ~(upper | lower)
    level = (first * free).sum(-1, keepdim=True) / free.sum(-1, keepdim=True).clamp_min(1)
    multipliers = torch.cat([level, (first - level) * upper, (first - level) * lower], -1)
    slack = torch.cat([z.sum(-1, keepdim=True) - size, z - 1, -z], -1)
    top = torch.cat([sign * second, jacobian.mT.expand(*z.shape[:-1], -1, -1)], -1)
    bottom = torch.cat([multipliers[..., None] * jacobian, torch.diag_embed(slack)], -1)
    system = torch.cat([top, bottom], -2)
    system = system + damping * torch.eye(system.shape[-1], dtype=z.dtype, device=z.device)
    # gradᵀ K⁻¹ [cross; 0] needs one transposed solve, whatever the number of click rates.
    right = torch.cat([grad, torch.zeros_like(slack)], -1)
    adjoint = torch.linalg.solve(system.mT, right)[..., : z.shape[-1]]
    return (adjoint[..., None, None] * cross).sum(-3)


def _derivatives(z: Tensor, ctr: Tensor) -> tuple[Tensor, Tensor, Tensor]:
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
