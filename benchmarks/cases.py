"""Pairs of a fast and a plain way to the same answer, for the ratio tests and for asv."""

import numpy as np
import torch

import lcgln
from dfl_bench.speed import inputs
from dfl_bench.speed.contests.portfolio import RISK_AVERSION
from dfl_bench.speed.race import Contestant, race
from dfl_bench.speed.references import budget as plain_budget
from dfl_bench.speed.references import inventory as plain_inventory
from dfl_bench.speed.references import knapsack as plain_knapsack
from dfl_bench.speed.references import matching as plain_matching
from dfl_bench.speed.references import portfolio as plain_portfolio
from dfl_bench.speed.references import shortest_path as plain_paths
from kernels import budget, inventory, knapsack, matching, portfolio, shortest_path, top_k

CASES = {}


def case(make):
    """List a function that returns the two contestants."""
    CASES[make.__name__] = make
    return make


def pair(ours, reference, *, units=(1, 1)):
    """Return the two contestants of a case."""
    return (
        Contestant(name="ours", run=ours, units=units[0]),
        Contestant(name="reference", run=reference, units=units[1]),
    )


@case
def inventory_regret():
    p, y = inputs.probabilities(100_000)
    costs, demand = inventory.COSTS, np.array(inventory.DEMAND)
    return pair(lambda: inventory.regret(p, y), lambda: plain_inventory.regret_by_numpy(p, y, costs, demand))


@case
def budget_exact():
    ctr = torch.from_numpy(inputs.click_rates(5_000))
    return pair(lambda: budget.best_subset(ctr), lambda: plain_budget.relax_by_torch(ctr, 2))


@case
def budget_relaxation():
    ctr = torch.from_numpy(inputs.click_rates(500))
    return pair(lambda: budget.relax(ctr), lambda: plain_budget.relax_by_torch(ctr, 2))


@case
def portfolio_osqp():
    return _portfolio("osqp", 4)


@case
def portfolio_active_set():
    return _portfolio("active-set", 32)


def _portfolio(solver, groups):
    y, sigma = inputs.markets(32, 32)
    return pair(
        lambda: portfolio.solve(y[:groups], sigma[:groups, None], RISK_AVERSION, solver=solver),
        lambda: plain_portfolio.portfolio_by_cvxpy(y[:1], sigma[:1], RISK_AVERSION, "OSQP"),
        units=(32 * groups, 32),
    )


@case
def portfolio_gradient():
    y, sigma = inputs.markets(100, 1)
    a = portfolio.solve(y[:, 0], sigma, RISK_AVERSION, solver="active-set")
    return pair(
        lambda: portfolio.derivative_vjp(a, sigma, y[:, 0], RISK_AVERSION),
        lambda: plain_portfolio.gradient_on_support(a, y[:, 0], sigma, RISK_AVERSION),
    )


@case
def shortest_path_5():
    costs, columns = inputs.arc_costs(100_000, 5), plain_paths.all_paths(5, shortest_path.arcs(5, 5))
    return pair(lambda: shortest_path.best_path(costs, 5, 5), lambda: (costs @ columns).argmin(-1))


@case
def shortest_path_30():
    costs = inputs.arc_costs(2_000, 30)
    graphs = plain_paths.ready_graphs(costs[:50], shortest_path.arcs(30, 30))
    return pair(
        lambda: shortest_path.best_path(costs, 30, 30),
        lambda: plain_paths.optima_by_dijkstra(graphs),
        units=(2_000, 50),
    )


@case
def knapsack_branch():
    return _knapsack(*inputs.polynomial(2_000))


@case
def knapsack_dynamic():
    return _knapsack(*inputs.electricity(2_000))


def _knapsack(values, weights, capacity):
    return pair(
        lambda: knapsack.best_items(values, weights, capacity),
        lambda: plain_knapsack.values_by_milp(values[:10], weights, capacity),
        units=(2_000, 10),
    )


@case
def matching_10():
    return _matching(inputs.assignment_costs(2_000, 10))


@case
def matching_50():
    return _matching(inputs.assignment_costs(200, 50))


def _matching(costs):
    return pair(lambda: matching.best_matching(costs), lambda: plain_matching.assign_by_scipy(costs))


@case
def top_k_of_50():
    values = np.random.default_rng(0).normal(size=(100_000, 50))

    def by_numpy():
        chosen = np.zeros_like(values)
        np.put_along_axis(chosen, np.argpartition(-values, 5, axis=-1)[:, :5], 1.0, axis=-1)
        return chosen

    return pair(lambda: top_k.best(values, 5), by_numpy)


@case
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


def ratio(ours, reference, repeats=5):
    """Return how many times slower the reference is, both measured in turn."""
    return race("", "", "", [ours, reference], repeats)[1].ratio
