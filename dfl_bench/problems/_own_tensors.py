"""A user's cost on tensors: differentiated by torch where it can be, by differences where it cannot."""

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from ..contracts.problem import Context

if TYPE_CHECKING:
    from ._own_base import OwnProblem

STEP = 1e-6  # of a difference, beside the size of the numbers


def cost_of_tensors(problem: "OwnProblem", z: Tensor, y: Tensor, context: Context) -> Tensor:
    """Return the cost of decisions z under outcomes y; gradients flow to both.

    Args:
        problem: whose cost.
        z: decisions, any leading axes.
        y: outcomes (..., D).
        context: what belongs to each instance, by name.
    """
    if torch.is_grad_enabled() and (z.requires_grad or y.requires_grad):
        return problem.cost_with_gradient(z, y, context)
    return y.new_tensor(problem._cost(z, y, context))


class ByDifferences(torch.autograd.Function):
    """Values from NumPy; slopes are central differences, one coordinate of z or y after the other."""

    @staticmethod
    def forward(ctx: Any, z: Tensor, y: Tensor, problem: "OwnProblem", context: Context) -> Tensor:
        """Return the costs, shape (...)."""
        ctx.save_for_backward(z, y)
        ctx.problem, ctx.context = problem, context
        return y.new_tensor(problem._cost(z, y, context))

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        """Return the slopes in z and y, each times what its cost counts."""
        z, y = ctx.saved_tensors
        own = len(ctx.problem.decision_shape)
        weight = grad.detach().cpu().numpy()

        def slope(which: int) -> Tensor:
            given = [z.detach().cpu().numpy(), y.detach().cpu().numpy()]
            axes = (own, 1)[which]
            point = given[which]
            found = np.zeros(point.shape)
            size = STEP * max(1e-3, float(np.abs(point).mean()))
            for place in np.ndindex(*point.shape[point.ndim - axes :]):
                ends = []
                for side in (size, -size):
                    moved = point.copy()
                    moved[(..., *place)] += side
                    given[which] = moved
                    ends.append(ctx.problem._cost(*given, ctx.context))
                lead = point.shape[: point.ndim - axes]
                found[(..., *place)] = _summed(weight * (ends[0] - ends[1]) / (2 * size), lead)
            return (z, y)[which].new_tensor(found)

        needs = ctx.needs_input_grad
        return (slope(0) if needs[0] else None), (slope(1) if needs[1] else None), None, None


def _summed(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sum over the axes that broadcasting has added or widened."""
    values = values.sum(tuple(range(values.ndim - len(shape))))
    wide = tuple(i for i, n in enumerate(shape) if n == 1 and values.shape[i] != 1)
    return values.sum(wide, keepdims=True) if wide else values
