"""What the methods that fit a regression once, without steps, share: rows and the form of a prediction."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contracts.method import Predictor
from ..contracts.problem import Problem
from ..contracts.split import Split
from ..contracts.task import Task


def regressors(x: np.ndarray) -> np.ndarray:
    """Return features (n, ..., F) as rows (R, 1 + F), a one first: a row for each place the predictor serves.

    A predictor that is shared over the inner rows of an instance (items, hours) has a row for each of them.
    """
    rows = x.reshape(-1, x.shape[-1])
    return np.hstack([np.ones((len(rows), 1)), rows])


def responses(split: Split, problem: Problem) -> np.ndarray:
    """Return outcomes (n, ...) as rows (R, outputs), in the order of `regressors`."""
    return split.y.reshape(-1, problem.network.outputs)


def by_rows(predict: Callable[[np.ndarray], np.ndarray], split: Split) -> Predictor:
    """Return a predictor of instances from one of rows.

    Args:
        predict: takes `regressors` (R, 1 + F), and returns (R, outputs).
        split: rows whose outcomes have the shape of a prediction.
    """
    shape = split.y.shape[1:]
    return lambda x: predict(regressors(x)).reshape(len(x), *shape)


@dataclass(frozen=True, slots=True)
class LinearPredictor:
    """Features times weights (1 + F, outputs), the intercept first; a prediction has a shape of its own."""

    weights: np.ndarray
    shape: tuple[int, ...]

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return predictions (n, ...) for features (n, ...)."""
        return (regressors(x) @ self.weights).reshape(len(x), *self.shape)


@dataclass(frozen=True, slots=True)
class RegressorPredictor:
    """A fitted regressor of scikit-learn, as a function of features (n, ...)."""

    model: Any
    shape: tuple[int, ...]

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return predictions (n, ...) for features (n, ...)."""
        rows = x.reshape(-1, x.shape[-1])
        return np.asarray(self.model.predict(rows), dtype=np.float64).reshape(len(x), *self.shape)


def fit_regressor(task: Task, rng: np.random.Generator) -> RegressorPredictor:
    """Fit a copy of the user's regressor to the training rows; the stream draws an open random state."""
    from sklearn.base import clone
    from sklearn.multioutput import MultiOutputRegressor
    from sklearn.utils import get_tags

    with task.ledger.phase("train"):
        model: Any = clone(task.problem.predictor)
        states = {
            name: int(rng.integers(2**31))
            for name, value in sorted(model.get_params().items())
            if _is_open(name, value)
        }
        model.set_params(**states)
        outcomes = responses(task.train, task.problem)
        if outcomes.shape[1] > 1 and not get_tags(model).target_tags.multi_output:
            model = MultiOutputRegressor(model)
        rows = task.train.x.reshape(-1, task.train.x.shape[-1])
        model.fit(rows, outcomes[:, 0] if outcomes.shape[1] == 1 else outcomes)
    return RegressorPredictor(model, task.train.y.shape[1:])


def _is_open(name: str, value: Any) -> bool:
    return value is None and name.rpartition("__")[2] == "random_state"


def not_linear(problem: Problem) -> str | None:
    """Return why a problem has no linear predictor, or None when it has one."""
    if problem.predictor is not None:
        return f"{problem.name} has a predictor of the user's"
    if problem.network.hidden:
        return f"the predictor of {problem.name} has a hidden layer"
    if problem.network.activation != "linear":
        return f"the predictor of {problem.name} ends in a {problem.network.activation}"
    return None
