"""The portfolio by general solvers, and how far an answer is from optimal."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor


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


def portfolio_by_moreau(n: int, batch: int, risk_aversion: float) -> Callable[[Tensor, Tensor], Tensor]:
    """Return a function from y (batch, N) and Σ (N, N), or a Σ for each (batch, N, N), to weights (batch, N).

    Moreau solves min ½ xᵀPx + qᵀx with Ax + s = b, and differentiates. Its active set is both exact and the
    faster of its two methods here; that no weight exceeds one follows from the other constraints.

    Args:
        n: N, how many stocks.
        batch: how many predictions per call.
        risk_aversion: γ.
    """
    import moreau
    from moreau.torch import Solver

    each, dense = torch.arange(n), n * n
    solver = Solver(
        n=n,
        m=1 + n,
        P_row_offsets=torch.arange(0, dense + 1, n),
        P_col_indices=each.repeat(n),
        A_row_offsets=torch.cat([torch.zeros(1, dtype=torch.int64), torch.arange(n, 2 * n + 1)]),
        A_col_indices=torch.cat([each, each]),
        cones=moreau.Cones(num_zero_cones=1, num_nonneg_cones=n),
        settings=moreau.Settings(solver="active_set", device="cpu", batch_size=batch),
    )
    rows = torch.cat([torch.ones(n), -torch.ones(n)]).double()  # Σ a = 1, then −a + s = 0
    bounds = torch.cat([torch.ones(1), torch.zeros(n)]).double().expand(batch, 1 + n)

    def solve(y: Tensor, sigma: Tensor) -> Tensor:
        quadratic = 2 * risk_aversion * sigma.flatten(-2)
        return solver.solve(quadratic, rows.expand(*sigma.shape[:-2], 2 * n), -y, bounds).x

    return solve
