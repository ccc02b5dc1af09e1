"""PFL with a linear predictor, solved instead of trained: least squares."""

import numpy as np

from .. import methods
from ..contracts.method import Method, Predictor
from ..contracts.problem import Problem
from ..contracts.task import Task
from ._regression import LinearPredictor, not_linear, regressors, responses


@methods.register("pfl-exact", version=1, family="prediction")
class PFLExact(Method):
    """Least squares in closed form; needs a linear predictor."""

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a predictor that is not linear."""
        return not_linear(problem)

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Minimise the squared error of all training rows; of several minima, take the smallest weights."""
        with task.ledger.phase("train"):
            outcomes = responses(task.train, task.problem)
            weights = np.linalg.lstsq(regressors(task.train.x), outcomes)[0]
        return LinearPredictor(weights, task.train.y.shape[1:])
