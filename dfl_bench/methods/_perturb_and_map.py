"""What I-MLE and AI-MLE share: Sum-of-Gamma noise, their settings, and where they apply."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from ..contracts.checks import require_choice, require_counts, require_positive
from ..contracts.problem import Problem
from ..training.seed_batch import SeedBatch
from ._decision_loss import DecisionLoss, without_linear_cost
from ._interpolation import TASK_LOSSES
from ._perturbation import Draw, Noise, PerturbationConfig, in_label_scales


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbAndMapConfig(PerturbationConfig):
    """One draw of a sum of ten terms as in the authors' library; κ and the task loss are PyEPO's."""

    kappa: float = 5.0  # about how many entries of a decision are not zero
    terms: int = 10  # of the sum
    task_loss: str = "distance"  # or "regret"

    def __post_init__(self) -> None:
        PerturbationConfig.__post_init__(self)
        require_positive(self, "kappa")
        require_counts(self, "terms")
        require_choice(self, "task_loss", *TASK_LOSSES)


class PerturbAndMap(DecisionLoss):
    """A method with two solves for each draw: of the perturbed prediction, and of one moved from it."""

    # The distance between the costs of all demands is no published task loss.
    paper = {"inventory": {"task_loss": "regret"}}

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a cost that is not linear in the outcome: no slope could be added to a prediction."""
        return without_linear_cost(problem)

    @property
    def solves(self) -> int:
        """Two for each draw."""
        return 2 * self.config.draws

    def noise(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> tuple[Noise, Tensor]:
        """Return the noise, and by what it is multiplied."""
        c = self.config
        draw = sum_of_gammas(c.kappa, c.terms)
        return Noise(rngs, draw, c.draws, batch.problem), in_label_scales(batch, c.sigma)


def sum_of_gammas(kappa: float, terms: int) -> Draw:
    """Return the law of (Σ_i Gamma(1/κ, κ/i) - ln terms) / κ: κ of such numbers sum to about a Gumbel's."""

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        total = np.full(shape, -math.log(terms))
        for i in range(1, terms + 1):
            total += (kappa / i) * rng.standard_gamma(1.0 / kappa, shape)
        return total / kappa

    return draw
