"""What the methods that fit a regression once, without steps, share: rows and the form of a prediction."""

from collections.abc import Callable

import numpy as np

from ..contracts.method import Predictor
from ..contracts.problem import Problem
from ..contracts.split import Split


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


def not_linear(problem: Problem) -> str | None:
    """Return why a problem has no linear predictor, or None when it has one."""
    if problem.network.hidden:
        return f"the predictor of {problem.name} has a hidden layer"
    if problem.network.activation != "linear":
        return f"the predictor of {problem.name} ends in a {problem.network.activation}"
    return None
