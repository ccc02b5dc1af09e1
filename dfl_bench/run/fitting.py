"""Fit a method and ask it for predictions: first the fit, then the rows it is scored on."""

from collections.abc import Callable, Sequence

import numpy as np

from ..contracts.method import Method, Predictor, Reference, SeedBatched
from ..contracts.split import Split
from ..contracts.task import Task
from ..errors import DivergedError

Predictions = np.ndarray | DivergedError  # of one seed; an error where its fit diverged
Fitted = tuple[Predictions, Predictor | None]  # and who made them; None for a reference
RowMaker = Callable[[], Sequence[Split]]


def fit_and_predict(
    method: Method, tasks: Sequence[Task], rngs: Sequence[np.random.Generator], make_rows: RowMaker
) -> list[Fitted]:
    """Return the predictions of each seed, and its predictor.

    Args:
        method: a configured method.
        tasks: one task for each seed, all with one ledger.
        rngs: the method's own stream of each seed.
        make_rows: gives the rows to predict; called when the fit is over.
    """
    if isinstance(method, Reference):
        rows = make_rows()
        return [(np.asarray(method.predict(*given)), None) for given in zip(tasks, rows, rngs, strict=True)]
    predictors = fit_tasks(method, tasks, rngs)
    rows = make_rows()
    with tasks[0].ledger.phase("infer"):
        return [(_predict(p, split), p) for p, split in zip(predictors, rows, strict=True)]


def fit_tasks(
    method: Method, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]
) -> Sequence[Predictor]:
    """Return the predictor of each seed, trained together where the method can.

    Args:
        method: a configured method, no reference.
        tasks: one task for each seed.
        rngs: the method's own stream of each seed.
    """
    if isinstance(method, SeedBatched):
        return method.fit_batch(tasks, rngs)
    return [method.fit(*given) for given in zip(tasks, rngs, strict=True)]


def _predict(predictor: Predictor, split: Split) -> Predictions:
    try:
        y_hat = predictor(split.x)
    except DivergedError as error:
        return error
    if np.ma.is_masked(y_hat):
        raise ValueError("expected a number in every place of the predictions, got masked ones.")
    return np.asarray(y_hat)
