"""What methods with perturbed predictions share: settings, noise from each seed's stream, and its laws."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..contracts.checks import require_choice, require_counts, require_positive
from ..contracts.linear import LinearProblem
from ..contracts.problem import Problem
from ..training.config import TrainingConfig
from ..training.seed_batch import SeedBatch

_STEPS = 64  # steps whose noise is drawn at once: one copy to the device serves them all
_NUMBERS = 2**20  # of one seed, at most; how many seeds there are changes no block, and so no number
_SMALLEST = 1e-12  # a positive output may underflow, and is a divisor

Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


@dataclass(frozen=True, slots=True, kw_only=True)
class PerturbationConfig(TrainingConfig):
    """How many perturbed copies of a prediction are solved, and how far from it they are."""

    draws: int = 1
    sigma: float = 1.0  # of the noise: in label scales, or a share of the prediction if multiplicative

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_counts(self, "draws")
        require_positive(self, "sigma")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseKindConfig(PerturbationConfig):
    """The same, with noise that is added to a prediction, or that multiplies it and keeps its sign."""

    noise_kind: str = "additive"  # or "multiplicative"

    def __post_init__(self) -> None:
        PerturbationConfig.__post_init__(self)
        require_choice(self, "noise_kind", "additive", "multiplicative")


class Noise:
    """Noise (draws, S, n, *targets) for one step after another, each seed's from its own stream.

    It is meant for what is maximised, the negated cost, and turned for the outcomes of the problem. So a
    problem and its mirror image, where values are earned instead of costs paid, are trained alike.
    """

    def __init__(self, rngs: Sequence[np.random.Generator], draw: Draw, draws: int, problem: Problem) -> None:
        self._rngs, self._draw, self._draws = rngs, draw, draws
        self._sign = -problem.sign if isinstance(problem, LinearProblem) else -1.0
        self._block: list[Tensor] = []  # the next step's noise is the last

    def __call__(self, y_hat: Tensor) -> Tensor:
        """Return the noise of the next step for predictions (S, n, *targets)."""
        if not self._block:
            shape = (self._draws, *y_hat.shape[1:])
            steps = min(_STEPS, max(1, _NUMBERS // int(np.prod(shape))))
            drawn = np.stack([self._draw(rng, (steps, *shape)) for rng in self._rngs], axis=2)
            self._block = list((self._sign * torch.from_numpy(drawn)).to(y_hat.device).unbind(0))[::-1]
        return self._block.pop()


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw standard normal numbers."""
    return rng.standard_normal(shape)


@dataclass(frozen=True, slots=True)
class Additive:
    """ŷ + width·ξ."""

    width: Tensor | float

    def move(self, y_hat: Tensor, noise: Tensor) -> Tensor:
        """Return what is added to a prediction."""
        return self.width * noise

    def score(self, y_hat: Tensor, noise: Tensor) -> Tensor:
        """Return the derivative of -log density at the perturbed prediction, as the prediction moves."""
        return noise / self.width


@dataclass(frozen=True, slots=True)
class Multiplicative:
    """ŷ∘exp(σξ - σ²/2): mean ŷ, and the sign of ŷ."""

    sigma: float

    def move(self, y_hat: Tensor, noise: Tensor) -> Tensor:
        """Return what is added to a prediction."""
        return y_hat * torch.expm1(self.sigma * noise - self.sigma**2 / 2)

    def score(self, y_hat: Tensor, noise: Tensor) -> Tensor:
        """Return the derivative of -log density at the perturbed prediction, as the prediction moves."""
        return noise / (self.sigma * y_hat.clamp_min(_SMALLEST))


def in_label_scales(batch: SeedBatch, sigma: float) -> Tensor:
    """Return sigma in units of each seed's labels, in a shape that multiplies predictions."""
    return sigma * batch.scale.view(-1, *[1] * (batch.train.y.ndim - 1))


def noise_kind_of(config: NoiseKindConfig, batch: SeedBatch) -> Additive | Multiplicative:
    """Return the kind of noise that a configuration names; one that multiplies needs positive predictions."""
    if config.noise_kind == "additive":
        return Additive(in_label_scales(batch, config.sigma))
    activation = batch.problem.network.activation
    if activation not in ("softplus", "softmax"):
        raise ValueError(
            f"expected positive predictions for noise_kind='multiplicative', got those of "
            f"{batch.problem.name}, whose network ends in {activation!r}; use noise_kind='additive'."
        )
    return Multiplicative(config.sigma)
