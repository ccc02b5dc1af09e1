"""A trained predictor for use: features as the user has them to predictions as the user wants them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..contracts.method import Method, Predictor
from ..contracts.problem import Problem
from ..contracts.task import Task


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FittedPredictor:
    """A predictor with what is known of it; call it with features, one row for each instance."""

    predict: Predictor
    method: str
    problem: str
    seed: int
    features: tuple[int, ...]  # shape of one row
    outcomes: tuple[int, ...]  # shape of one prediction; () for a number

    @classmethod
    def of(cls, predictor: Predictor, method: Method, problem: Problem, task: Task) -> "FittedPredictor":
        """Wrap what a method has returned.

        Args:
            predictor: the trained predictor.
            method: who trained it.
            problem: what for.
            task: on which rows.
        """
        shape = tuple(task.train.y.shape[1:])
        outcomes = () if getattr(problem, "squeezed", False) else shape
        return cls(predictor, method.name, problem.name, task.seed, tuple(task.train.x.shape[1:]), outcomes)

    def __call__(self, x: Any) -> np.ndarray:
        """Return the predictions for features (n, ...); an array or a pandas table."""
        rows = np.array(x, dtype=np.float64)  # a copy: torch wants one that it may write to
        if rows.ndim == 1 and self.features == (1,):
            rows = rows[:, None]
        if rows.shape[1:] != self.features:
            raise ValueError(
                f"expected features of shape (n, {', '.join(map(str, self.features))}), got {rows.shape}."
            )
        finite = np.isfinite(rows.reshape(len(rows), -1)).all(1)
        if not finite.all():
            raise ValueError(
                f"expected finite features, got NaN or infinity in row {int(np.flatnonzero(~finite)[0])}: "
                "drop the row, "
                "or fill the gap."
            )
        return np.asarray(self.predict(rows)).reshape(len(rows), *self.outcomes)

    def __repr__(self) -> str:
        shape = f"{self.outcomes}" if self.outcomes else "a number"
        where = f"{self.method} on {self.problem}, seed {self.seed}"
        return f"<predictor trained by {where}: features {self.features} to {shape}>"

    def save(self, path: str | Path) -> None:
        """Write the weights to a file; `dfl_bench.load_predictor` reads it. No code is stored."""
        from .saved import save

        save(self, Path(path))
