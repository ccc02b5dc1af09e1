"""The best decisions for the training outcomes: solved once, looked up at every step."""

import torch
from torch import Tensor

from lcgln.ensemble.batches import take

from .seed_batch import Minibatch, SeedBatch


class Solutions:
    """z*(y) of the training rows and what it costs; solving them is charged to labels."""

    def __init__(self, batch: SeedBatch) -> None:
        problem, train = batch.problem.in_training, batch.train
        with batch.ledger.phase("label"), torch.no_grad():
            self.decisions = problem.decide(train.y, train.context)  # (S, n, ...)
            self.costs = problem.cost(self.decisions, train.y, train.context)  # (S, n)
            batch.ledger.count(self.costs.numel())

    def decisions_of(self, rows: Minibatch) -> Tensor:
        """Return the decisions (S, n, ...) of some rows."""
        return take(self.decisions, rows.index)

    def of(self, rows: Minibatch) -> tuple[Tensor, Tensor]:
        """Return the decisions (S, n, ...) of some rows and their costs (S, n)."""
        return self.decisions_of(rows), take(self.costs, rows.index)
