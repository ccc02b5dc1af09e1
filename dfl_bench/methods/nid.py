"""NID: the solver as a black box whose slope is taken to be minus one."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from .. import methods
from ..contracts.checks import require_choice
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..training.config import TrainingConfig
from ..training.seed_batch import SeedBatch
from ..training.solutions import Solutions
from ._decision_loss import DecisionLoss, GivenGradient, Loss, Truth, with_known_cost
from ._interpolation import TASK_LOSSES, solve

_SMALLEST = 1e-12  # a length that is a divisor
_EQUAL_SUMS = 1e-9  # sums of decisions that differ by less are equal


@dataclass(frozen=True, slots=True, kw_only=True)
class NIDConfig(TrainingConfig):
    """PyEPO's task loss, and its prediction as it is; the authors project it to mean 0 and length 1."""

    task_loss: str = "regret"  # or "distance"
    projection: str = "none"  # or "norm": length 1; or "mean-and-norm": mean 0, too

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_choice(self, "task_loss", *TASK_LOSSES)
        require_choice(self, "projection", "none", "norm", "mean-and-norm")


def negative_identity(problem: Problem, prediction: Tensor, truth: Truth, *, task_loss: str) -> Tensor:
    """Return the task loss (*batch) of the decision, with the gradient -g, g its slope in w = embed(z).

    The slope of the regret would be y whatever the decision is. It is the slope of |cost - best cost| that is
    taken, which is zero where the decision is optimal.

    Args:
        problem: one whose cost is ⟨y, embed(z)⟩.
        prediction: (*batch, *targets), projected or not.
        truth: the rows (*batch).
        task_loss: "regret" or "distance".
    """
    solved = solve(problem, prediction.unsqueeze(0), truth, task_loss)
    wrong = solved.value.gt(0).reshape(*solved.value.shape, *[1] * problem.target_dims)
    return GivenGradient.apply(prediction, solved.value, -solved.slope * wrong, problem.target_dims)


def projected(prediction: Tensor, projection: str, target_dims: int) -> Tensor:
    """Return predictions of length 1, and of mean 0 for "mean-and-norm"; "none" changes nothing.

    Args:
        prediction: (*batch, *targets).
        projection: "none", "norm" or "mean-and-norm".
        target_dims: how many axes *targets are.
    """
    if projection == "none":
        return prediction
    flat = prediction.flatten(-target_dims)
    if projection == "mean-and-norm":
        flat = flat - flat.mean(-1, keepdim=True)
    return (flat / flat.norm(dim=-1, keepdim=True).clamp_min(_SMALLEST)).view_as(prediction)


@methods.register("nid", version=1, family="black box")
class NID(DecisionLoss):
    """Negative identity (Sahoo et al. 2023): one solve for each instance, nothing to tune."""

    Config = NIDConfig
    search = {"learning_rate": Range(1e-4, 1e-1)}

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse what is not ⟨y, w⟩ alone: there a decision moves with the prediction already."""
        return with_known_cost(problem)

    @property
    def solves(self) -> int:
        """Once."""
        return 1

    def check(self, batch: SeedBatch, solutions: Solutions) -> None:
        """Refuse to take the mean away where that changes the best decision."""
        sums = solutions.decisions.flatten(2).sum(-1)
        if self.config.projection == "mean-and-norm" and float(sums.max() - sums.min()) > _EQUAL_SUMS:
            raise ValueError(
                "expected decisions of one and the same sum for projection='mean-and-norm', got sums from "
                f"{float(sums.min()):g} to {float(sums.max()):g} on {batch.problem.name}: taking the mean "
                "away would change which decision is best; use projection='norm'."
            )

    def new_loss(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> Loss:
        """Return the loss; it draws nothing."""
        c, problem = self.config, batch.problem.in_training

        def loss(y_hat: Tensor, truth: Truth) -> Tensor:
            prediction = projected(y_hat, c.projection, problem.target_dims)
            return negative_identity(problem, prediction, truth, task_loss=c.task_loss)

        return loss
