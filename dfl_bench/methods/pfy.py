"""PFY: the Fenchel-Young loss of a perturbed solver."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from torch import Tensor

from .. import methods
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..training.seed_batch import SeedBatch
from ._decision_loss import DecisionLoss, Loss, Truth, inner, without_linear_cost
from ._perturbation import Noise, NoiseKindConfig, noise_kind_of, normal
from ._survey import by_capacity, by_degree


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
        perturbed: admissible predictions ỹ (draws, *batch, *targets), a function of the prediction.
        truth: the rows (*batch).
    """
    best, context = truth.best, truth.context
    z = problem.decide(perturbed.detach(), context)
    w_best, w = problem.embed(best, context), problem.embed(z, context)
    known: Any = problem.known(best, context) - problem.known(z, context)
    assert w_best is not None and w is not None, "see not_applicable"
    return (inner(problem, perturbed, w_best - w) + known).mean(0)


@methods.register("pfy", version=1, family="perturbation")
class PFY(DecisionLoss):
    """The Fenchel-Young loss of perturbed decisions (Berthet et al. 2020): convex where noise is added."""

    Config = PFYConfig
    search = {"learning_rate": Range(1e-4, 1e-1), "sigma": Range(1e-2, 1e1)}
    survey = {
        # The survey's noise is Gumbel's, with a standard deviation of 1.28.
        "shortest-path": by_degree(learning_rate=(1.0, 0.1, 0.1, 0.05, 0.1), sigma=(5.0, 0.1, 0.1, 5.0, 5.0)),
        "energy": by_capacity(learning_rate=(1.0, 1.0, 0.5), sigma=(0.005, 0.5, 0.5)),
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
            return fenchel_young(problem, problem.sample(y_hat, kind.move(y_hat, noise(y_hat))), truth)

        return loss
