"""The newsvendor by closed forms in NumPy, by bisection and by cvxpy."""

from collections.abc import Callable
from typing import Any

import numpy as np

Costs = tuple[float, float, float, float, float, float]


def order_by_numpy(p: np.ndarray, costs: Costs, demand: np.ndarray) -> np.ndarray:
    """Return the orders (n,) by the closed form on the segment where the slope changes sign, p (n, K).

    Args:
        p: probabilities of the demands (n, K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        demand: the possible demands (K,), increasing.
    """
    c0, q0, cb, qb, ch, qh = costs
    left, level = np.append(0.0, demand[:-1]), demand[:, None]
    # The slopes at both ends of every segment are linear in p: one product each.
    at_start = np.where(level <= left, ch + qh * (left - level), -cb - qb * (level - left))
    at_end = np.where(level < demand, ch + qh * (demand - level), -cb - qb * (level - demand))
    segment = (p @ at_end + (c0 + q0 * demand) < 0.0).sum(-1)
    inside = np.minimum(segment, len(demand) - 1)
    rows = np.arange(len(p))
    start = (p @ at_start + (c0 + q0 * left))[rows, inside]
    head = (p.cumsum(-1) - p)[rows, inside]
    step = -start / (q0 + qh * head + qb * (1.0 - head))
    return np.where(segment == len(demand), demand[-1], left[inside] + np.maximum(step, 0.0))


def cost_by_numpy(z: np.ndarray, p: np.ndarray, costs: Costs, demand: np.ndarray) -> np.ndarray:
    """Return the expected cost (n,) of orders z (n,) under p (n, K).

    Args:
        z: orders (n,).
        p: probabilities of the demands (n, K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        demand: the possible demands (K,), increasing.
    """
    c0, q0, cb, qb, ch, qh = costs
    gap = demand - z[:, None]
    short, over = np.maximum(gap, 0.0), np.maximum(-gap, 0.0)
    stage = (cb + 0.5 * qb * short) * short + (ch + 0.5 * qh * over) * over
    return z * (c0 + 0.5 * q0 * z) + (p * stage).sum(-1)


def regret_by_numpy(p_hat: np.ndarray, y: np.ndarray, costs: Costs, demand: np.ndarray) -> np.ndarray:
    """Return the regret (n,) of ordering by p_hat (n, K) instead of y (n, K).

    Args:
        p_hat: predicted probabilities (n, K).
        y: true probabilities (n, K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        demand: the possible demands (K,), increasing.
    """
    chosen, best = (order_by_numpy(p, costs, demand) for p in (p_hat, y))
    return cost_by_numpy(chosen, y, costs, demand) - cost_by_numpy(best, y, costs, demand)


def regret_by_bisection(p_hat: np.ndarray, y: np.ndarray, costs: Costs, demand: np.ndarray) -> np.ndarray:
    """Return the regret (n,) with both orders found by halving an interval sixty times: slow and obvious.

    Args:
        p_hat: predicted probabilities (n, K).
        y: true probabilities (n, K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        demand: the possible demands (K,), increasing.
    """
    c0, q0, cb, qb, ch, qh = costs

    def order(p: np.ndarray) -> np.ndarray:
        low, high = np.zeros(len(p)), np.full(len(p), demand[-1])
        for _ in range(60):
            middle = (low + high) / 2
            gap = demand - middle[:, None]
            slope = c0 + q0 * middle + (p * np.where(gap > 0, -cb - qb * gap, ch - qh * gap)).sum(-1)
            low, high = np.where(slope < 0, middle, low), np.where(slope < 0, high, middle)
        return high

    return cost_by_numpy(order(p_hat), y, costs, demand) - cost_by_numpy(order(y), y, costs, demand)


def regret_by_cvxpy(p_hat: np.ndarray, y: np.ndarray, costs: Costs, demand: np.ndarray) -> np.ndarray:
    """Return the regret of every row by cvxpy models built for it: one decides, one knows.

    Args:
        p_hat: predicted probabilities (n, K).
        y: true probabilities (n, K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        demand: the possible demands (K,), increasing.
    """

    def order(p: np.ndarray) -> float:
        problem, z = _inventory_model(p, costs, demand)
        problem.solve()
        return float(z.value)

    chosen, best = (np.array([order(row) for row in p]) for p in (p_hat, y))
    return cost_by_numpy(chosen, y, costs, demand) - cost_by_numpy(best, y, costs, demand)


def parametrized_cvxpy(costs: Costs, demand: np.ndarray) -> Callable[..., np.ndarray]:
    """Return `regret_by_cvxpy` with one model whose probabilities are a parameter, analysed once."""
    import cvxpy as cp

    p = cp.Parameter(len(demand), nonneg=True)
    problem, z = _inventory_model(p, costs, demand)

    def order(row: np.ndarray) -> float:
        p.value = row
        problem.solve()
        return float(z.value)

    def regret(p_hat: np.ndarray, y: np.ndarray) -> np.ndarray:
        chosen, best = (np.array([order(row) for row in rows]) for rows in (p_hat, y))
        return cost_by_numpy(chosen, y, costs, demand) - cost_by_numpy(best, y, costs, demand)

    return regret


def _inventory_model(p: Any, costs: Costs, demand: np.ndarray) -> tuple[Any, Any]:
    import cvxpy as cp

    c0, q0, cb, qb, ch, qh = costs
    z = cp.Variable(nonneg=True)
    short, over = cp.pos(demand - z), cp.pos(z - demand)
    stage = cb * short + qb / 2 * cp.square(short) + ch * over + qh / 2 * cp.square(over)
    return cp.Problem(cp.Minimize(c0 * z + q0 / 2 * cp.square(z) + p @ stage)), z
