"""The weights of a batch of NumPy arrays: which solver to run, in how many threads."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from . import active_set, inputs
from .layout import Fold
from .status import require_solved

SOLVERS = ("osqp", "active-set")


def solve_arrays(
    fold: Fold, risk_aversion: float, solver: str, max_iter: int | None, threads: int
) -> np.ndarray:
    """Return the weights (G, K, N) of a batch.

    Args:
        fold: y and sigma.
        risk_aversion: γ, already checked.
        solver: a name in SOLVERS.
        max_iter: limit of iterations or pivots per QP; None for a generous one.
        threads: how many matrices of sigma to solve at the same time.

    Raises:
        SolverError: a row was not solved. The message names the rows.
    """
    y, sigma = fold.arrays("y")
    kind = np.empty(len(sigma), dtype=np.int64)
    active_set.classify(sigma, fold.tolerance, kind)
    inputs.require_valid(kind)
    if risk_aversion == 0.0:
        return vertex(y, y.argmax(-1))
    inputs.check_scale(sigma, risk_aversion)
    weights, solved = np.empty(y.shape), np.zeros(y.shape[:2], dtype=bool)
    if solver == "osqp":
        from . import with_osqp

        limit = 4_000 if max_iter is None else max_iter

        def run(part: slice) -> None:
            flat = kind[part] == active_set.FLAT
            solved[part] = with_osqp.solve(y[part], sigma[part], risk_aversion, flat, limit, weights[part])
    else:
        limit = 20 * y.shape[-1] + 100 if max_iter is None else max_iter

        def run(part: slice) -> None:
            active_set.solve(y[part], sigma[part], risk_aversion, limit, weights[part], solved[part])

    _in_threads(run, len(y), threads)
    require_solved(fold.rows(solved), f"{solver} did not reach optimality within max_iter={limit}")
    return weights


def vertex(y: np.ndarray, stock: np.ndarray) -> np.ndarray:
    """Return weights shaped like y (..., N), all on the given stock (...)."""
    weights = np.zeros(y.shape)
    np.put_along_axis(weights, stock[..., None], 1.0, axis=-1)
    return weights


def _in_threads(run: Callable[[slice], None], n: int, threads: int) -> None:
    """Call run on consecutive parts of range(n); OSQP and the compiled kernels release the lock."""
    if threads < 1:
        raise ValueError(f"expected threads of at least 1, got {threads}.")
    bounds = np.linspace(0, n, min(threads, max(n, 1)) + 1).astype(int).tolist()
    parts = [slice(start, stop) for start, stop in pairwise(bounds)]
    if len(parts) == 1:
        return run(parts[0])
    with ThreadPoolExecutor(len(parts)) as pool:
        list(pool.map(run, parts))
