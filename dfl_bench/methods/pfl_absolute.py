"""PFL with a linear predictor and the absolute error, solved as a linear program."""

import numpy as np
from scipy.optimize import linprog

from kernels.errors import SolverError

from .. import methods
from ..contracts.method import Method, Predictor
from ..contracts.problem import Problem
from ..contracts.task import Task
from ._regression import LinearPredictor, not_linear, regressors, responses

GAP = 1e-9  # largest duality gap that is accepted, relative to the sum of |y|


@methods.register("pfl-absolute", version=1, family="prediction")
class PFLAbsolute(Method):
    """Least absolute error, exact to rounding; needs a linear predictor."""

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a predictor that is not linear."""
        return not_linear(problem)

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Minimise the absolute error of all training rows, each output by itself."""
        with task.ledger.phase("train"):
            rows = regressors(task.train.x)
            outcomes = responses(task.train, task.problem)
            weights = np.stack([least_absolute(rows, y) for y in outcomes.T], axis=1)
        return LinearPredictor(weights, task.train.y.shape[1:])


def least_absolute(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the weights β (F,) that minimise Σ|y - xβ|, for x (R, F) and y (R,).

    The dual program, max yᵀd with xᵀd = 0 and |d| ≤ 1, has few constraints however many rows there are; its
    multipliers are β. The gap between the two values proves that β is optimal.
    """
    scale = np.abs(y).mean() or 1.0  # the solver's tolerances are absolute
    solved = linprog(-y / scale, A_eq=x.T, b_eq=np.zeros(x.shape[1]), bounds=(-1.0, 1.0), method="highs")
    if solved.status:
        raise SolverError(f"expected the least absolute error, but the solver stopped: {solved.message}")
    weights = -scale * solved.eqlin.marginals
    gap = np.abs(y - x @ weights).sum() + scale * solved.fun
    if gap > GAP * np.abs(y).sum():
        raise SolverError(f"expected the least absolute error, got one that may be {gap:.3g} too large.")
    return weights
