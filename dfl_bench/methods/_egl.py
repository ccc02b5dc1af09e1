"""Efficient global losses (Shah et al. 2024): a network reads the parameters of a loss off the features.

All samples of all instances train one model. The parameters depend on x, never on y.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from torch import Tensor, nn

from lcgln.ensemble.batches import take

from ..contracts.checks import require_counts
from ..contracts.method import Predictor, SeedBatched
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import SampledConfig
from ..training.samplers import sampler_of
from ..training.seed_batch import Minibatch, SeedBatch
from ..training.surrogates import Samples, fit_to_samples


@dataclass(frozen=True, slots=True, kw_only=True)
class EGLConfig(SampledConfig):
    """Model-based samples and the network from features to the parameters of the loss."""

    hidden: tuple[int, ...] = (64,)
    surrogate_rate: float = 1e-3
    surrogate_steps: int = 500
    surrogate_patience: int = 100
    hold_out: str = "instances"  # what selects the loss's state: "samples", or "instances" with all of theirs
    cycle: int | None = None  # row r is judged by instance r mod cycle, as in published code; None: by itself

    def __post_init__(self) -> None:
        SampledConfig.__post_init__(self)
        require_counts(self, "cycle")


class EGL(SeedBatched):
    """The fit all variants share; a variant gives the network and the form of the loss."""

    Config = EGLConfig
    search: ClassVar[Mapping[str, Range | Choice]] = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "sampling_rate": Range(1e-2, 1.0),
        "checkpoints": Choice(("every", "log")),
        "hidden": Choice(((16,), (64,), (64, 64))),
        "surrogate_rate": Range(1e-4, 3e-2),
    }

    @abstractmethod
    def parametrize(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> nn.Module:
        """Return the untrained network from features (S, n, ...) to parameters (S, n, ...)."""

    @staticmethod
    @abstractmethod
    def form(parameters: Tensor, d: Tensor) -> Tensor:
        """Return the loss of differences d (S, n, k, D) under parameters (S, n, ...), shape (S, n, k)."""

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Fit the parameters on the bank, then train the predictor on the loss they define."""
        config, batch = self.config, SeedBatch(tasks)
        samples = Samples(batch, sampler_of(config), config.samples)
        with batch.ledger.phase("surrogate"):
            network = self.parametrize(batch, rngs).to(batch.device)
            fit_to_samples(
                network,
                lambda rows: self.form(network(take(batch.train.x, rows)), take(samples.difference, rows)),
                samples,
                rngs,
                steps=config.surrogate_steps,
                learning_rate=config.surrogate_rate,
                patience=config.surrogate_patience,
                hold_out=config.hold_out,
            )
            parameters = network(batch.train.x)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            judge = batch.asked(rows, config.cycle)
            d = samples.scaled(y_hat, judge.y).unsqueeze(2)
            return self.form(take(parameters, judge.index), d).squeeze(2)

        predictor = batch.new_network()
        fit = batch.fit(predictor, loss, config)
        return batch.predictors(predictor, fit)


class PerTarget(nn.Module):
    """One network for every inner row of an instance: features to the parameters of that row's targets."""

    def __init__(self, network: nn.Module, per_target: tuple[int, ...]) -> None:
        super().__init__()
        self.network = network
        self.per_target = per_target

    def forward(self, x: Tensor) -> Tensor:
        """Map (S, n, ..., features) to (S, n, D, *per_target)."""
        return self.network(x.flatten(1, -2)).reshape(x.shape[0], x.shape[1], -1, *self.per_target)
