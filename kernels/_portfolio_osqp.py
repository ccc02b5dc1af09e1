"""The simplex QP by OSQP: one set-up per Σ, q updated and warm-started over the predictions that share it."""

import numpy as np
import osqp
import scipy.sparse as sp

from kernels import _portfolio

STEP = 0.3  # OSQP's rho once the largest variance is one; fewest iterations over returns of 0.005 to 0.5
FIRST, TIGHT = (
    1e-5,
    1e-10,
)  # OSQP's tolerances: polishing turns the first into 1e-15 unless it erred on the support
EXACT, ENOUGH = 1e-11, 1e-7  # largest KKT residual of the first try and of the last, in units of the variance
DUST = 1e-10  # a weight below this is what polishing leaves of a zero


def solve(
    y: np.ndarray, sigma: np.ndarray, risk_aversion: float, flat: np.ndarray, max_iter: int, out: np.ndarray
) -> np.ndarray:
    """Write the best weights into out (G, K, N) and return which rows (G, K) were solved.

    y (G, K, N) holds the K predictions that share each of sigma (G, N, N). Where flat (G,) is set the optimum
    need not be unique; every row then starts cold, so that it cannot depend on the rows before it.
    """
    solved = np.empty(y.shape[:2], dtype=bool)
    for g in range(len(y)):
        solved[g] = _solve_shared(y[g], sigma[g], risk_aversion, bool(flat[g]), max_iter, out[g])
    return solved


def _solve_shared(
    y: np.ndarray, sigma: np.ndarray, risk_aversion: float, flat: bool, max_iter: int, out: np.ndarray
) -> np.ndarray:
    unit = 2.0 * risk_aversion * float(sigma.diagonal().max()) or 1.0
    # The gradient of the risk differs between stocks by at most two units, so a stock four below the best
    # never enters: raising it to four leaves the optimum alone and keeps huge returns from slowing OSQP.
    q = np.minimum((y.max(axis=-1, keepdims=True) - y) / unit, 4.0)
    solver = _set_up(2.0 * risk_aversion / unit * sigma, warm=not flat, max_iter=max_iter)
    residual = np.empty((1, len(y)))

    def attempt(rows: np.ndarray) -> np.ndarray:
        for k in rows:
            if flat:
                solver.update_settings(rho=STEP)  # OSQP adapts it, and would hand it to the next row
            solver.update(q=q[k])
            out[k] = solver.solve(raise_error=False).x
        out[rows] = _clean(out[rows])
        _portfolio.kkt_residual(out[None], y[None], sigma[None], risk_aversion, residual)
        return residual[0] / max(unit, np.finfo(float).tiny)

    rest = np.flatnonzero(~(attempt(np.arange(len(y))) <= EXACT))
    if rest.size == 0:
        return np.ones(len(y), dtype=bool)
    solver.update_settings(eps_abs=TIGHT)
    return attempt(rest) <= ENOUGH


def _set_up(hessian: np.ndarray, *, warm: bool, max_iter: int) -> osqp.OSQP:
    """Return a solver of ½aᵀHa + qᵀa on the simplex, q still zero."""
    n = len(hessian)
    simplex = sp.vstack([sp.csc_matrix(np.ones((1, n))), sp.eye(n, format="csc")], format="csc")
    lower, upper = np.zeros(n + 1), np.full(n + 1, np.inf)
    # a ≤ 1 follows from the rest; stated, it is active beside Σa = 1 at vertices and polishing fails there.
    lower[0] = upper[0] = 1.0
    solver = osqp.OSQP()
    solver.setup(
        sp.csc_matrix(np.triu(hessian)), np.zeros(n), simplex, lower, upper, verbose=False, polishing=True,
        eps_abs=FIRST, eps_rel=0.0, rho=STEP, max_iter=max_iter, warm_starting=warm,
    )  # fmt: skip
    return solver


def _clean(weights: np.ndarray) -> np.ndarray:
    """Return the weights without dust and with sum one; what is left of an unsolved row stays unsolved."""
    kept = np.where(weights < DUST, 0.0, weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return kept / kept.sum(axis=-1, keepdims=True)
