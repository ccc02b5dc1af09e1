"""One epoch of SPO+ on the shortest path, 1,000 instances in batches of 32, against PyEPO with GLOP."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import methods
from ...contracts.task import Task
from ...problems import make_problem
from ..race import Contestant, Effort, Line, made_late, race
from ..references import spo_plus as references

BATCH = 32
Predictor = Callable[[np.ndarray], np.ndarray]


def lines(effort: Effort) -> list[Line]:
    """Return one contest; both train as many epochs from a new start, and the error shows what they reach."""
    problem: Any = make_problem("shortest-path", degree=4)
    epochs = max(1, round(10 * effort.share))
    data = problem.data(0)
    task = Task(problem, data.train, data.val, 0)

    def error(predictor: Predictor) -> float:
        test = data.test
        regret = problem.regret(predictor(test.x), test.y, test.context)
        return float(regret.sum() / problem.optimal_cost(test.y, test.context).sum())

    entries = [
        Contestant(name="ours", run=lambda: _ours(task, epochs), units=epochs, error=error),
        Contestant(
            name="PyEPO + GLOP (OR-Tools)",
            run=made_late(
                lambda: references.epochs_by_pyepo(data.train.x, data.train.y, 5, BATCH),
                lambda train: train(epochs),
            ),
            units=epochs,
            error=error,
            at_least=15,
            needs=("pyepo", "ortools"),
        ),
    ]
    title = f"training: an epoch of SPO+, {len(data.train):,} instances, batch {BATCH}, mean of {epochs}"
    return race(
        title, "epoch", "regret on new rows after these epochs, in optimal costs", entries, effort.fewer
    )


def _ours(task: Task, epochs: int) -> Predictor:
    """Train without stopping to validate."""
    method: Any = methods.get("spo-plus")
    steps = epochs * -(-len(task.train) // BATCH)
    config = method.Config(steps=steps, batch=BATCH, learning_rate=1e-2, validate_every=steps, select="last")
    return method(config).fit_batch([task], [np.random.default_rng(0)])[0]
