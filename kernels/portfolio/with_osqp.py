"""The simplex QP by OSQP: one set-up per Σ, q updated and warm-started over the predictions that share it."""

import numpy as np
import osqp
import scipy.sparse as sp

from . import active_set

RHO = 0.3  # OSQP's first step size, for a problem whose largest variance is one; 0.1 to 1 do about as well
FIRST, TIGHT = 1e-4, 1e-10  # OSQP's tolerances; polishing turns both into 1e-15 if the support is right
EXACT, ENOUGH = 1e-12, 1e-7  # KKT residual that ends the tries; KKT residual accepted after the last try
DUST = 1e-10  # a weight below this is what polishing leaves of a zero


def solve(
    y: np.ndarray, sigma: np.ndarray, risk_aversion: float, flat: np.ndarray, max_iter: int, out: np.ndarray
) -> np.ndarray:
    """Write the best weights into out and return which rows (G, K) were solved.

    Args:
        y: (G, K, N), the K predictions that share each matrix.
        sigma: (G, N, N).
        risk_aversion: γ > 0.
        flat: (G,), where the optimum need not be unique. There every row starts cold, so that it cannot
            depend on the rows before it.
        max_iter: limit of OSQP's iterations per QP.
        out: weights (G, K, N).
    """
    solved = np.empty(y.shape[:2], dtype=bool)
    solvers = _Solvers(max_iter)
    for g in range(len(y)):
        solved[g] = _solve_shared(y[g], sigma[g], risk_aversion, bool(flat[g]), solvers, out[g])
    return solved


class _Solvers:
    """Keeps the last solver: for a Σ with zeros in the same places only the numbers are replaced."""

    def __init__(self, max_iter: int) -> None:
        self.max_iter = max_iter
        self._filled: np.ndarray | None = None

    def of(self, hessian: np.ndarray) -> osqp.OSQP:
        """Return a cold solver of ½aᵀHa + qᵀa on the simplex, q still to be set."""
        upper = np.triu(hessian)
        filled = upper != 0.0
        if self._filled is None or not np.array_equal(filled, self._filled):
            self._filled, self._solver = filled, _set_up(hessian, FIRST, self.max_iter)
        else:
            self._solver.update_settings(eps_abs=FIRST)
            self._solver.update(Px=upper.T[filled.T])  # column after column
            _forget(self._solver)
        return self._solver


def _solve_shared(
    y: np.ndarray, sigma: np.ndarray, risk_aversion: float, flat: bool, solvers: _Solvers, out: np.ndarray
) -> np.ndarray:
    unit = 2.0 * risk_aversion * float(sigma.diagonal().max()) or 1.0
    hessian = 2.0 * risk_aversion / unit * sigma
    # The gradient of the risk differs between stocks by at most two units, so a stock four below the best
    # never enters: raising it to four leaves the optimum alone and keeps huge returns from slowing OSQP.
    with np.errstate(over="ignore"):
        q = np.minimum((y.max(axis=-1, keepdims=True) - y) / unit, 4.0)
    solver = solvers.of(hessian)
    for k in range(len(y)):
        if flat:
            _forget(solver)
        out[k] = _minimise(solver, q[k])
    residual = _residual(out, y, sigma, risk_aversion)
    if (rest := np.flatnonzero(~(residual <= EXACT * unit))).size:
        solver.update_settings(eps_abs=TIGHT)
        for k in rest.tolist():
            _forget(solver)
            out[k] = _minimise(solver, q[k])
        residual[rest] = _residual(out[rest], y[rest], sigma, risk_aversion)
    if flat and (rest := np.flatnonzero(~(residual <= EXACT * unit))).size:
        # OSQP can stall where the optimum is not unique; the exact solver does not, and is checked like OSQP.
        exact = np.empty((1, rest.size, len(sigma)))
        ended = np.empty((1, rest.size), dtype=bool)
        active_set.solve(y[None, rest], sigma[None], risk_aversion, solvers.max_iter, exact, ended)
        left = np.where(ended[0], _residual(exact[0], y[rest], sigma, risk_aversion), np.inf)
        better = ~(residual[rest] <= left)
        out[rest[better]], residual[rest[better]] = exact[0][better], left[better]
    return residual <= ENOUGH * min(unit, 1.0)


def _set_up(hessian: np.ndarray, tolerance: float, max_iter: int) -> osqp.OSQP:
    """Return a solver of ½aᵀHa + qᵀa on the simplex, q still zero."""
    n = len(hessian)
    simplex = sp.vstack([sp.csc_matrix(np.ones((1, n))), sp.eye(n, format="csc")], format="csc")
    lower, upper = np.zeros(n + 1), np.full(n + 1, np.inf)
    # a ≤ 1 follows from the rest. With it, both it and Σa = 1 are active at a vertex, and polishing fails.
    lower[0] = upper[0] = 1.0
    solver = osqp.OSQP()
    solver.setup(
        sp.csc_matrix(np.triu(hessian)), np.zeros(n), simplex, lower, upper, verbose=False, polishing=True,
        eps_abs=tolerance, eps_rel=0.0, rho=RHO, max_iter=max_iter, scaling=0,
    )  # fmt: skip
    return solver


def _forget(solver: osqp.OSQP) -> None:
    """Make the next solve a cold one: OSQP keeps its last point and the rho it adapted."""
    solver.update_settings(rho=RHO)
    solver.warm_start(np.zeros(solver.n), np.zeros(solver.m))


def _minimise(solver: osqp.OSQP, q: np.ndarray) -> np.ndarray:
    """Return the weights without dust and with sum one, NaN where OSQP reached no solution."""
    solver.update(q=q)
    result = solver.solve(raise_error=False)
    if result.info.status_val != osqp.SolverStatus.OSQP_SOLVED:
        return np.full(len(q), np.nan)
    kept = np.where(result.x < DUST, 0.0, result.x)
    return kept / kept.sum()


def _residual(a: np.ndarray, y: np.ndarray, sigma: np.ndarray, risk_aversion: float) -> np.ndarray:
    out = np.empty((1, len(a)))
    active_set.kkt_residual(a[None], y[None], sigma[None], risk_aversion, out)
    return out[0]
