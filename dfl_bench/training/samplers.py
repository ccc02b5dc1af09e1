"""Where the predictions of a sample bank come from; this module is also the registry of samplers.

Sampling is a factor of the experiment: every method that learns from labelled samples has a setting
``sampler``, and ``--set sampler=gaussian`` changes it. A sampler is a frozen dataclass, its own settings.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np

from ..contracts.bank import Sampler
from ..contracts.settings import did_you_mean
from ..contracts.task import Task
from ..errors import UnknownNameError
from .config import SampledConfig


class ConfiguredSampler(Sampler, Protocol):
    """A sampler that can read its settings off a method's."""

    @classmethod
    def of(cls, config: SampledConfig) -> Self:
        """Return the sampler for a method's configuration."""


S = TypeVar("S", bound=type[ConfiguredSampler])
_samplers: dict[str, type[ConfiguredSampler]] = {}


def register(name: str) -> Callable[[S], S]:
    """Return the decorator that files a sampler under a name."""

    def decorate(cls: S) -> S:
        _samplers[name] = cls
        return cls

    return decorate


def names() -> list[str]:
    """Return the names of all samplers."""
    return sorted(_samplers)


def sampler_of(config: SampledConfig) -> Sampler:
    """Return the sampler that a method's configuration names."""
    if config.sampler not in _samplers:
        hint = did_you_mean(config.sampler, _samplers)
        raise UnknownNameError(f"no sampler named {config.sampler!r}.{hint} Known: {', '.join(names())}.")
    return _samplers[config.sampler].of(config)


@register("model-based")
@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBased:
    """States of networks like the predictor while they learn to predict (EGL, LCGLN)."""

    learning_rate: float = 0.1
    checkpoints: str = "every"
    trajectories: int = 1

    @classmethod
    def of(cls, config: SampledConfig) -> Self:
        """Return the sampler for a method's configuration."""
        return cls(
            learning_rate=config.sampling_rate,
            checkpoints=config.checkpoints,
            trajectories=config.trajectories,
        )

    def draw(self, task: Task, samples: int) -> np.ndarray:
        """Return the truth and the states of the trajectories in turn, (K, n, *targets)."""
        from lcgln.sampling import model_based

        from .seed_batch import SeedBatch

        batch = SeedBatch([task])
        models = [batch.new_network(f"sampling-{i}") for i in range(self.trajectories)]
        drawn = model_based(
            models,
            batch.train.x,
            batch.train.y,
            samples,
            learning_rate=self.learning_rate,
            checkpoints=self.checkpoints,
        )
        return drawn[:, 0].cpu().numpy()


@register("perturbed")
@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbed:
    """The truth with noise in a few entries (LODL); `width` is in standard deviations of the labels."""

    entries: int = 2
    width: float = 1.0

    @classmethod
    def of(cls, config: SampledConfig) -> Self:
        """Return the sampler for a method's configuration."""
        return cls(entries=config.entries, width=config.width)

    def draw(self, task: Task, samples: int) -> np.ndarray:
        """Return the truth and its perturbations made admissible, (K, n, *targets)."""
        from lcgln.sampling import perturbed

        noise = _deviation(task, self.width)
        drawn = perturbed(task.train.y, samples, entries=self.entries, std=noise, rng=task.rng("perturbed"))
        return _admissible(task, drawn)


@register("gaussian")
@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """The truth with noise in every entry; `width` is in standard deviations of the labels."""

    width: float = 1.0

    @classmethod
    def of(cls, config: SampledConfig) -> Self:
        """Return the sampler for a method's configuration."""
        return cls(width=config.width)

    def draw(self, task: Task, samples: int) -> np.ndarray:
        """Return the truth and its noisy copies made admissible, (K, n, *targets)."""
        from lcgln.sampling import gaussian

        drawn = gaussian(task.train.y, samples, std=_deviation(task, self.width), rng=task.rng("gaussian"))
        return _admissible(task, drawn)


def _deviation(task: Task, width: float) -> float:
    return width * float(task.train.y.std()) + 1e-5


def _admissible(task: Task, drawn: np.ndarray) -> np.ndarray:
    """The truth as it is, the others projected."""
    drawn[1:] = task.problem.project(drawn[1:])
    return drawn
