"""What I-MLE, AI-MLE and DBB share: a second solve for a prediction moved along the slope of a task loss."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from ..contracts.problem import Problem
from ._decision_loss import Truth, inner

TASK_LOSSES = ("regret", "distance")


@dataclass(frozen=True, slots=True)
class Solved:
    """The decisions for predictions (draws, *batch, *targets), and the task loss of their mean."""

    problem: Problem
    point: Tensor  # the predictions, without their graph
    w: Tensor  # embed of the decisions, (draws, *batch, *targets)
    truth: Truth
    task_loss: str
    value: Tensor  # (*batch)
    slope: Tensor  # ∂ value / ∂ w̄, (*batch, *targets)

    def difference(self, shift: Tensor | float) -> Tensor:
        """Return w(ŷ + shift·slope) - w(ŷ) of each draw.

        The known part of the cost is in the regret, too, and is shifted with it: the new decision minimises
        f(z; ŷ) + shift·f(z; y). Divided by 1 + shift this is a prediction, and an admissible one.
        """
        if self.task_loss == "regret":
            moved = (self.point + shift * self.truth.y) / (1.0 + shift)
        else:
            moved = self.problem.sample(self.point, shift * self.slope)
        return embedded(self.problem, self.problem.decide(moved, self.truth.context), self.truth) - self.w


def solve(problem: Problem, predictions: Tensor, truth: Truth, task_loss: str) -> Solved:
    """Decide for predictions (draws, *batch, *targets), and measure the mean w̄ of w = embed(z).

    The task loss is the regret, or the mean absolute distance of w̄ to w*.
    """
    point = predictions.detach()
    z = problem.decide(point, truth.context)
    w, w_best = embedded(problem, z, truth), embedded(problem, truth.best, truth)
    error = w.mean(0) - w_best
    if task_loss == "distance":
        absolute = error.abs().flatten(-problem.target_dims)
        slope = error.sign() / absolute.shape[-1]
        return Solved(problem, point, w, truth, task_loss, absolute.mean(-1), slope)
    known: Any = problem.known(z, truth.context) - problem.known(truth.best, truth.context)
    value = (inner(problem, truth.y, w - w_best) + known).mean(0)
    return Solved(problem, point, w, truth, task_loss, value, truth.y)


def embedded(problem: Problem, z: Tensor, truth: Truth) -> Tensor:
    """Return w = embed(z)."""
    w = problem.embed(z, truth.context)
    assert w is not None, "see not_applicable"
    return w
