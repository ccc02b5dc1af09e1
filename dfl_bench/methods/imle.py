"""I-MLE: implicit maximum likelihood, a finite difference of perturbed decisions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from .. import methods
from ..contracts.checks import require_positive
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..training.seed_batch import SeedBatch
from ._decision_loss import GivenGradient, Loss, Truth
from ._interpolation import solve
from ._perturb_and_map import PerturbAndMap, PerturbAndMapConfig
from ._perturbation import in_label_scales


@dataclass(frozen=True, slots=True, kw_only=True)
class IMLEConfig(PerturbAndMapConfig):
    """λ of PyEPO, for one instance."""

    shift: float = 10.0  # λ: how far a prediction is moved along the slope of the task loss

    def __post_init__(self) -> None:
        PerturbAndMapConfig.__post_init__(self)
        require_positive(self, "shift")


def implicit_mle(
    problem: Problem, perturbed: Tensor, truth: Truth, *, shift: Tensor | float, task_loss: str
) -> Tensor:
    """Return the task loss (*batch) of perturbed decisions, with I-MLE's gradient.

    In ỹ_m it is [w(ỹ_m + λg) - w(ỹ_m)] / (λ·draws), w = embed(z), g the slope of the task loss in w̄.

    Args:
        problem: one whose cost is ⟨y, embed(z)⟩ + known(z).
        perturbed: predictions ỹ (draws, *batch, *targets), a function of ŷ.
        truth: the rows (*batch).
        shift: λ, of one instance and not of a mean over a batch; for "distance" in units of y.
        task_loss: "regret" or "distance".
    """
    solved = solve(problem, perturbed, truth, task_loss)
    gradient = solved.difference(shift) / (shift * len(perturbed))
    return GivenGradient.apply(perturbed, solved.value, gradient, problem.target_dims)


@methods.register("imle", version=1, family="perturbation")
class IMLE(PerturbAndMap):
    """Implicit maximum likelihood estimation (Niepert et al. 2021): two solves for each draw."""

    Config = IMLEConfig
    search = {
        "learning_rate": Range(1e-4, 1e-1),
        "sigma": Range(1e-2, 1e1),
        "shift": Range(1e-2, 1e2),
    }
    survey = {
        # Its λ stands before the slope of a mean over a batch of 32.
        "shortest-path": {
            degree: {"task_loss": "regret", "learning_rate": 0.5, "shift": shift / 32, "sigma": sigma}
            for degree, shift, sigma in (
                (1, 100.0, 1.0),
                (2, 100.0, 0.1),
                (4, 100.0, 2.0),
                (6, 10.0, 0.5),
                (8, 100.0, 2.0),
            )
        }
    }

    def new_loss(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> Loss:
        """Return the loss with fresh noise at every step."""
        c, problem = self.config, batch.problem.in_training
        noise, width = self.noise(batch, rngs)
        shift = in_label_scales(batch, c.shift) if c.task_loss == "distance" else c.shift

        def loss(y_hat: Tensor, truth: Truth) -> Tensor:
            perturbed = y_hat + width * noise(y_hat)
            return implicit_mle(problem, perturbed, truth, shift=shift, task_loss=c.task_loss)

        return loss
