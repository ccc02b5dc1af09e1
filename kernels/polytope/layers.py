"""Decisions as layers of a torch model: forward solves, backward multiplies by their derivative."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .._shared.arrays import to_tensor
from . import host


class Layer(torch.autograd.Function):
    """A function of costs that comes with its derivative."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, solve: Callable) -> Tensor:
        """Return the decisions, and keep their derivative for the way back.

        Args:
            ctx: where torch keeps values between forward and backward.
            costs: (..., n), float64.
            solve: takes costs without a gradient; returns decisions and the product with their derivative.
        """
        z, ctx.vjp = solve(costs.detach())
        return z

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """Return the gradient by costs."""
        return ctx.vjp(grad), None


def solve(costs: Tensor, on_host: Callable[..., host.Solved], name: str, *settings: Any) -> Tensor:
    """Return the decisions of costs on any device, differentiable.

    Args:
        costs: (..., n).
        on_host: the solver of arrays, for costs on the CPU.
        name: the function of `device` for all others.
        *settings: what that function takes beside costs.
    """

    def here(costs: Tensor) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
        if costs.device.type != "cpu":
            from . import device

            return getattr(device, name)(costs, *settings)
        z, vjp = on_host(costs.contiguous().numpy())
        return torch.from_numpy(z), lambda grad: torch.from_numpy(vjp(grad.contiguous().numpy()))

    return Layer.apply(to_tensor(costs, "costs", costs.device), here)
