"""What `spo-plus` and `pg` share: they solve under numbers beside the prediction, where a cost is linear."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from torch import Tensor

from ..contracts.method import Predictor, SeedBatched
from ..contracts.problem import Problem
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.seed_batch import Minibatch, SeedBatch


class Bound(SeedBatched):
    """The fit; a method gives the loss."""

    Config = TrainingConfig
    search: ClassVar[Mapping[str, Range | Choice]] = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
    }

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem whose cost is not linear in the outcome."""
        if not problem.offers("embed"):
            return f"the cost of {problem.name} is not linear in the outcome"
        return None

    @abstractmethod
    def loss(self, batch: SeedBatch) -> Callable[[Tensor, Minibatch], Tensor]:
        """Return the loss (S, n) of predictions (S, n, *targets) and rows; it may have a `gradient`."""

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Train on the loss, which solves at every step."""
        batch = SeedBatch(tasks)
        loss, network = self.loss(batch), batch.new_network()
        return batch.predictors(network, batch.fit(network, loss, self.config))
