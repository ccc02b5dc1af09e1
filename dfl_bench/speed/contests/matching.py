"""Assignments against SciPy's solver in a loop."""

from typing import Any

import numpy as np

from kernels import matching

from .. import inputs
from ..race import Contestant, Effort, Line, race
from ..references import matching as references


def lines(effort: Effort) -> list[Line]:
    """Return a contest for each of two sizes."""
    return [*_contest(10, 2_000, 1.5, effort), *_contest(50, 200, 1.0, effort)]


def _contest(n: int, rows: int, at_least: float, effort: Effort) -> list[Line]:
    costs = inputs.assignment_costs(effort.rows(rows), n)
    best = _paid(references.assign_by_scipy(costs), costs)

    entries = [
        Contestant(
            name="ours",
            run=lambda: matching.best_matching(costs),
            units=len(costs),
            error=lambda chosen: float(((chosen * costs).sum((-2, -1)) / best - 1).max()),
        ),
        Contestant(
            name="SciPy's linear_sum_assignment",
            run=lambda: references.assign_by_scipy(costs),
            units=len(costs),
            error=lambda pairs: float((_paid(pairs, costs) / best - 1).max()),
            at_least=at_least,
        ),
    ]
    error_means = "excess over the cost that SciPy finds, as a share"
    return race(f"matching: {n} × {n}", "instance", error_means, entries, effort.repeats)


def _paid(pairs: list[Any], costs: np.ndarray) -> np.ndarray:
    return np.array([matrix[pair].sum() for matrix, pair in zip(costs, pairs, strict=True)])
