"""Pairs of a fast and a plain way to the same answer; `python -m tests.benchmarks.cases` saves the ratios."""

import json
from pathlib import Path

import numpy as np
import torch

import lcgln
from dfl_bench.speed import references
from dfl_bench.speed.contests import RISK_AVERSION, markets
from dfl_bench.speed.race import Contestant, race
from kernels import budget, inventory, portfolio

BASELINE = Path(__file__).with_name("baseline.json")


def pair(ours, reference, *, units=(1, 1)):
    """Return the two contestants of a case."""
    return (
        Contestant(name="ours", run=ours, units=units[0]),
        Contestant(name="reference", run=reference, units=units[1]),
    )


def inventory_regret():
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(5), 100_000), np.eye(5)[rng.integers(0, 5, 100_000)]
    costs, demand = inventory.COSTS, np.array(inventory.DEMAND)
    return pair(lambda: inventory.regret(p, y), lambda: references.regret_by_numpy(p, y, costs, demand))


def budget_exact():
    ctr = torch.from_numpy(np.random.default_rng(0).random((5_000, 5, 10)))
    return pair(lambda: budget.best_subset(ctr), lambda: references.relax_by_torch(ctr, 2))


def budget_relaxation():
    ctr = torch.from_numpy(np.random.default_rng(0).random((500, 5, 10)))
    return pair(lambda: budget.relax(ctr), lambda: references.relax_by_torch(ctr, 2))


def portfolio_osqp():
    return _portfolio("osqp", 4)


def portfolio_active_set():
    return _portfolio("active-set", 32)


def _portfolio(solver, groups):
    y, sigma = markets(32, 32)
    return pair(
        lambda: portfolio.solve(y[:groups], sigma[:groups, None], RISK_AVERSION, solver=solver),
        lambda: references.portfolio_by_cvxpy(y[:1], sigma[:1], RISK_AVERSION, "OSQP"),
        units=(32 * groups, 32),
    )


def portfolio_gradient():
    y, sigma = markets(100, 1)
    a = portfolio.solve(y[:, 0], sigma, RISK_AVERSION, solver="active-set")
    return pair(
        lambda: portfolio.derivative_vjp(a, sigma, y[:, 0], RISK_AVERSION),
        lambda: references.gradient_on_support(a, y[:, 0], sigma, RISK_AVERSION),
    )


def seeds_in_one_batch():
    """Ten surrogates fitted as one model, against one after the other."""
    rng = np.random.default_rng(0)
    y = np.eye(5)[rng.integers(0, 5, (10, 80))]
    y_hat = rng.dirichlet(np.ones(5), (10, 8, 80))
    regret = inventory.regret(y_hat, y[:, None])
    config = lcgln.SurrogateConfig(steps=50)
    streams = lambda: [np.random.default_rng(seed) for seed in range(10)]  # noqa: E731
    return pair(
        lambda: lcgln.fit_surrogate(y, y_hat, regret, config=config, rng=streams()),
        lambda: [
            lcgln.fit_surrogate(y[i], y_hat[i], regret[i], config=config, rng=rng)
            for i, rng in enumerate(streams())
        ],
    )


CASES = {
    case.__name__: case
    for case in (
        inventory_regret,
        budget_exact,
        budget_relaxation,
        portfolio_osqp,
        portfolio_active_set,
        portfolio_gradient,
        seeds_in_one_batch,
    )
}


def ratio(ours, reference, repeats=5):
    """Return how many times slower the reference is, both measured in turn."""
    return race("", "", ours, [reference], repeats)[1].ratio


def main():
    torch.set_num_threads(1)
    found = {name: round(ratio(*case()), 2) for name, case in CASES.items()}
    BASELINE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(BASELINE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
