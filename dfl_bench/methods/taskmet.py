"""TaskMet: learn the metric of the prediction error, so that its minimum decides well."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lcgln.ensemble.adam import Adam
from lcgln.ensemble.batches import batches, take
from lcgln.ensemble.layers import MLP

from .. import methods
from ..contracts.checks import require_choice
from ..contracts.method import Predictor, SeedBatched
from ..contracts.problem import Problem
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ._implicit import hypergradient
from .dfl import DFL

LARGEST_FULL = 10  # entries of an outcome up to which the metric "auto" is a full matrix
FIRST = 5  # the first inner problem starts from random weights: so many times the steps of a later one
ITERATIONS, RIDGE, CLIP = 5, 1e-5, 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskMetConfig(TrainingConfig):
    """The published settings: 500 steps of the predictor, then rounds of one metric step and 100 more."""

    rounds: int = 50
    predictor_steps: int = 100
    surrogate_rate: float = 1e-3  # of the metric
    hidden: tuple[int, ...] = (200,)
    metric: str = "auto"  # "full" or "diagonal"; "auto" is full where an outcome has at most ten entries
    patience: int = 1000

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_choice(self, "metric", "auto", "full", "diagonal")


@methods.register("taskmet", version=1, family="learned loss")
class TaskMet(SeedBatched):
    """TaskMet (Bansal et al. 2023): a metric from features, learned through the predictor that it gives."""

    Config = TaskMetConfig
    search = {
        "learning_rate": Range(1e-4, 1e-1),
        "surrogate_rate": Range(1e-4, 1e-1),
        "rounds": Choice((20, 50, 100)),
        "predictor_steps": Choice((20, 50, 100)),
    }

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem whose decision has no derivative."""
        return DFL.not_applicable(problem)

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Minimise the error in the metric; between rounds of that, move the metric."""
        config, batch = self.config, SeedBatch(tasks)
        network, learner = batch.new_network(), _Learner(batch, config, rngs)
        first = FIRST * config.predictor_steps

        def before(step: int) -> None:
            if step >= first and (step - first) % config.predictor_steps == 0:
                with batch.ledger.phase("surrogate"):
                    learner.improve(network)

        steps = first + config.rounds * config.predictor_steps
        fit = batch.fit(network, learner.loss, config, steps=steps, before=before)
        return batch.predictors(network, fit)


class Metric(nn.Module):
    """The factor L of Λ = LLᵀ + eˢI from features: a full matrix, or a diagonal one, entry by entry."""

    def __init__(self, batch: SeedBatch, config: TaskMetConfig, rngs: Sequence[np.random.Generator]) -> None:
        super().__init__()
        x, self.n_targets = batch.train.x, batch.train.y.flatten(2).shape[-1]
        small = self.n_targets <= LARGEST_FULL
        self.is_full = config.metric == "full" or (config.metric == "auto" and small)
        # A diagonal reads the features of an entry's own row, as the predictor does.
        ends = (x.flatten(2).shape[-1], self.n_targets**2)
        if not self.is_full:
            ends = (x.shape[-1], batch.problem.network.outputs)
        self.network = MLP((ends[0], *config.hidden, ends[1]), rngs, torch.relu)
        self.log_floor = nn.Parameter(torch.zeros(len(batch), 1, dtype=torch.float64))  # s

    def forward(self, x: Tensor) -> Tensor:
        """Map (S, n, ..., features) to (S, n, D, D), or to (S, n, D) for a diagonal."""
        if self.is_full:
            return self.network(x.flatten(2)).unflatten(-1, (self.n_targets, self.n_targets))
        return self.network(x.flatten(1, -2)).reshape(*x.shape[:2], self.n_targets)


def metric_error(factors: Tensor, log_floor: Tensor, d: Tensor) -> Tensor:
    """Return dᵀ(LLᵀ + eˢI)d.

    Args:
        factors: L (..., D, D), or its diagonal (..., D).
        log_floor: s, broadcasts against the result.
        d: differences between prediction and outcome (..., D).

    Returns:
        Errors (...).
    """
    is_diagonal = factors.ndim == d.ndim
    product = factors * d if is_diagonal else (d.unsqueeze(-2) @ factors).squeeze(-2)
    return product.square().sum(-1) + log_floor.exp() * d.square().sum(-1)


class _Learner:
    """The metric while it is learned; its factors at the training rows are computed once for each change."""

    def __init__(self, batch: SeedBatch, config: TaskMetConfig, rngs: Sequence[np.random.Generator]) -> None:
        self.batch, self.problem = batch, batch.problem.in_training
        self.metric = Metric(batch, config, rngs).to(batch.device)
        self.parameters = list(self.metric.parameters())
        self.optimizer = Adam(self.parameters, config.surrogate_rate)
        self.pick = batches(rngs, batch.train.y.shape[1], batch.batch_size(config), batch.device)
        self.taken = 0
        self.unit = self.problem.worst_regret(batch.train.y, batch.train.context).mean(-1)
        self._refresh()

    def _refresh(self) -> None:
        with torch.no_grad():
            self.factors = self.metric(self.batch.train.x)

    def loss(self, y_hat: Tensor, rows: Minibatch) -> Tensor:
        """Return the error (S, n) in the metric as it is now."""
        return self._error(take(self.factors, rows.index), self.metric.log_floor.detach(), y_hat, rows.y)

    def _error(self, factors: Tensor, log_floor: Tensor, y_hat: Tensor, y: Tensor) -> Tensor:
        return metric_error(factors, log_floor, (y_hat - y).flatten(2) / self.batch.scale.view(-1, 1, 1))

    def improve(self, network: nn.Module) -> None:
        """Take one step of the metric towards lower costs of the decisions."""
        rows = self.batch.rows(self.pick(self.taken))
        self.taken += 1
        y_hat = network(rows.x)
        inner = self._error(self.metric(rows.x), self.metric.log_floor, y_hat, rows.y).mean(-1)
        grads = hypergradient(
            list(network.parameters()),
            self.parameters,
            inner,
            self._cost(y_hat, rows),
            iterations=ITERATIONS,
            ridge=RIDGE,
        )
        self.optimizer.step(clipped(grads, CLIP))
        self._refresh()

    def _cost(self, y_hat: Tensor, rows: Minibatch) -> Tensor:
        y_hat, _ = keep_finite(y_hat, rows.y)
        z = self.problem.decision_layer(y_hat, rows.context)
        assert z is not None, "see not_applicable"
        self.batch.ledger.count(rows.y.shape[0] * rows.y.shape[1])
        return self.problem.cost(z, rows.y, rows.context).mean(-1) / self.unit


def clipped(gradients: Sequence[Tensor], largest: float) -> list[Tensor]:
    """Return gradients, each (S, ...), whose norm over all of a seed is at most `largest`."""
    norm = torch.stack([g.square().flatten(1).sum(1) for g in gradients]).sum(0).sqrt()  # (S,)
    factor = (largest / norm).clamp_max(1.0)
    # Contiguous as parameters are: the step of Adam does not look at strides.
    return [(g * factor.view(-1, *[1] * (g.ndim - 1))).contiguous() for g in gradients]
