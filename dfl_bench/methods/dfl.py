"""DFL: differentiate the cost of the decision itself."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from .. import methods
from ..contracts.method import Predictor, SeedBatched
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite


@dataclass(frozen=True, slots=True, kw_only=True)
class DFLConfig(TrainingConfig):
    """The weight of the prediction error beside the cost, both in their own units of scale."""

    prediction_weight: float = 0.0


@methods.register("dfl", version=1, family="differentiation")
class DFL(SeedBatched):
    """Decision-focused learning: the cost of the decision, differentiated through the solver."""

    Config = DFLConfig
    search = {"learning_rate": Range(1e-4, 1e-1), "weight_decay": Range(1e-6, 1e-1)}

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem whose decision nobody has differentiated."""
        if not problem.offers("decision_layer"):
            return f"{problem.name} has no differentiable decision"
        return None

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Minimise cost(z(ŷ), y) plus the weighted prediction error."""
        batch = SeedBatch(tasks)
        problem = batch.problem.in_training
        network = batch.new_network()
        # Costs are brought to scale one, so that a weight means the same on every problem.
        train = batch.train
        unit = problem.worst_regret(train.y, train.context).mean(-1, keepdim=True)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            y_hat, _ = keep_finite(y_hat, rows.y)
            z = problem.decision_layer(y_hat, rows.context)
            assert z is not None, "see not_applicable"
            batch.ledger.count(rows.y.shape[0] * rows.y.shape[1])
            value = problem.cost(z, rows.y, rows.context) / unit
            if self.config.prediction_weight:
                value = value + self.config.prediction_weight * batch.prediction_loss(y_hat, rows.y)
            return value

        fit = batch.fit(network, loss, self.config)
        return batch.predictors(network, fit)
