"""One step of the loop that all methods share: `pfl` on inventory, one seed, against its first form."""

from typing import Any

import numpy as np
import torch

from kernels import inventory

from ... import methods
from ...contracts.task import Task
from ...problems import make_problem
from ..race import Contestant, Effort, Line, race
from ..references import first_release

RATE = 1e-3


def lines(effort: Effort) -> list[Line]:
    """Return one contest."""
    steps = effort.rows(500)
    problem = make_problem("inventory")
    data = problem.data(0)
    task = Task(problem, data.train, data.val, 0)
    expected = _first(task, steps)

    def error(predictions: np.ndarray) -> float:
        return float(abs(predictions - expected).max())

    entries = [
        Contestant(name="ours", run=lambda: _ours(task, steps), units=steps, error=error),
        Contestant(
            name="as the first release had it",
            run=lambda: _first(task, steps),
            units=steps,
            error=error,
            at_least=2,
        ),
    ]
    title = f"training: a step of pfl on inventory, one seed, mean of {steps}"
    return race(title, "step", "of the trained predictions, against the first loop", entries, effort.fewer)


def _ours(task: Task, steps: int) -> np.ndarray:
    """Return the trained probabilities of the validation rows; the loop validates at both ends alone."""
    pfl: Any = methods.get("pfl")
    config = pfl.Config(steps=steps, validate_every=steps, patience=10 * steps, learning_rate=RATE)
    (predictor,) = pfl(config).fit_batch([task], [np.random.default_rng(0)])
    return predictor(task.val.x)


def _first(task: Task, steps: int) -> np.ndarray:
    """As `_ours`."""
    train, val = (split.to("cpu") for split in (task.train, task.val))
    shape: Any = task.problem.network
    network = first_release.Predictor((train.x.shape[-1], shape.hidden, shape.outputs), task.rng("predictor"))

    def validate() -> torch.Tensor:
        return torch.as_tensor(inventory.regret(network(val.x[None]), val.y[None])).mean(-1)

    first_release.fit(network, train.x[None], train.y[None], validate, steps, RATE)
    with torch.no_grad():
        return network(val.x[None])[0].numpy()
