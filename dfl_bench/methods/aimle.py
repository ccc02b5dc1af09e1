"""AI-MLE: I-MLE that finds out by itself how far to move a prediction."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from .. import methods
from ..contracts.checks import require_positive
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..training.seed_batch import SeedBatch
from ._decision_loss import GivenGradient, Loss, Truth
from ._interpolation import solve
from ._perturb_and_map import PerturbAndMap, PerturbAndMapConfig

_DECAY = 0.9  # of the running count
_SMALLEST = 1e-300  # a length that is a divisor


@dataclass(frozen=True, slots=True, kw_only=True)
class AIMLEConfig(PerturbAndMapConfig):
    """The authors' rule: β starts at 1 and moves by `beta_step` towards `target` entries in a gradient."""

    beta_step: float = 1e-4
    target: float = 1.0  # entries of a draw's gradient that are not zero

    def __post_init__(self) -> None:
        PerturbAndMapConfig.__post_init__(self)
        require_positive(self, "beta_step", "target")


class Adaptive:
    """β and the running count of each seed, (S,); they stay on the device."""

    def __init__(self, seeds: Tensor, step: float = 1e-4, target: float = 1.0) -> None:
        self.beta, self.count = torch.ones_like(seeds), torch.ones_like(seeds)
        self.step, self.target = step, target

    def shift(self, y_hat: Tensor, slope: Tensor) -> Tensor:
        """Return λ = β‖ŷ‖ / ‖slope‖ with norms over all rows of a seed, zero without a slope: (S, 1, ...)."""
        size, length = _norm(y_hat), _norm(slope)
        shift = torch.where(length > 0, self.beta * size / length.clamp_min(_SMALLEST), 0.0)
        return shift.view(-1, *[1] * (y_hat.ndim - 1))

    def update(self, difference: Tensor) -> None:
        """Raise β where differences (draws, S, n, *targets) have too few entries, lower it elsewhere."""
        draws, seeds, rows = difference.shape[:3]
        entries = (difference != 0).to(self.count).sum((0, *range(2, difference.ndim))) / (draws * rows)
        assert entries.shape == (seeds,), f"expected one count a seed, got {tuple(entries.shape)}"
        self.count = _DECAY * self.count + (1.0 - _DECAY) * entries
        few = self.count < self.target
        self.beta = torch.where(few, self.beta + self.step, self.beta - self.step).clamp_min(0.0)


def _norm(values: Tensor) -> Tensor:
    """Return the length (S,) of all that a seed has; no square of a number near the largest is taken."""
    flat = values.flatten(1)
    largest = flat.abs().amax(1, keepdim=True).clamp_min(_SMALLEST)
    return largest[:, 0] * (flat / largest).norm(dim=1)


def adaptive_mle(
    problem: Problem, y_hat: Tensor, perturbed: Tensor, truth: Truth, *, task_loss: str, state: Adaptive
) -> Tensor:
    """Return the task loss (S, n) of perturbed decisions, with AI-MLE's gradient; the state takes a step.

    Args:
        problem: one whose cost is ⟨y, embed(z)⟩ + known(z).
        y_hat: predictions (S, n, *targets).
        perturbed: predictions ỹ (draws, S, n, *targets), a function of y_hat.
        truth: the rows (S, n).
        task_loss: "regret" or "distance".
        state: what is adapted.
    """
    solved = solve(problem, perturbed, truth, task_loss)
    shift = state.shift(y_hat.detach(), solved.slope)
    difference = solved.difference(shift)
    state.update(difference)
    # Where nothing was shifted, the difference is zero and any divisor will do.
    gradient = difference / (torch.where(shift > 0, shift, 1.0) * len(perturbed))
    return GivenGradient.apply(perturbed, solved.value, gradient, problem.target_dims)


@methods.register("aimle", version=1, family="perturbation")
class AIMLE(PerturbAndMap):
    """Adaptive implicit maximum likelihood estimation (Minervini et al. 2023), by the authors' rule."""

    Config = AIMLEConfig
    search = {"learning_rate": Range(1e-4, 1e-1), "sigma": Range(1e-2, 1e1), "target": Range(0.1, 1e1)}

    def new_loss(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> Loss:
        """Return the loss with fresh noise at every step."""
        c, problem = self.config, batch.problem.in_training
        noise, width = self.noise(batch, rngs)
        state = Adaptive(batch.scale, c.beta_step, c.target)

        def loss(y_hat: Tensor, truth: Truth) -> Tensor:
            perturbed = y_hat + width * noise(y_hat)
            return adaptive_mle(problem, y_hat, perturbed, truth, task_loss=c.task_loss, state=state)

        return loss
