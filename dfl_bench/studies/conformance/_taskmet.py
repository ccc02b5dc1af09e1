"""TaskMet: its error in a metric, and the derivative of an outer loss through a fully solved inner problem.

The inner problem is a linear regression ŷ = W x + b in the metric, so that θ* is the solution of one linear
system, which NumPy solves anew for every difference.
"""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from ...methods._implicit import hypergradient, solve_normal_equations
from ...methods.taskmet import metric_error
from .check import Check, finite_differences, gradient, relative

ROWS, FEATURES, TARGETS = 12, 2, 3
N_WEIGHTS = (FEATURES + 1) * TARGETS
CASE = f"linear regression, {ROWS} rows, {TARGETS} targets, {N_WEIGHTS} weights"


def checks() -> Iterator[Check]:
    """Yield what TaskMet is compared with."""
    yield from of_the_error(np.random.default_rng(0))
    yield from of_the_hypergradient(np.random.default_rng(1))
    yield of_the_solver(np.random.default_rng(2))


def compared(case: str, against: str, value: float | None, slope: float | None, tolerance: float) -> Check:
    """Return a check of TaskMet.

    Args:
        case: what was computed.
        against: what with.
        value: the error of the value, or None.
        slope: the error of the gradient, or None.
        tolerance: the largest error that is allowed.
    """
    return Check(
        method="taskmet", case=case, against=against,
        value_error=value, gradient_error=slope, tolerance=tolerance,
    )  # fmt: skip


def of_the_error(rng: np.random.Generator) -> Iterator[Check]:
    """Yield the checks of the error in a full and in a diagonal metric."""
    d = torch.from_numpy(rng.standard_normal((ROWS, TARGETS)))
    floor = torch.tensor(-0.3, dtype=torch.float64)
    full = rng.standard_normal((ROWS, TARGETS, TARGETS))
    diagonal = rng.standard_normal((ROWS, TARGETS))
    for kind, factors in (("full", full), ("diagonal", diagonal)):
        case = f"error in a {kind} metric, {ROWS} rows"
        matrices = full if kind == "full" else np.stack([np.diag(row) for row in diagonal])
        slow = np.empty(ROWS)
        for n in range(ROWS):
            metric = matrices[n] @ matrices[n].T + np.exp(-0.3) * np.eye(TARGETS)
            slow[n] = sum(d[n, i] * metric[i, j] * d[n, j] for i in range(TARGETS) for j in range(TARGETS))
        tensor = torch.from_numpy(factors)
        loss = lambda e, L=tensor: metric_error(L, floor, e)  # noqa: E731
        yield compared(case, "definition in loops", relative(loss(d), slow), None, 1e-12)
        slope = relative(gradient(loss, d), finite_differences(loss, d))
        yield compared(case, "finite differences", None, slope, 1e-7)
        zero = relative(loss(torch.zeros_like(d)), np.zeros(ROWS))
        yield compared(case, "zero at the outcome", zero, None, 0.0)


def of_the_hypergradient(rng: np.random.Generator) -> Iterator[Check]:
    """Yield the checks of the derivative with respect to the factors of the metric of every row."""
    x = np.concatenate([rng.standard_normal((ROWS, FEATURES)), np.ones((ROWS, 1))], axis=1)
    y, goal = rng.standard_normal((ROWS, TARGETS)), rng.standard_normal((ROWS, TARGETS))
    factors = rng.standard_normal((2, ROWS, TARGETS, TARGETS))  # of two seeds

    ours = [by_implicit_function(x, y, goal, part) for part in (factors, factors[:1], factors[1:])]
    slow = np.stack([by_differences(x, y, goal, member) for member in factors])
    yield compared(
        CASE, "finite differences of the solved inner problem", None, relative(ours[0], slow), 1e-6
    )
    apart = torch.cat(ours[1:])
    yield compared(CASE, "batch of one", None, relative(ours[0], apart), 1e-8)


def by_implicit_function(x: np.ndarray, y: np.ndarray, goal: np.ndarray, factors: np.ndarray) -> Tensor:
    """Return our gradient (S, rows, D, D) of `outer_loss`, by as many iterations as there are weights.

    Args:
        x: (rows, features + 1).
        y: (rows, D).
        goal: as in `outer_loss`.
        factors: (S, rows, D, D).
    """
    phi = torch.from_numpy(factors).requires_grad_()
    theta = torch.from_numpy(np.stack([solved(x, y, member) for member in factors])).requires_grad_()
    y_hat = torch.from_numpy(x) @ theta
    floor = torch.zeros(len(factors), 1, dtype=torch.float64)
    inner = metric_error(phi, floor, y_hat - torch.from_numpy(y)).mean(-1)
    outer = (y_hat - torch.from_numpy(goal)).pow(4).sum((-1, -2))
    (grad,) = hypergradient([theta], [phi], inner, outer, iterations=3 * N_WEIGHTS, ridge=0.0)
    return grad


def by_differences(x: np.ndarray, y: np.ndarray, goal: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return the same for one seed (rows, D, D), by solving the inner problem twice for every entry.

    Args:
        x: (rows, features + 1).
        y: (rows, D).
        goal: as in `outer_loss`.
        factors: (rows, D, D).
    """
    slope, step = np.empty_like(factors), 1e-5
    for place in np.ndindex(*factors.shape):
        moved = np.zeros_like(factors)
        moved[place] = step
        up, down = (outer_loss(x @ solved(x, y, factors + s * moved), goal) for s in (1.0, -1.0))
        slope[place] = (up - down) / (2 * step)
    return slope


def outer_loss(y_hat: np.ndarray, goal: np.ndarray) -> float:
    """A smooth loss that the inner problem knows nothing of: Σ (ŷ - goal)⁴."""
    return float(((y_hat - goal) ** 4).sum())


def solved(x: np.ndarray, y: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Return the weights (features + 1, D) of the least error in the metric LLᵀ + I of every row.

    Args:
        x: (rows, features + 1).
        y: (rows, D).
        factors: L (rows, D, D).
    """
    matrix, right = np.zeros((N_WEIGHTS, N_WEIGHTS)), np.zeros(N_WEIGHTS)
    for n in range(len(x)):
        metric = factors[n] @ factors[n].T + np.eye(TARGETS)
        matrix += np.kron(np.outer(x[n], x[n]), metric)
        right += np.kron(x[n], metric @ y[n])
    return np.linalg.solve(matrix, right).reshape(-1, TARGETS)


def of_the_solver(rng: np.random.Generator) -> Check:
    """Return the check of conjugate gradients on an indefinite matrix: five iterations solve five rows."""
    half = rng.standard_normal((5, 5))
    matrix, right = half + half.T, rng.standard_normal(5)
    exact = np.linalg.solve(matrix @ matrix + 0.1 * np.eye(5), matrix @ right)
    tensor = torch.from_numpy(matrix)
    ours = solve_normal_equations(
        lambda v: v @ tensor, torch.from_numpy(right)[None], iterations=5, ridge=0.1
    )
    return compared("normal equations, 5 unknowns", "direct solution", relative(ours[0], exact), None, 1e-8)
