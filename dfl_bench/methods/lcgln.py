"""LCGLN in the suite: the library's loss network on the shared bank, the shared predictor and loop."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lcgln.surrogate import SurrogateConfig, fit_surrogate

from ..method import Choice, Predictor, Range, methods
from ..samplers import ModelBased
from ..task import Task
from ..training import Group, TrainingConfig
from ._batched import SeedBatched
from ._surrogate import Samples


@dataclass(frozen=True, slots=True, kw_only=True)
class LCGLNConfig(TrainingConfig):
    """The paper's shape (one hidden layer, two nodes) and rates; `sampling_rate` is searched in its grid."""

    samples: int = 32
    sampling_rate: float = 0.1
    checkpoints: str = "every"
    trajectories: int = 1
    hidden: tuple[int, ...] = (2,)
    surrogate_rate: float = 1e-3
    surrogate_steps: int = 3000


@methods.register("lcgln", version=1)
class LCGLN(SeedBatched):
    """Locally convex global loss network: a learned loss, convex in the prediction."""

    Config = LCGLNConfig
    search = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "sampling_rate": Range(1e-2, 1.0),
        "checkpoints": Choice(("every", "log")),
        "trajectories": Choice((1, 4)),
        "hidden": Choice(((2,), (8,), (32,), (16, 16))),
        "surrogate_rate": Range(1e-3, 3e-2),
    }

    def fit_group(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Algorithm 1: sample, fit the loss, train on it."""
        config, group = self.config, Group(tasks)
        sampler = ModelBased(
            learning_rate=config.sampling_rate,
            checkpoints=config.checkpoints,
            trajectories=config.trajectories,
        )
        samples = Samples(group, sampler, config.samples)
        with group.ledger.phase("surrogate"):
            surrogate = fit_surrogate(
                group.train.y,
                samples.y_hat,
                samples.regret,
                config=SurrogateConfig(
                    hidden=config.hidden,
                    learning_rate=config.surrogate_rate,
                    steps=config.surrogate_steps,
                ),
                rng=rngs,
            )
        network = group.new_network()
        fit = group.fit(network, lambda y_hat, rows: surrogate(y_hat, rows.y), config)
        return group.predictors(network, fit)
