"""Whether every row was solved, and the errors that name the rows that were not."""

import numpy as np

from ..errors import SolverError
from . import active_set, inputs
from .layout import Fold


def require_solved(solved: np.ndarray, reason: str) -> None:
    """Raise with the first rows that are not solved; solved has the leading shape of the inputs."""
    if solved.all():
        return
    rows = [tuple(int(i) for i in index) for index in np.argwhere(~solved)]
    raise SolverError(
        f"{reason} on {len(rows)} of {solved.size} QPs (rows {', '.join(map(str, rows[:5]))}"
        f"{', …' if len(rows) > 5 else ''}); raise max_iter or use solver='active-set'."
    )


def require_status(fold: Fold, status: np.ndarray) -> None:
    """Raise the error that the status (G, K) of the torch solver stands for."""
    if (status == active_set.NOT_FINITE).any():
        rows = np.argwhere(fold.rows(status) == active_set.NOT_FINITE)
        raise ValueError(
            f"expected finite y and sigma, got a NaN or an infinity in {len(rows)} of {status.size} rows "
            f"(first: row {tuple(rows[0].tolist())}); clean or clip them first."
        )
    if status.size:
        inputs.require_valid(status[:, 0])
    require_solved(fold.rows(status != active_set.UNSOLVED), "the torch solver ended at a non-optimal point")
