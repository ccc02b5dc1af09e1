"""How to divide money among stocks: maximise yᵀa − γ aᵀΣa over the simplex Σa = 1, 0 ≤ a ≤ 1, in batches.

Every function takes NumPy arrays or torch tensors, broadcasts leading dimensions, computes in float64 and
gives back the kind, device and precision of its inputs. Where sigma lacks a leading dimension of y, or has
size one there, the predictions along it share one set-up; sigma is never repeated.
"""

from typing import Any

import numpy as np

from .._shared.arrays import Array, giver, is_tensor, require_finite, to_numpy, wants_torch
from ..deferred import require
from . import active_set, inputs
from .layout import Fold, check_shapes
from .solvers import SOLVERS, solve_arrays, vertex
from .status import require_status

__all__ = [
    "SOLVERS",
    "SUPPORT",
    "cost",
    "derivative",
    "derivative_vjp",
    "kkt_residual",
    "regret",
    "solve",
    "worst",
]

SUPPORT = 1e-10
"""A weight above this is in the support; a smaller one is what rounding leaves of a zero."""


def solve(
    y: Array,
    sigma: Array,
    risk_aversion: float = 0.1,
    *,
    solver: str = "osqp",
    max_iter: int | None = None,
    threads: int = 1,
) -> Array:
    """Return the weights that maximise yᵀa − γ aᵀΣa on the simplex.

    Every call starts cold, and an unsolved row raises `SolverError`. Where Σ is singular and OSQP makes no
    progress, the exact active set solves the row; its answer must pass the same test of the KKT residual. Off
    the CPU both names run the batched torch solver. Differentiable with respect to y where y requires a
    gradient.

    Args:
        y: Returns, (..., N).
        sigma: Symmetric positive semi-definite risk, (..., N, N).
        risk_aversion: γ, 0 or from 1e-290 to 1e290; at 0 the whole weight goes to the best stock, the first
            among equals.
        solver: "osqp", or the exact "active-set", about a hundred times faster.
        max_iter: Limit of ADMM iterations or pivots per QP; None for a generous one.
        threads: How many matrices of sigma to solve at the same time; the result does not depend on it.

    Returns:
        Weights, (..., N).

    Raises:
        SolverError: a row was not solved. The message names the rows.
    """
    if solver not in SOLVERS:
        raise ValueError(f"unknown solver {solver!r} for the portfolio; choose one of {', '.join(SOLVERS)}.")
    inputs.check_risk_aversion(risk_aversion)
    if is_tensor(sigma) and sigma.requires_grad:  # type: ignore[union-attr]
        raise ValueError("solve has a derivative with respect to y only; pass sigma.detach().")
    if is_tensor(y) and y.requires_grad:  # type: ignore[union-attr]
        from . import tensors

        def forward(y: Array) -> Array:
            return solve(y, sigma, risk_aversion, solver=solver, max_iter=max_iter, threads=threads)

        return tensors.Differentiable.apply(
            y, forward, lambda a, grad: derivative_vjp(a, sigma, grad, risk_aversion)
        )
    fold = Fold(sigma, y)
    if wants_torch(y, sigma):
        from . import tensors

        returns, matrices = fold.tensors("y")
        weights, status = tensors.solve(returns, matrices, risk_aversion, fold.tolerance)
        _require_scale(matrices, risk_aversion)
        solved = (status == active_set.SOLVED).all()
        require(solved, lambda: require_status(fold, status.cpu().numpy()))
        return fold.give(weights)
    return fold.give(solve_arrays(fold, risk_aversion, solver, max_iter, threads))


def cost(a: Array, y: Array, sigma: Array, risk_aversion: float = 0.1) -> Array:
    """Return −yᵀa + γ aᵀΣa; lower is better.

    Args:
        a: Weights, (..., N).
        y: Returns, (..., N).
        sigma: Risk, (..., N, N).
        risk_aversion: γ, as in `solve`.

    Returns:
        Costs of the broadcast leading shape.
    """
    inputs.check_risk_aversion(risk_aversion)
    fold = Fold(sigma, a, y)
    if wants_torch(a, y, sigma):
        from . import tensors

        weights, returns, matrices = fold.tensors("a", "y")
        return fold.give(tensors.cost(weights, returns, matrices, risk_aversion), scalar=True)
    weights, returns, matrices = fold.arrays("a", "y")
    out = np.empty(weights.shape[:2])
    active_set.cost(weights, returns, matrices, risk_aversion, out)
    return fold.give(out, scalar=True)


def regret(
    y_hat: Array,
    y: Array,
    sigma: Array,
    risk_aversion: float = 0.1,
    *,
    solver: str = "osqp",
    max_iter: int | None = None,
    threads: int = 1,
) -> Array:
    """Return how much more it costs under y to decide by y_hat instead of by y.

    Args:
        y_hat: Predicted returns, (..., N).
        y: True returns, (..., N).
        sigma: Risk, (..., N, N).
        risk_aversion: γ, as in `solve`.
        solver: As in `solve`.
        max_iter: As in `solve`.
        threads: As in `solve`.

    Returns:
        Regrets of the broadcast leading shape.
    """
    chosen, best = (
        solve(r, sigma, risk_aversion, solver=solver, max_iter=max_iter, threads=threads) for r in (y_hat, y)
    )
    return cost(chosen, y, sigma, risk_aversion) - cost(best, y, sigma, risk_aversion)


def worst(y: Array) -> Array:
    """Put the whole weight on the stock of lowest return, the first among equals: (..., N) -> (..., N)."""
    if wants_torch(y):
        import torch

        lowest = y.detach().argmin(-1, keepdim=True)  # type: ignore[union-attr]
        dtype = y.dtype if y.dtype == torch.float32 else torch.float64
        return torch.zeros_like(y, dtype=dtype, requires_grad=False).scatter_(-1, lowest, 1.0)  # type: ignore[arg-type]
    returns = to_numpy(y, "y")
    require_finite(returns, "y")
    return giver(y)(vertex(returns, returns.argmin(-1)))


def kkt_residual(a: Array, y: Array, sigma: Array, risk_aversion: float = 0.1) -> Array:
    """Return the largest violation of optimality.

    It is the maximum of |Σa − 1|, weights outside [0, 1], reduced costs below zero and
    |weight · reduced cost|, where the reduced cost is the gradient of the cost less its average under a.

    Args:
        a: Weights, (..., N).
        y: Returns, (..., N).
        sigma: Risk, (..., N, N).
        risk_aversion: γ, as in `solve`.

    Returns:
        Violations of the broadcast leading shape.
    """
    inputs.check_risk_aversion(risk_aversion)
    fold = Fold(sigma, a, y)
    if wants_torch(a, y, sigma):
        from . import tensors

        weights, returns, matrices = fold.tensors("a", "y")
        return fold.give(tensors.kkt_residual(weights, returns, matrices, risk_aversion), scalar=True)
    weights, returns, matrices = fold.arrays("a", "y")
    out = np.empty(weights.shape[:2])
    active_set.kkt_residual(weights, returns, matrices, risk_aversion, out)
    return fold.give(out, scalar=True)


def derivative_vjp(a: Array, sigma: Array, grad: Array, risk_aversion: float = 0.1) -> Array:
    """Return Jᵀgrad, where J = ∂a/∂y at the optimum a with its support held fixed.

    On the support, with M = 2γΣ there, J = M⁻¹ − M⁻¹11ᵀM⁻¹ / (1ᵀM⁻¹1); elsewhere, and at γ = 0, it is zero.

    Args:
        a: Optimal weights, (..., N).
        sigma: Risk, (..., N, N).
        grad: What to multiply by, (..., N).
        risk_aversion: γ, as in `solve`.

    Returns:
        Products, (..., N).
    """
    inputs.check_risk_aversion(risk_aversion)
    fold = Fold(sigma, a, grad)
    if wants_torch(a, sigma, grad):
        from . import tensors

        weights, gradients, matrices = fold.tensors("a", "grad")
        _require_scale(matrices, risk_aversion)
        return fold.give(tensors.derivative_vjp(weights, gradients, matrices, risk_aversion, SUPPORT))
    weights, gradients, matrices = fold.arrays("a", "grad")
    inputs.check_scale(matrices, risk_aversion)
    out = np.empty(weights.shape)
    active_set.derivative_vjp(weights, matrices, gradients, risk_aversion, SUPPORT, out)
    return fold.give(out)


def derivative(a: Array, sigma: Array, risk_aversion: float = 0.1) -> Array:
    """Return the Jacobian ∂a/∂y at the optimum a with its support held fixed.

    Args:
        a: Optimal weights, (..., N).
        sigma: Risk, (..., N, N).
        risk_aversion: γ, as in `solve`.

    Returns:
        Jacobians, (..., N, N).
    """
    check_shapes(sigma, a)
    if is_tensor(a):
        import torch

        identity: Array = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)  # type: ignore[arg-type]
    else:
        identity = np.eye(a.shape[-1], dtype=np.asarray(a).dtype)
    return derivative_vjp(a[..., None, :], sigma[..., None, :, :], identity, risk_aversion)


def _require_scale(matrices: Any, risk_aversion: float) -> None:
    """Do what `inputs.check_scale` does, without reading a value on the host where all is well."""
    if risk_aversion == 0.0:
        return
    from . import tensors

    in_range = tensors.is_in_range(matrices, risk_aversion, inputs.SMALLEST, inputs.LARGEST)
    require(in_range, lambda: inputs.check_scale(matrices.detach().cpu().numpy(), risk_aversion))
