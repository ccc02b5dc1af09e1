"""Portfolio choice: maximise yᵀa − γ aᵀΣa over the simplex Σa = 1, 0 ≤ a ≤ 1, in exact batches.

Every function takes NumPy arrays or torch tensors, broadcasts leading dimensions, computes in float64 and
gives back the kind, device and precision it was given. Where sigma lacks a leading dimension of y, or has
size one there, the predictions along it share one set-up; sigma is never repeated.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from .._shared.arrays import Array, giver, is_tensor, require_finite, to_numpy, wants_torch
from ..deferred import require
from ..errors import SolverError
from . import active_set as _portfolio
from .layout import Fold, check_shapes

SOLVERS = ("osqp", "active-set")
SUPPORT = 1e-10  # a weight above this is in the support, below it is what rounding leaves of a zero


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

    Every call starts cold, and an unsolved row raises `SolverError`. Where Σ is singular and OSQP stalls, the
    exact active set ends the row; its answer is accepted by the same KKT residual as OSQP's. Off the
    CPU both names run the batched torch solver. Differentiable with respect to y where y requires a gradient.

    Args:
        y: Returns, (..., N).
        sigma: Symmetric positive semi-definite risk, (..., N, N).
        risk_aversion: γ ≥ 0; at 0 the whole weight goes to the best stock, the first among equals.
        solver: "osqp", or the exact "active-set", about a hundred times faster.
        max_iter: Limit of ADMM iterations or pivots a QP; None for one that is generous.
        threads: Matrices of sigma solved at a time; the result does not depend on it.

    Returns:
        Weights, (..., N).
    """
    if solver not in SOLVERS:
        raise ValueError(f"unknown solver {solver!r} for the portfolio; choose one of {', '.join(SOLVERS)}.")
    _check_risk_aversion(risk_aversion)
    if is_tensor(sigma) and sigma.requires_grad:  # type: ignore[union-attr]
        raise ValueError("solve has a derivative with respect to y only; pass sigma.detach().")
    if is_tensor(y) and y.requires_grad:  # type: ignore[union-attr]
        from . import tensors as _portfolio_torch

        def forward(y: Array) -> Array:
            return solve(y, sigma, risk_aversion, solver=solver, max_iter=max_iter, threads=threads)

        return _portfolio_torch.Differentiable.apply(
            y, forward, lambda a, grad: derivative_vjp(a, sigma, grad, risk_aversion)
        )
    fold = Fold(sigma, y)
    if wants_torch(y, sigma):
        from . import tensors as _portfolio_torch

        returns, matrices = fold.tensors()
        weights, status = _portfolio_torch.solve(returns, matrices, risk_aversion, fold.tolerance)
        solved = (status == _portfolio.SOLVED).all()
        require(solved, lambda: _require_status(fold, status.cpu().numpy()))
        return fold.give(weights)
    return fold.give(_solve_arrays(fold, risk_aversion, solver, max_iter, threads))


def cost(a: Array, y: Array, sigma: Array, risk_aversion: float = 0.1) -> Array:
    """Return −yᵀa + γ aᵀΣa, lower is better, for a (..., N), y (..., N), sigma (..., N, N): (...)."""
    _check_risk_aversion(risk_aversion)
    fold = Fold(sigma, a, y)
    if wants_torch(a, y, sigma):
        from . import tensors as _portfolio_torch

        weights, returns, matrices = fold.tensors()
        return fold.give(_portfolio_torch.cost(weights, returns, matrices, risk_aversion), scalar=True)
    weights, returns, matrices = fold.arrays("a", "y")
    out = np.empty(weights.shape[:2])
    _portfolio.cost(weights, returns, matrices, risk_aversion, out)
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
    """Return what deciding on y_hat (..., N) costs beyond deciding on the true y (..., N): (...)."""
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
    return giver(y)(_vertex(returns, returns.argmin(-1)))


def kkt_residual(a: Array, y: Array, sigma: Array, risk_aversion: float = 0.1) -> Array:
    """Return the largest violation of optimality of a (..., N) under y (..., N), sigma (..., N, N): (...).

    The maximum of |Σa − 1|, weights outside [0, 1], reduced costs below zero and |weight · reduced cost|,
    where the reduced cost is the gradient of the cost less its average under a.
    """
    _check_risk_aversion(risk_aversion)
    fold = Fold(sigma, a, y)
    if wants_torch(a, y, sigma):
        from . import tensors as _portfolio_torch

        weights, returns, matrices = fold.tensors()
        return fold.give(
            _portfolio_torch.kkt_residual(weights, returns, matrices, risk_aversion), scalar=True
        )
    weights, returns, matrices = fold.arrays("a", "y")
    out = np.empty(weights.shape[:2])
    _portfolio.kkt_residual(weights, returns, matrices, risk_aversion, out)
    return fold.give(out, scalar=True)


def derivative_vjp(a: Array, sigma: Array, grad: Array, risk_aversion: float = 0.1) -> Array:
    """Return Jᵀgrad, J = ∂a/∂y at the optimum a with its support held: three of (..., N) and (..., N, N).

    On the support, with M = 2γΣ there, J = M⁻¹ − M⁻¹11ᵀM⁻¹ / (1ᵀM⁻¹1); elsewhere, and at γ = 0, it is zero.
    """
    _check_risk_aversion(risk_aversion)
    fold = Fold(sigma, a, grad)
    if wants_torch(a, sigma, grad):
        from . import tensors as _portfolio_torch

        weights, gradients, matrices = fold.tensors()
        return fold.give(
            _portfolio_torch.derivative_vjp(weights, gradients, matrices, risk_aversion, SUPPORT)
        )
    weights, gradients, matrices = fold.arrays("a", "grad")
    out = np.empty(weights.shape)
    _portfolio.derivative_vjp(weights, matrices, gradients, risk_aversion, SUPPORT, out)
    return fold.give(out)


def derivative(a: Array, sigma: Array, risk_aversion: float = 0.1) -> Array:
    """Return the Jacobian ∂a/∂y at the optimum a (..., N) with its support held: (..., N, N)."""
    check_shapes(sigma, a)
    if is_tensor(a):
        import torch

        identity: Array = torch.eye(a.shape[-1], dtype=a.dtype, device=a.device)  # type: ignore[arg-type]
    else:
        identity = np.eye(a.shape[-1], dtype=np.asarray(a).dtype)
    return derivative_vjp(a[..., None, :], sigma[..., None, :, :], identity, risk_aversion)


def _solve_arrays(
    fold: Fold, risk_aversion: float, solver: str, max_iter: int | None, threads: int
) -> np.ndarray:
    """Return the weights (G, K, N) of a checked batch."""
    y, sigma = fold.arrays("y")
    kind = np.empty(len(sigma), dtype=np.int64)
    _portfolio.classify(sigma, fold.tolerance, kind)
    _require_valid(kind)
    if risk_aversion == 0.0:
        return _vertex(y, y.argmax(-1))
    weights, solved = np.empty(y.shape), np.zeros(y.shape[:2], dtype=bool)
    if solver == "osqp":
        from . import with_osqp as _portfolio_osqp

        limit = 4_000 if max_iter is None else max_iter

        def run(part: slice) -> None:
            flat = kind[part] == _portfolio.FLAT
            solved[part] = _portfolio_osqp.solve(
                y[part], sigma[part], risk_aversion, flat, limit, weights[part]
            )
    else:
        limit = 20 * y.shape[-1] + 100 if max_iter is None else max_iter

        def run(part: slice) -> None:
            _portfolio.solve(y[part], sigma[part], risk_aversion, limit, weights[part], solved[part])

    _in_threads(run, len(y), threads)
    _require_solved(fold.rows(solved), f"{solver} did not reach optimality within max_iter={limit}")
    return weights


def _vertex(y: np.ndarray, stock: np.ndarray) -> np.ndarray:
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


def _check_risk_aversion(risk_aversion: float) -> None:
    if not 0.0 <= risk_aversion < math.inf:
        raise ValueError(f"expected a finite risk_aversion of at least 0, got {risk_aversion}.")


def _require_valid(kind: np.ndarray) -> None:
    """Raise when a matrix is classified as not symmetric or not positive semi-definite."""
    for code, wanted, cure in (
        (_portfolio.ASYMMETRIC, "symmetric", "use (sigma + sigma.T) / 2"),
        (_portfolio.INDEFINITE, "positive semi-definite", "add a multiple of the identity"),
    ):
        if (bad := kind == code).any():
            raise ValueError(
                f"expected a {wanted} sigma, got {int(bad.sum())} of {bad.size} matrices that are not "
                f"(first: matrix {int(bad.argmax())}); {cure}."
            )


def _require_status(fold: Fold, status: np.ndarray) -> None:
    """Raise what the status (G, K) of the torch solver says."""
    if (status == _portfolio.NOT_FINITE).any():
        rows = np.argwhere(fold.rows(status) == _portfolio.NOT_FINITE)
        raise ValueError(
            f"expected finite y and sigma, got a NaN or an infinity in {len(rows)} of {status.size} rows "
            f"(first: row {tuple(rows[0].tolist())}); clean or clip them first."
        )
    if status.size:
        _require_valid(status[:, 0])
    _require_solved(fold.rows(status != _portfolio.UNSOLVED), "the torch solver ended at a non-optimal point")


def _require_solved(solved: np.ndarray, reason: str) -> None:
    if solved.all():
        return
    rows = [tuple(int(i) for i in index) for index in np.argwhere(~solved)]
    raise SolverError(
        f"{reason} on {len(rows)} of {solved.size} QPs (rows {', '.join(map(str, rows[:5]))}"
        f"{', …' if len(rows) > 5 else ''}); raise max_iter or use solver='active-set'."
    )
