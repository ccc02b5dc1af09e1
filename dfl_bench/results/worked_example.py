"""One decision worked through: the first test instance of seed 0, decided on the mean training label."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from .. import problems
from ..contracts.fingerprint import plain
from ..contracts.problem import Problem
from ..errors import DflBenchError
from ..problems import make_problem
from .boards import Board

POLICY = "constant"  # the mean training label: a prediction that needs no training
GENERATED = "synthetic"  # how the provenance of generated data begins


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


def compute(problem: Problem) -> Example:
    """Return the example of a problem; this makes its data."""
    splits = problem.data(0)
    first = splits.test[:1]
    y_hat = problem.project(splits.train.y.mean(0)[None])
    decision, best = problem.decide(y_hat, first.context), problem.decide(first.y, first.context)
    return Example(
        prediction=y_hat[0],
        outcome=first.y[0],
        decision=decision[0],
        best_decision=best[0],
        cost=float(problem.cost(decision, first.y, first.context)[0]),
        best_cost=float(problem.cost(best, first.y, first.context)[0]),
        worst_regret=float(problem.worst_regret(first.y, first.context)[0]),
    )


def example(board: Board) -> tuple[Example | None, str]:
    """Return the example of a board's problem, or None and why there is none.

    Only generated data is used. A store may come from somebody else, so a file that it names is not opened;
    and what a page says must not depend on the data files of the machine that draws it.
    """
    try:
        here = problems.get(board.problem).version
        if board.version != here:
            return None, f"the scores are of version {board.version} of the problem, this code has {here}."
        changed = _changed_texts(board)
        if changed:
            return None, f"the setting {', '.join(changed)} is not the default, and it may name a file."
        problem = make_problem(board.problem, **board.config)
        if not problem.provenance.startswith(GENERATED):
            return None, "the data is read from a file, and a page opens no data file."
        return compute(problem), ""
    except (DflBenchError, ValueError, TypeError) as error:  # no plugin, or another version
        return None, str(error)


def _changed_texts(board: Board) -> list[str]:
    """The settings with text in them that are not those of the problem's default configuration."""
    usual = plain(problems.get(board.problem).Config())
    return [name for name, value in board.config.items() if _has_text(value) and value != usual.get(name)]


def _has_text(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_has_text, value.values()))
    return isinstance(value, str) or (isinstance(value, list | tuple) and any(map(_has_text, value)))


def stored_regret(board: Board) -> tuple[float, float] | None:
    """Return regret and worst regret of the same instance as recorded; it is shown where none is computed."""
    records = (r for row in board.references if row.method == POLICY for r in row.records)
    for record in records:
        is_single = record.cell.seed == 0 and record.group_size == 1
        if is_single and record.regret is not None and record.worst_regret is not None:
            return float(record.regret[0]), float(record.worst_regret[0])
    return None
