"""What the kernels are measured against: plain code and general solvers, each as its users would write it.

Nothing here imports our kernels. A function whose solver is an optional package imports it when called.
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import torch
from torch import Tensor

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


def clicks(z: Tensor, ctr: Tensor) -> Tensor:
    """Return Σ_u [1 − Π_w (1 − z_w Y_wu)] of z (..., W), ctr (..., W, U)."""
    return (1 - (1 - z[..., None] * ctr).prod(-2)).sum(-1)


def subset_by_enumeration(ctr: np.ndarray, size: int) -> np.ndarray:
    """Return the largest clicks (n,) over all subsets of ctr (n, W, U)."""
    values = [
        (1 - (1 - ctr[:, subset]).prod(1)).sum(-1) for subset in combinations(range(ctr.shape[1]), size)
    ]
    return np.max(values, axis=0)


def relax_by_torch(ctr: Tensor, size: int, steps: int = 100) -> Tensor:
    """Return z (..., W) by projected gradient through autograd, as code published for this problem does.

    Args:
        ctr: click rates (..., W, U).
        size: the sum of z.
        steps: how many gradient steps.
    """
    z = torch.full(ctr.shape[:-1], size / ctr.shape[-2], dtype=ctr.dtype, requires_grad=True)
    optimizer = torch.optim.SGD([z], lr=0.1, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        (-clicks(z, ctr).sum()).backward()
        optimizer.step()
        with torch.no_grad():
            z.copy_(_project(z, size))
    return z.detach()


def _project(z: Tensor, total: float) -> Tensor:
    """Return the nearest point of {0 ≤ z ≤ 1, Σz = total}: where the filling of sorted corners reaches it."""
    corners = torch.cat([-z, 1 - z], -1).sort(-1).values
    filled = (z[..., None, :] + corners[..., None]).clamp(0, 1).sum(-1)
    after = (filled < total).sum(-1, keepdim=True).clamp(1, corners.shape[-1] - 1)
    x0, x1 = corners.gather(-1, after - 1), corners.gather(-1, after)
    y0, y1 = filled.gather(-1, after - 1), filled.gather(-1, after)
    shift = x0 + (total - y0) * (x1 - x0) / (y1 - y0).clamp_min(1e-12)
    return (z + shift).clamp(0, 1)


def portfolio_by_cvxpy(y: np.ndarray, sigma: np.ndarray, risk_aversion: float, solver: str) -> np.ndarray:
    """Return the weights for predictions y (G, K, N): one cvxpy model for each of sigma (G, N, N).

    Args:
        y: predicted returns (G, K, N).
        sigma: risk (G, N, N).
        risk_aversion: γ.
        solver: the solver's name in cvxpy.
    """
    import cvxpy as cp

    out = np.empty(y.shape)
    for group, matrix in enumerate(sigma):
        a, returns = cp.Variable(y.shape[-1]), cp.Parameter(y.shape[-1])
        risk = cp.quad_form(a, cp.psd_wrap(matrix))
        problem = cp.Problem(
            cp.Maximize(returns @ a - risk_aversion * risk), [cp.sum(a) == 1, a >= 0, a <= 1]
        )
        for k, row in enumerate(y[group]):
            returns.value = row
            problem.solve(solver=solver)
            out[group, k] = a.value
    return out


def portfolio_layer(n: int, risk_aversion: float) -> Callable[[Tensor, Tensor], Tensor]:
    """Return a cvxpylayers layer from y (K, N) and square roots of Σ (K, N, N) to weights (K, N)."""
    import cvxpy as cp
    from cvxpylayers.torch import CvxpyLayer

    a, returns, root = cp.Variable(n), cp.Parameter(n), cp.Parameter((n, n))
    objective = cp.Maximize(returns @ a - risk_aversion * cp.sum_squares(root @ a))
    problem = cp.Problem(objective, [cp.sum(a) == 1, a >= 0, a <= 1])
    layer = CvxpyLayer(problem, parameters=[returns, root], variables=[a])
    return lambda y, roots: layer(y, roots)[0]


def portfolio_by_qpth(y: Tensor, sigma: Tensor, risk_aversion: float) -> Tensor:
    """Return the weights for y (K, N) and sigma (K, N, N) by qpth's interior-point method.

    Args:
        y: predicted returns (K, N).
        sigma: risk (K, N, N).
        risk_aversion: γ.
    """
    from qpth.qp import QPFunction

    n, eye = y.shape[-1], torch.eye(y.shape[-1], dtype=y.dtype)
    inequalities, bounds = torch.cat([-eye, eye]), torch.cat([y.new_zeros(n), y.new_ones(n)])
    ones, one = y.new_ones(1, n), y.new_ones(1)
    return QPFunction(verbose=-1)(2 * risk_aversion * sigma, -y, inequalities, bounds, ones, one)


def kkt_residual(a: np.ndarray, y: np.ndarray, sigma: np.ndarray, risk_aversion: float) -> float:
    """Return the largest violation of optimality among weights a (..., N), y (..., N), sigma (..., N, N).

    Args:
        a: weights (..., N).
        y: returns (..., N).
        sigma: risk (..., N, N).
        risk_aversion: γ.
    """
    gradient = 2 * risk_aversion * (sigma @ a[..., None])[..., 0] - y
    reduced = gradient - (gradient * a).sum(-1, keepdims=True)
    violations = [abs(a.sum(-1) - 1)[..., None], np.maximum(-a, 0), np.maximum(-reduced, 0), abs(a * reduced)]
    return max(float(v.max()) for v in violations)


def gradient_on_support(a: np.ndarray, y: np.ndarray, sigma: np.ndarray, risk_aversion: float) -> np.ndarray:
    """Return ∂(risk-adjusted return under y of a(ŷ)) / ∂ŷ (n, N) at the optima a (n, N), support held.

    Args:
        a: optimal weights (n, N) for the predictions.
        y: true returns (n, N).
        sigma: risk (n, N, N).
        risk_aversion: γ.
    """
    out = np.zeros(a.shape)
    for i in range(len(a)):
        s = np.flatnonzero(a[i] > 1e-8)
        inverse = np.linalg.inv(2 * risk_aversion * sigma[i][np.ix_(s, s)])
        jacobian = inverse - np.outer(inverse.sum(1), inverse.sum(0)) / inverse.sum()
        out[i, s] = jacobian.T @ (y[i] - 2 * risk_aversion * sigma[i] @ a[i])[s]
    return out
