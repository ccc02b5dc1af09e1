"""The comparisons: which kernel, at which size, against whom, and what it must reach."""

from collections.abc import Callable, Iterator

import numpy as np
import torch

from kernels import budget, inventory, portfolio

from . import references
from .race import Contestant, Line, race

RISK_AVERSION = 0.1
CVXPYLAYERS, CLARABEL, QPTH = ("cvxpylayers",), ("clarabel",), ("qpth",)


def contests(quick: bool) -> Iterator[list[Line]]:
    """Yield the lines of one comparison after the other; `quick` repeats each less often."""
    torch.set_num_threads(1)
    repeats = 5 if quick else 15
    yield _inventory(repeats)
    yield _budget(repeats)
    yield from _portfolio(repeats)
    yield _step(repeats)


def _inventory(repeats: int) -> list[Line]:
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(5), 100_000), np.eye(5)[rng.integers(0, 5, 100_000)]
    costs, demand = inventory.COSTS, np.array(inventory.DEMAND)
    few = (p[:5], y[:5])
    truth = references.regret_by_bisection(p, y, costs, demand)
    scale = truth.mean()
    # Buffers that exist already: fresh pages would make the copy look several times slower.
    copies = [np.empty_like(p), np.empty_like(y), np.empty_like(truth)]

    def copy() -> None:
        for target, source in zip(copies, (p, y, truth), strict=True):
            np.copyto(target, source)

    def error(regret: np.ndarray) -> float:
        return float(abs(regret - truth[: len(regret)]).max() / scale)

    parametrized = references.parametrized_cvxpy(costs, demand)
    return race(
        "inventory: decide + regret, 100,000 rows",
        "row",
        Contestant(name="ours", run=lambda: inventory.regret(p, y), units=len(p), error=error),
        [
            Contestant(
                name="cvxpy, a model a row",
                run=lambda: references.regret_by_cvxpy(*few, costs, demand),
                units=5,
                error=error,
                at_least=100_000,
            ),
            Contestant(
                name="cvxpy, one parametrized model", run=lambda: parametrized(*few), units=5, error=error
            ),
            Contestant(
                name="vectorised NumPy",
                run=lambda: references.regret_by_numpy(p, y, costs, demand),
                units=len(p),
                error=error,
                at_least=15,
            ),
            Contestant(name="copying inputs and outputs", run=copy, units=len(p), at_most=20),
        ],
        repeats,
    )


def _budget(repeats: int) -> list[Line]:
    rates = np.random.default_rng(0).random((10_000, 5, 10)) * 0.5
    ctr = torch.from_numpy(rates)
    best = references.subset_by_enumeration(rates, 2)

    def error(z: torch.Tensor) -> float:
        value = references.clicks(z, ctr[: len(z)]).numpy()
        return float(((best[: len(z)] - value) / best[: len(z)]).max())

    return race(
        "budget: W=5, B=2, U=10",
        "instance",
        Contestant(name="ours, exact", run=lambda: budget.best_subset(ctr, 2), units=len(ctr), error=error),
        [
            Contestant(
                name="torch, 100 projected steps",
                run=lambda: torch.stack([references.relax_by_torch(row, 2) for row in ctr[:3]]),
                units=3,
                error=error,
                at_least=50_000,
            ),
            Contestant(
                name="the same, 10,000 at a time",
                run=lambda: references.relax_by_torch(ctr, 2),
                units=len(ctr),
                error=error,
            ),
            Contestant(
                name="ours, the same steps in Numba",
                run=lambda: budget.relax(ctr[:1000], 2),
                units=1000,
                error=error,
            ),
        ],
        max(3, repeats // 2),
    )


def markets(groups: int, samples: int, n: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions (G, K, N) and correlations of ten days (G, N, N) with a ridge, as the problem has.

    Returns of two percent a day put about 8 of 50 stocks into a portfolio, as those of the problem do.

    Args:
        groups: G, how many matrices.
        samples: K, how many predictions for each matrix.
        n: N, how many stocks.
    """
    rng = np.random.default_rng(0)
    sigma = np.stack([np.corrcoef(rng.normal(size=(n, 10))) for _ in range(groups)]) + 0.1 * np.eye(n)
    return 0.02 * rng.normal(size=(groups, samples, n)), sigma


def _portfolio(repeats: int) -> Iterator[list[Line]]:
    y, sigma = markets(32, 32)
    one_y, one_sigma = torch.from_numpy(y[0]), torch.from_numpy(sigma[0]).expand(32, 50, 50)
    roots = torch.linalg.cholesky(torch.from_numpy(sigma[0])).mT.expand(32, 50, 50)

    def error(a: np.ndarray | torch.Tensor) -> float:
        weights = np.asarray(a).reshape(-1, 32, 50)
        n = len(weights)
        return references.kkt_residual(weights, y[:n], sigma[:n, None], RISK_AVERSION)

    def ours(solver: str, groups: int) -> Contestant:
        return Contestant(
            name=f"ours, {solver}",
            run=lambda: portfolio.solve(y[:groups], sigma[:groups, None], RISK_AVERSION, solver=solver),
            units=32 * groups,
            error=error,
        )

    def layer(at_least: float) -> Contestant:
        return Contestant(
            name="cvxpylayers, forward",
            run=_late(lambda: references.portfolio_layer(50, RISK_AVERSION), lambda f: f(one_y, roots)),
            units=32,
            error=error,
            at_least=at_least,
            needs=CVXPYLAYERS,
        )

    def cvxpy(solver: str, needs: tuple[str, ...] = ()) -> Contestant:
        return Contestant(
            name=f"cvxpy + {solver}",
            run=lambda: references.portfolio_by_cvxpy(y[:1], sigma[:1], RISK_AVERSION, solver),
            units=32,
            error=error,
            needs=needs,
        )

    qpth = Contestant(
        name="qpth, forward",
        run=lambda: references.portfolio_by_qpth(one_y, one_sigma, RISK_AVERSION),
        units=32,
        error=error,
        needs=QPTH,
    )
    everybody = [cvxpy("OSQP"), cvxpy("CLARABEL", CLARABEL), qpth]
    title = "portfolio: N=50, 32 predictions a Σ"
    repeats = max(3, repeats // 2)
    yield race(f"{title}, OSQP", "QP", ours("osqp", 4), [layer(4), *everybody], repeats)
    yield race(f"{title}, active set", "QP", ours("active-set", 32), [layer(150), *everybody], repeats)


def _late(make: Callable, call: Callable) -> Callable:
    """Return a call whose subject is made the first time, which is not timed."""
    made: list = []

    def run() -> object:
        if not made:
            made.append(make())
        return call(made[0])

    return run


def _step(repeats: int) -> list[Line]:
    """End to end: what a DFL step does between the prediction and its gradient, 32 days with a Σ each."""
    y, sigma = markets(32, 2)
    truth, sigma_ = torch.from_numpy(y[:, 0]), torch.from_numpy(sigma)
    roots = torch.linalg.cholesky(sigma_).mT
    exact = portfolio.solve(y[:, 1], sigma, RISK_AVERSION, solver="active-set")
    expected = -references.gradient_on_support(np.asarray(exact), y[:, 0], sigma, RISK_AVERSION)

    def gradient(decide: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        y_hat = torch.from_numpy(y[:, 1]).clone().requires_grad_()
        a = decide(y_hat)
        risk = (a * (sigma_ @ a[..., None])[..., 0]).sum(-1)
        (RISK_AVERSION * risk - (truth * a).sum(-1)).sum().backward()
        assert y_hat.grad is not None
        return y_hat.grad

    def error(found: torch.Tensor) -> float:
        return float(abs(found.numpy() - expected).max() / abs(expected).max())

    def decide(y_hat: torch.Tensor) -> torch.Tensor:
        return torch.as_tensor(portfolio.solve(y_hat, sigma_, RISK_AVERSION, solver="active-set"))

    return race(
        "portfolio: gradient of the cost through the solver, 32 days",
        "day",
        Contestant(name="ours, active set", run=lambda: gradient(decide), units=32, error=error),
        [
            Contestant(
                name="cvxpylayers, forward and backward",
                run=_late(
                    lambda: references.portfolio_layer(50, RISK_AVERSION),
                    lambda layer: gradient(lambda y_hat: layer(y_hat, roots)),
                ),
                units=32,
                error=error,
                needs=CVXPYLAYERS,
            ),
            Contestant(
                name="qpth, forward and backward",
                run=lambda: gradient(lambda y: references.portfolio_by_qpth(y, sigma_, RISK_AVERSION)),
                units=32,
                error=error,
                needs=QPTH,
            ),
        ],
        max(3, repeats // 2),
    )
