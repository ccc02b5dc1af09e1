"""DBB: the solver as a black box, with the slope of an interpolation."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from .. import methods
from ..contracts.checks import require_choice, require_positive
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..training.config import TrainingConfig
from ..training.seed_batch import SeedBatch
from ._decision_loss import DecisionLoss, Loss, Truth, with_known_cost
from ._interpolation import TASK_LOSSES
from ._perturbation import in_label_scales
from .imle import implicit_mle


@dataclass(frozen=True, slots=True, kw_only=True)
class DBBConfig(TrainingConfig):
    """PyEPO's λ and task loss."""

    shift: float = 10.0  # λ, of one instance: how far a prediction is moved along the slope of the task loss
    task_loss: str = "regret"  # or "distance"

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_positive(self, "shift")
        require_choice(self, "task_loss", *TASK_LOSSES)


def blackbox(
    problem: Problem, y_hat: Tensor, truth: Truth, *, shift: Tensor | float, task_loss: str
) -> Tensor:
    """Return the task loss (*batch) of the decision, with the gradient [w(ŷ + λg) - w(ŷ)] / λ.

    This is I-MLE with one draw and no noise: λ is that of one instance, not of a mean over a batch.

    Args:
        problem: one whose cost is ⟨y, embed(z)⟩.
        y_hat: predictions (*batch, *targets).
        truth: the rows (*batch).
        shift: λ; for "distance" in units of y.
        task_loss: "regret" or "distance".
    """
    return implicit_mle(problem, y_hat.unsqueeze(0), truth, shift=shift, task_loss=task_loss)


@methods.register("dbb", version=1, family="black box")
class DBB(DecisionLoss):
    """Differentiation of black-box solvers (Vlastelica et al. 2020): two solves for each instance."""

    Config = DBBConfig
    # PyEPO's paper.
    paper = {
        "shortest-path": {"learning_rate": 0.1, "shift": 20.0},
        "knapsack": {"learning_rate": 0.1},
    }
    search = {"learning_rate": Range(1e-4, 1e-1), "shift": Range(1e-2, 1e2)}
    survey = {
        # Its λ stands before the slope of a mean over a batch of 32.
        "shortest-path": {
            1: {"learning_rate": 0.1, "shift": 10.0 / 32},
            2: {"learning_rate": 0.1, "shift": 1.0 / 32},
            4: {"learning_rate": 0.05, "shift": 1.0 / 32},
            6: {"learning_rate": 0.05, "shift": 0.1 / 32},
            8: {"learning_rate": 0.1, "shift": 0.1 / 32},
        }
    }

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse what is not ⟨y, w⟩ alone: there a decision moves with the prediction already."""
        return with_known_cost(problem)

    @property
    def solves(self) -> int:
        """Before and after the shift."""
        return 2

    def new_loss(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> Loss:
        """Return the loss; it draws nothing."""
        c, problem = self.config, batch.problem.in_training
        shift = in_label_scales(batch, c.shift) if c.task_loss == "distance" else c.shift
        return lambda y_hat, truth: blackbox(problem, y_hat, truth, shift=shift, task_loss=c.task_loss)
