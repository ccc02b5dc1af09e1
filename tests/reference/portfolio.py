"""Slow, obvious answers to max yᵀa − γaᵀΣa on the simplex, one instance at a time."""

from itertools import combinations

import cvxpy as cp
import numpy as np


def objective(a, y, sigma, risk_aversion):
    return float(y @ a - risk_aversion * a @ sigma @ a)


def by_clarabel(y, sigma, risk_aversion):
    """The weights of an interior-point solver at tight tolerance."""
    a = cp.Variable(len(y))
    risk = cp.quad_form(a, cp.psd_wrap(sigma))
    problem = cp.Problem(cp.Maximize(y @ a - risk_aversion * risk), [cp.sum(a) == 1, a >= 0, a <= 1])
    problem.solve(
        solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12, tol_infeas_abs=1e-12
    )
    weights = np.maximum(a.value, 0.0)
    return weights / weights.sum()


def by_supports(y, sigma, risk_aversion):
    """The best feasible stationary point over all supports; exponential in the number of stocks."""
    n = len(y)
    best, value = None, -np.inf
    for size in range(1, n + 1):
        for members in map(list, combinations(range(n), size)):
            system = np.zeros((size + 1, size + 1))
            system[:size, :size] = 2.0 * risk_aversion * sigma[np.ix_(members, members)]
            system[:size, size] = system[size, :size] = 1.0
            # Least squares: a singular support has a line of stationary points of which one will do.
            found = np.linalg.lstsq(system, np.append(y[members], 1.0), rcond=None)[0][:size]
            if (found >= -1e-12).all() and abs(found.sum() - 1.0) < 1e-9:
                a = np.zeros(n)
                a[members] = np.maximum(found, 0.0) / np.maximum(found, 0.0).sum()
                if objective(a, y, sigma, risk_aversion) > value:
                    best, value = a, objective(a, y, sigma, risk_aversion)
    return best


def jacobian(y, sigma, risk_aversion, solve, step=1e-6):
    """∂a/∂y by central differences of solve."""
    columns = []
    for shift in np.eye(len(y)) * step:
        columns.append(
            (solve(y + shift, sigma, risk_aversion) - solve(y - shift, sigma, risk_aversion)) / (2 * step)
        )
    return np.stack(columns, axis=-1)
