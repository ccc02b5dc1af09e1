"""What the methods with a pool of solutions share: the pool, how it grows, and the loop.

The pool begins with the distinct best decisions for the training outcomes. With a small probability the
predictions of a step are solved, too, and their decisions join the pool before the loss of that step.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from ..contracts.checks import require_between, require_counts
from ..contracts.method import Predictor, SeedBatched
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.pools import Pool
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ..training.solutions import Solutions


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolConfig(TrainingConfig):
    """How often the predictions of a step are solved to enlarge the pool, and up to which size."""

    solve_ratio: float = 0.05
    pool_size: int = 5000  # the best decisions for training outcomes are in it, however many they are

    def __post_init__(self) -> None:
        # super() without arguments is lost when slots=True makes a second class.
        TrainingConfig.__post_init__(self)
        require_between(self, 0.0, 1.0, "solve_ratio")
        require_counts(self, "pool_size")


@dataclass(frozen=True, slots=True)
class Offer:
    """The pool of a seed beside the predictions of some of its training rows."""

    pool: Pool
    y_hat: Tensor  # (n, *targets)
    y: Tensor  # (n, *targets)
    best: Tensor  # (n,), the place of each row's best decision in the pool
    index: Tensor | None  # (n,), which training rows these are; None: all
    scale: Tensor  # (), the label scale: the unit of margins and temperatures

    @property
    def predicted(self) -> Tensor:
        """What all decisions cost under the predictions, (n, P)."""
        return self.pool.costs(self.y_hat, self.index)

    @property
    def true(self) -> Tensor:
        """What all decisions cost under the outcomes, (n, P)."""
        return self.pool.costs(self.y, self.index)

    @property
    def difference(self) -> Tensor:
        """The costs under the predictions less those under the outcomes, (n, P)."""
        return self.pool.differences(self.y_hat, self.y, self.index)

    def of_best(self, costs: Tensor) -> Tensor:
        """Return the costs of the best decisions (n,) among those of the pool (n, P)."""
        return costs.gather(-1, self.best.unsqueeze(-1)).squeeze(-1)


class Pooled(SeedBatched):
    """The fit that all of them share; a method gives the loss."""

    Config = PoolConfig
    paper: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "inventory": {"pool_size": 500}
    }  # every growth brings 320 new orders
    search: ClassVar[Mapping[str, Range | Choice]] = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "solve_ratio": Choice((0.0, 0.05, 0.2)),
    }

    @abstractmethod
    def loss(self, offer: Offer) -> Tensor:
        """Return the loss of each row, (n,)."""

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Solve the training outcomes once, then train on the loss over the growing pool."""
        batch = SeedBatch(tasks)
        pools = _Pools(batch, self.config)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            y_hat, _ = keep_finite(y_hat, rows.y)
            return torch.stack([self.loss(offer) for offer in pools.offers(y_hat, rows)])

        network = batch.new_network()
        return batch.predictors(network, batch.fit(network, loss, self.config))


class _Pools:
    """One pool for each seed: their sizes differ, so seeds are taken one after the other."""

    def __init__(self, batch: SeedBatch, config: PoolConfig) -> None:
        self.batch, self.config = batch, config
        self.problem = batch.problem.in_training
        self.streams = batch.rngs("pool")  # the same for all methods: pools grow at the same steps
        best = Solutions(batch).decisions
        with batch.ledger.phase("label"):
            self.pools = [
                Pool(self.problem, {name: values[seed] for name, values in batch.train.context.items()}, z)
                for seed, z in enumerate(best)
            ]

    def offers(self, y_hat: Tensor, rows: Minibatch) -> list[Offer]:
        """Return what each seed compares, after its pool has grown where it is time."""
        made = []
        for seed, pool in enumerate(self.pools):
            self._grow(pool, seed, y_hat, rows)
            index = None if rows.index is None else rows.index[seed]
            best = pool.best if index is None else pool.best[index]
            made.append(Offer(pool, y_hat[seed], rows.y[seed], best, index, self.batch.scale[seed]))
        return made

    @torch.no_grad()
    def _grow(self, pool: Pool, seed: int, y_hat: Tensor, rows: Minibatch) -> None:
        drawn = self.streams[seed].random() < self.config.solve_ratio
        if drawn and len(pool) < self.config.pool_size:
            context = {name: values[seed] for name, values in rows.context.items()}
            pool.add(self.problem.decide(self.problem.project(y_hat[seed]), context), self.config.pool_size)
            self.batch.ledger.count(len(y_hat[seed]))
