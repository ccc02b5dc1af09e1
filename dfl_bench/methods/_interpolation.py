"""What I-MLE, AI-MLE and DBB share: a second solve for a prediction moved along the slope of a task loss."""

from dataclasses import dataclass

from torch import Tensor

from ..contracts.problem import Problem
from ._decision_loss import Truth, embedded

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
        f(z; ŷ) + shift·f(z; y), which is 1 + shift times the cost under the mean of ŷ and y.
        """
        moved = self.point + shift * self.slope
        if self.task_loss == "regret":
            moved = moved / (1.0 + shift)
        return embedded(self.problem, self.problem.lowest(moved, self.truth.context), self.truth) - self.w


def solve(problem: Problem, predictions: Tensor, truth: Truth, task_loss: str) -> Solved:
    """Decide for predictions (draws, *batch, *targets), and measure the mean w̄ of w = embed(z).

    The task loss is the regret, or the mean absolute distance of w̄ to w*.
    """
    point, y, context = predictions.detach(), truth.y, truth.context
    z = problem.lowest(point, context)
    w = embedded(problem, z, truth)
    if task_loss == "regret":
        regrets = problem.cost_under(z, y, context) - problem.cost_under(truth.best, y, context)
        return Solved(problem, point, w, truth, task_loss, regrets.mean(0), y)
    error = w.mean(0) - embedded(problem, truth.best, truth)
    absolute = error.abs().flatten(-problem.target_dims)
    slope = error.sign() / absolute.shape[-1]
    return Solved(problem, point, w, truth, task_loss, absolute.mean(-1), slope)
