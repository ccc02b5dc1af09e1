"""PFY: the Fenchel-Young loss of a perturbed solver."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from .. import methods
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..training.seed_batch import SeedBatch
from ._decision_loss import DecisionLoss, Loss, Truth, without_linear_cost
from ._perturbation import Noise, NoiseKindConfig, noise_kind_of, normal


@dataclass(frozen=True, slots=True, kw_only=True)
class PFYConfig(NoiseKindConfig):
    """The settings of PyEPO's paper: one draw, σ = 1."""

    draws: int = 1


def fenchel_young(problem: Problem, perturbed: Tensor, truth: Truth) -> Tensor:
    """Return mean_m [f(z*; ỹ_m) - f(z_m; ỹ_m)] (*batch): how far the best decision is from optimal for ỹ.

    It is never negative, and zero where the decision is the best one for all ỹ. With w = embed(z), its
    gradient in ỹ_m is (w* - w_m) / draws, because z_m is optimal. The published value has ⟨ŷ, w*⟩ where this
    one has mean ⟨ỹ_m, w*⟩: the difference has mean zero, and with additive noise no gradient.

    Args:
        problem: one whose cost is ⟨y, embed(z)⟩ + known(z).
        perturbed: predictions ỹ (draws, *batch, *targets), a function of ŷ.
        truth: the rows (*batch).
    """
    z = problem.lowest(perturbed.detach(), truth.context)
    of_best = problem.cost_under(truth.best, perturbed, truth.context)
    return (of_best - problem.cost_under(z, perturbed, truth.context)).mean(0)


@methods.register("pfy", version=1, family="perturbation")
class PFY(DecisionLoss):
    """The Fenchel-Young loss of perturbed decisions (Berthet et al. 2020): convex where noise is added."""

    Config = PFYConfig
    search = {"learning_rate": Range(1e-4, 1e-1), "sigma": Range(1e-2, 1e1)}
    survey = {
        "shortest-path": {  # with Gumbel's noise, whose standard deviation is 1.28
            1: {"learning_rate": 1.0, "sigma": 5.0},
            2: {"learning_rate": 0.1, "sigma": 0.1},
            4: {"learning_rate": 0.1, "sigma": 0.1},
            6: {"learning_rate": 0.05, "sigma": 5.0},
            8: {"learning_rate": 0.1, "sigma": 5.0},
        }
    }

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a cost that is not linear in the outcome: the loss is made of ⟨y, w⟩."""
        return without_linear_cost(problem)

    @property
    def solves(self) -> int:
        """Once for each draw."""
        return self.config.draws

    def new_loss(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> Loss:
        """Return the loss with fresh noise at every step."""
        problem = batch.problem.in_training
        noise, kind = Noise(rngs, normal, self.config.draws, problem), noise_kind_of(self.config, batch)

        def loss(y_hat: Tensor, truth: Truth) -> Tensor:
            return fenchel_young(problem, y_hat + kind.move(y_hat, noise(y_hat)), truth)

        return loss
