"""DPO: differentiate the expected decision for a perturbed prediction."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from .. import methods
from ..contracts.checks import require_choice
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..training.seed_batch import SeedBatch
from ._decision_loss import DecisionLoss, GivenGradient, Loss, Truth
from ._perturbation import Additive, Multiplicative, Noise, NoiseKindConfig, noise_kind_of, normal


@dataclass(frozen=True, slots=True, kw_only=True)
class DPOConfig(NoiseKindConfig):
    """The defaults of PyEPO: ten draws, σ = 1, the squared distance to the best decision."""

    draws: int = 10
    task_loss: str = "distance"  # or "regret"
    variance_reduction: bool = True  # rewards are compared with their mean; needs two draws or more

    def __post_init__(self) -> None:
        NoiseKindConfig.__post_init__(self)
        require_choice(self, "task_loss", "distance", "regret")


def perturbed_optimizer(
    problem: Problem,
    y_hat: Tensor,
    noise: Tensor,
    kind: Additive | Multiplicative,
    truth: Truth,
    *,
    task_loss: str = "distance",
    variance_reduction: bool = True,
) -> Tensor:
    """Return the task loss (*batch) of the decisions z_m for ŷ perturbed by m-th noise.

    Its gradient is mean_m r_m·score(ξ_m), the derivative of the expected loss as the density of the noise
    moves with ŷ. So it asks nothing of the cost or of what makes ŷ + noise admissible. r_m is the regret of
    z_m for "regret", and ⟨2(z̄ - z*)/entries, z_m⟩ for "distance", the mean squared distance of z̄ to z*.

    Args:
        problem: any problem.
        y_hat: predictions (*batch, *targets).
        noise: standard normal numbers (draws, *batch, *targets).
        kind: how noise perturbs a prediction.
        truth: the rows (*batch).
        task_loss: "distance" or "regret".
        variance_reduction: whether rewards are compared with their mean, for two draws or more.
    """
    point = y_hat.detach()
    perturbed = problem.sample(point, kind.move(point, noise))
    z = problem.decide(perturbed, truth.context)
    measure = _regret if task_loss == "regret" else _distance
    value, rewards = measure(problem, z, truth)  # (*batch), (draws, *batch)
    draws = len(noise)
    if variance_reduction and draws > 1:
        rewards = (rewards - rewards.mean(0)) * (draws / (draws - 1))
    weights = rewards.reshape(*rewards.shape, *[1] * problem.target_dims)
    gradient = (weights * kind.score(point, noise)).mean(0)
    return GivenGradient.apply(y_hat, value, gradient, problem.target_dims)


def _regret(problem: Problem, z: Tensor, truth: Truth) -> tuple[Tensor, Tensor]:
    # The cost alone would do as a reward, but for noise that is as large as the best cost.
    costs = problem.cost(z, truth.y, truth.context)
    regrets = costs - problem.cost(truth.best, truth.y, truth.context)
    return regrets.mean(0), regrets


def _distance(problem: Problem, z: Tensor, truth: Truth) -> tuple[Tensor, Tensor]:
    batch = truth.y.ndim - problem.target_dims
    z, best = z.reshape(*z.shape[: batch + 1], -1), truth.best.reshape(*truth.best.shape[:batch], -1)
    error = z.mean(0) - best  # (*batch, entries of a decision)
    return error.square().mean(-1), (z * (2.0 / error.shape[-1]) * error).sum(-1)


@methods.register("dpo", version=1, family="perturbation")
class DPO(DecisionLoss):
    """The expected decision for a perturbed prediction, differentiated (Berthet et al. 2020)."""

    Config = DPOConfig
    search = {"learning_rate": Range(1e-4, 1e-1), "sigma": Range(1e-2, 1e1)}

    @property
    def solves(self) -> int:
        """Once for each draw."""
        return self.config.draws

    def new_loss(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> Loss:
        """Return the loss with fresh noise at every step."""
        c, problem = self.config, batch.problem.in_training
        noise, kind = Noise(rngs, normal, c.draws, problem), noise_kind_of(c, batch)

        def loss(y_hat: Tensor, truth: Truth) -> Tensor:
            return perturbed_optimizer(
                problem,
                y_hat,
                noise(y_hat),
                kind,
                truth,
                task_loss=c.task_loss,
                variance_reduction=c.variance_reduction,
            )

        return loss
