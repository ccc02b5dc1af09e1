"""What the methods share that train through a smooth decision instead of the best one."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from torch import Tensor

from ..contracts.method import Predictor, SeedBatched
from ..contracts.problem import Problem
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ..training.solutions import Solutions
from ._relaxed import in_label_scales, without_polytope

Layer = Callable[[Tensor], Tensor]


class Layered(SeedBatched):
    """The fit: minimise what the smooth decision costs under the outcome, differentiated through the layer.

    Test rows are decided by the exact solver, as for all methods.
    """

    search: ClassVar[Mapping[str, Range | Choice]] = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
    }

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem whose decisions are no vertices of a linear program."""
        return without_polytope(problem)

    @abstractmethod
    def layer(self, problem: Problem) -> Layer:
        """Return the function from predictions (..., *targets) in label scales to smooth decisions."""

    def loss(self, batch: SeedBatch) -> Callable[[Tensor, Minibatch], Tensor]:
        """Return the regret of the smooth decision; that of a relaxation may be negative."""
        problem, layer, solutions = batch.problem.in_training, self.layer(batch.problem), Solutions(batch)

        def regret(y_hat: Tensor, rows: Minibatch) -> Tensor:
            z = layer(in_label_scales(batch, y_hat))
            return problem.cost(z, rows.y, rows.context) - solutions.of(rows)[1]

        return regret

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Train through the layer, which solves each instance of a step once."""
        batch = SeedBatch(tasks)
        step_loss, network = self.loss(batch), batch.new_network()

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            batch.ledger.count(rows.y.shape[0] * rows.y.shape[1])
            return step_loss(keep_finite(y_hat, rows.y)[0], rows)

        return batch.predictors(network, batch.fit(network, loss, self.config))
