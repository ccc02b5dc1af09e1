"""Beyond a benchmark: a predictor for use, and the score of predictions that were made elsewhere."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ..contracts.ledger import Ledger
from ..contracts.method import Method, Reference
from ..contracts.problem import Problem
from ..contracts.seeding import rng_for
from ..contracts.task import Task
from ..contracts.threads import one_thread
from ..errors import NotApplicableError
from . import scoring
from .asked import as_method, as_problem
from .fitted import FittedPredictor
from .fitting import fit_tasks
from .scoring import Result
from .sealed import sealed


def fit(
    method: str | type[Method] | Method,
    problem: str | Problem,
    *,
    seed: int = 0,
    samples: int | None = None,
    protocol: str = "paper",
    device: str = "cpu",
    predictor: Any = None,
    **settings: Any,
) -> FittedPredictor:
    """Train a predictor for use: on all rows of a user's problem, none kept for a score.

    Some rows still choose the state of the fit: the share of validation rows. Of a problem of the suite, the
    training and validation rows of the seed are taken.

    Args:
        method: a registered name, a class, or a configured method.
        problem: a registered name, or a problem.
        seed: which random streams, and which rows choose.
        samples: for methods that draw samples: how many for each instance.
        protocol: where the method's settings come from.
        device: where to train.
        predictor: as in `evaluate`.
        **settings: changes of the method's configuration, by name.
    """
    if samples is not None:
        settings["samples"] = samples
    chosen = as_problem(problem, predictor)
    configured = as_method(method, chosen, protocol, settings)
    if isinstance(configured, Reference):
        raise ValueError(
            f"{configured.name} is a reference line that looks at outcomes: there is nothing to train."
        )
    given = sealed(chosen)
    if reason := configured.refuses(given):
        raise NotApplicableError(reason)
    train, val = chosen.rows_to_fit(seed)
    task = Task(given, train, val, seed, device, Ledger(device, meter=given.meter))
    with one_thread():
        (trained,) = fit_tasks(configured, [task], [rng_for(chosen.name, configured.name, seed=seed)])
    return FittedPredictor.of(trained, configured, chosen, task)


def score(
    problem: str | Problem, predictions: np.ndarray | Callable[[np.ndarray], np.ndarray], seed: int = 0
) -> Result:
    """Return the score of predictions that were made elsewhere, for the test rows of a seed.

    Args:
        problem: a registered name, or a problem.
        predictions: one for each row of ``problem.data(seed).test``, or a function of its features.
        seed: which rows.
    """
    chosen = as_problem(problem)
    test = chosen.data(seed).test
    given = np.asarray(predictions(test.x) if callable(predictions) else predictions)
    if getattr(chosen, "squeezed", False) and given.shape == test.y.shape[:1]:
        given = given[:, None]
    result = scoring.score(chosen, test, given, Ledger())
    return replace(result, title=f"predictions for {chosen.name}, seed {seed}")
