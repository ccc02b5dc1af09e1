"""PFL: predict first, decide later."""

from collections.abc import Sequence

import numpy as np

from .. import methods
from ..contracts.method import Predictor, SeedBatched, is_regressor
from ..contracts.search_space import Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.prediction_loss import PredictionLoss
from ..training.seed_batch import SeedBatch
from ._regression import fit_regressor


@methods.register("pfl", version=1, family="prediction")
class PFL(SeedBatched):
    """Prediction-focused learning: log-likelihood on inventory, squared error elsewhere."""

    Config = TrainingConfig
    takes_regressor = True
    search = {"learning_rate": Range(1e-4, 1e-1), "weight_decay": Range(1e-6, 1e-1)}
    survey = {
        "shortest-path": {
            1: {"learning_rate": 1.0},
            2: {"learning_rate": 0.05},
            4: {"learning_rate": 0.05},
            6: {"learning_rate": 1.0},
            8: {"learning_rate": 0.05},
        }
    }

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Minimise the prediction error; validation regret selects the state, as for every method."""
        if is_regressor(tasks[0].problem.predictor):
            return [fit_regressor(task, rng) for task, rng in zip(tasks, rngs, strict=True)]
        batch = SeedBatch(tasks)
        network = batch.new_network()
        fit = batch.fit(network, PredictionLoss(batch), self.config)
        return batch.predictors(network, fit)
