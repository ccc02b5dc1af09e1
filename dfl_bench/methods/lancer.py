"""LANCER: a landscape learned on the predictor's own path."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lcgln.ensemble.adam import Adam, gradients_of
from lcgln.ensemble.batches import batches, take
from lcgln.ensemble.layers import MLP

from .. import methods
from ..contracts.method import Predictor, SeedBatched
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.prediction_loss import PredictionLoss
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class LANCERConfig(TrainingConfig):
    """The published defaults; the predictor takes `rounds` × `predictor_steps` steps after the warm start."""

    learning_rate: float = 5e-3
    weight_decay: float = 0.01
    rounds: int = 10
    predictor_steps: int = 5
    surrogate_steps: int = 5
    surrogate_rate: float = 1e-3
    surrogate_decay: float = 0.01
    warm_epochs: int = 30
    prediction_weight: float = 0.0
    hidden: tuple[int, ...] = (100, 100)
    batch: int | None = 128
    validate_every: int = 5


@methods.register("lancer", version=1, family="learned loss")
class LANCER(SeedBatched):
    """LANCER: learn the cost landscape on-policy, in turns with the predictor."""

    Config = LANCERConfig
    paper = {
        "portfolio": {
            "rounds": 8,
            "surrogate_rate": 1e-4,
            "surrogate_decay": 0.0,
            "learning_rate": 5e-4,
            "weight_decay": 0.1,
            "warm_epochs": 50,
            "prediction_weight": 1.0,
        }
    }
    paper["portfolio-synthetic"] = paper["portfolio"]
    search = {
        "learning_rate": Range(1e-4, 3e-2),
        "weight_decay": Range(1e-6, 1e-1),
        "rounds": Range(5, 50, integer=True),
        "predictor_steps": Choice((5, 10, 20)),
        "surrogate_steps": Choice((5, 20, 50)),
        "surrogate_rate": Range(1e-4, 1e-2),
    }

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Warm start on the prediction error, then alternate: solve, fit the landscape, follow it."""
        config, batch = self.config, SeedBatch(tasks)
        n = batch.train.y.shape[1]
        network = batch.new_network()
        per_epoch = -(-n // (batch.batch_size(config) or n))
        warm_steps = config.warm_epochs * per_epoch
        batch.fit(network, PredictionLoss(batch), config, steps=warm_steps)

        landscape = _Landscape(batch, config, rngs)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            value = landscape(y_hat, rows.y)
            if config.prediction_weight:
                value = value + config.prediction_weight * batch.prediction_loss(y_hat, rows.y)
            return value

        steps = config.rounds * config.predictor_steps
        fit = batch.fit(network, loss, config, steps=steps, before=landscape.refresher(network))
        return batch.predictors(network, fit)


class _Landscape:
    """M((ŷ − y)²), tanh layers, regressed on standardized decision costs of the predictor's own outputs."""

    def __init__(self, batch: SeedBatch, config: LANCERConfig, rngs: Sequence[np.random.Generator]) -> None:
        self.batch, self.config = batch, config
        n_targets = batch.train.y.flatten(2).shape[-1]
        self.model = MLP((n_targets, *config.hidden, 1), rngs, torch.tanh).to(batch.device)
        self.parameters = list(self.model.parameters())
        self.optimizer = Adam(self.parameters, config.surrogate_rate, config.surrogate_decay)
        self.pick = batches(rngs, batch.train.y.shape[1], 1024, batch.device)

    def __call__(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Return the landscape's height for rows (S, n, *targets), shape (S, n)."""
        d = (y_hat - y).flatten(2) / self.batch.scale.view(-1, 1, 1)
        return self.model(d.square()).squeeze(-1)

    def refresher(self, network: torch.nn.Module) -> Callable[[int], None]:
        """Return the call before each predictor step: at the start of a round, solve and refit."""
        problem, train, config = self.batch.problem.in_training, self.batch.train, self.config
        taken = 0

        def refresh(step: int) -> None:
            nonlocal taken
            if step % config.predictor_steps:
                return
            with torch.no_grad():
                y_hat, _ = keep_finite(network(train.x), train.y)
                z = problem.decide(problem.project(y_hat), train.context)
                cost = problem.cost(z, train.y, train.context)
                target = (cost - cost.mean(1, keepdim=True)) / cost.std(1, keepdim=True).clamp_min(1e-12)
            self.batch.ledger.count(cost.numel())
            self.model.requires_grad_(True)
            with self.batch.ledger.phase("surrogate"):
                for _ in range(config.surrogate_steps):
                    rows = self.pick(taken)
                    taken += 1
                    predicted = self(take(y_hat, rows), take(train.y, rows))
                    error = (predicted - take(target, rows)).square().mean(-1)
                    self.optimizer.step(gradients_of(error, self.parameters))
            self.model.requires_grad_(False)

        return refresh
