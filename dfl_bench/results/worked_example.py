"""One decision worked through: the first test instance of seed 0, decided on the mean training label."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DflBenchError
from ..problems import make_problem
from ..store.record import Record
from .boards import Board

POLICY = "constant"  # the mean training label: a prediction that needs no training


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A prediction, what came, the decisions on either, and what they cost."""

    prediction: np.ndarray
    outcome: np.ndarray
    decision: np.ndarray
    best_decision: np.ndarray
    cost: float
    best_cost: float
    worst_regret: float

    @property
    def regret(self) -> float:
        """What the prediction cost beyond the optimum."""
        return self.cost - self.best_cost

    @property
    def parts(self) -> list[tuple[str, list[list[float]]]]:
        """The arrays as rows of numbers, with their names."""
        named = {
            "prediction ŷ": self.prediction, "outcome y": self.outcome,
            "decision z*(ŷ)": self.decision, "best decision z*(y)": self.best_decision,
        }  # fmt: skip
        return [(name, np.atleast_2d(array).astype(float).tolist()) for name, array in named.items()]


def compute(problem: str, config: Mapping[str, Any]) -> Example:
    """Return the example of a configured problem."""
    made = make_problem(problem, **config)
    splits = made.data(0)
    first = splits.test[:1]
    y_hat = made.project(splits.train.y.mean(0)[None])
    decision, best = made.decide(y_hat, first.context), made.decide(first.y, first.context)
    return Example(
        prediction=y_hat[0],
        outcome=first.y[0],
        decision=decision[0],
        best_decision=best[0],
        cost=float(made.cost(decision, first.y, first.context)[0]),
        best_cost=float(made.cost(best, first.y, first.context)[0]),
        worst_regret=float(made.worst_regret(first.y, first.context)[0]),
    )


def example(board: Board) -> tuple[Example | None, str]:
    """Return the example of a board's problem, or None and why there is none here."""
    try:
        return compute(board.problem, board.config), ""
    except (DflBenchError, ValueError, TypeError, OSError) as error:  # no data, no plugin, another version
        return None, str(error)


def stored_regret(board: Board) -> tuple[float, float] | None:
    """Return regret and worst regret of the same instance as recorded, for when it cannot be computed."""
    rows = [row for row in board.references if row.method == POLICY]
    zero: list[Record] = [r for row in rows for r in row.records if r.cell.seed == 0 and r.regret is not None]
    for record in zero:
        assert record.regret is not None and record.worst_regret is not None
        return float(record.regret[0]), float(record.worst_regret[0])
    return None
