"""What is measured at three sizes, and at a large one: functions from a size to the call that is timed."""

import numpy as np

from benchmarks.inputs import fit
from dfl_bench.problems import make_problem
from dfl_bench.speed.inputs import (
    arc_costs,
    assignment_costs,
    click_rates,
    markets,
    polynomial,
    probabilities,
)
from kernels import budget, inventory, knapsack, matching, portfolio, shortest_path, top_k

CHUNK = 250_000


def inventory_rows(n):
    p, y = probabilities(min(n, CHUNK))

    def run():
        # A stream: one chunk at a time is in memory, whatever the number of rows.
        for start in range(0, n, CHUNK):
            size = min(CHUNK, n - start)
            inventory.regret(p[:size], y[:size])

    return run


def budget_users(n):
    ctr = click_rates(2_000, users=n)
    return lambda: budget.best_subset(ctr)


def budget_websites(n):
    ctr = click_rates(200, websites=n)
    return lambda: budget.best_subset(ctr)


def budget_subsets(instances):
    ctr = click_rates(instances, websites=50)
    return lambda: budget.best_subset(ctr, 5)


def relaxation_websites(n):
    ctr = click_rates(200, websites=n)
    return lambda: budget.relax(ctr)


def portfolio_stocks(n, solver="active-set", instances=8):
    y, sigma = markets(instances, 4, n)
    return lambda: portfolio.solve(y, sigma[:, None], solver=solver)


def portfolio_osqp(n):
    return portfolio_stocks(n, "osqp", 2)


def portfolio_stream(instances, n=400, solver="active-set"):
    """Instances one after the other, their Σ made when needed: 500 of 400 stocks would take 640 MB."""

    def run():
        rng = np.random.default_rng(0)
        for _ in range(instances):
            sigma = np.corrcoef(rng.normal(size=(n, 10))) + 0.1 * np.eye(n)
            portfolio.solve(0.02 * rng.normal(size=n), sigma, solver=solver)

    return run


def portfolio_stream_osqp(instances):
    return portfolio_stream(instances, solver="osqp")


def samples(k):
    y_hat, sigma = markets(50, k)
    return lambda: portfolio.regret(y_hat, y_hat[:, :1], sigma[:, None], solver="active-set")


def path_rows(n):
    costs = arc_costs(n, 5)
    return lambda: shortest_path.best_path(costs, 5, 5)


def path_side(n):
    costs = arc_costs(200, n)
    return lambda: shortest_path.best_path(costs, n, n)


def knapsack_items(n, capacity=None, rows=200):
    rng = np.random.default_rng(0)
    values, weights = rng.gamma(4.0, 80.0, (rows, n)), rng.choice([3.0, 5.0, 7.0], n)
    return lambda: knapsack.best_items(values, weights, capacity or 2.5 * n, method="dynamic")


def knapsack_capacity(n):
    return knapsack_items(384, n)


def knapsack_branch(n):
    values, weights, capacity = polynomial(200, n, 20.0 * n / 32)
    return lambda: knapsack.best_items(values, weights, capacity, method="branch")


def knapsack_relaxed(n):
    values, weights, capacity = polynomial(200, n, 20.0 * n / 32)
    return lambda: knapsack.relaxed(values, weights, capacity)


def matching_size(n):
    costs = assignment_costs(20, n)
    return lambda: matching.best_matching(costs)


def top_k_items(n):
    values = np.random.default_rng(0).normal(size=(2_000, n))
    return lambda: top_k.best(values, 5)


def lcgln_samples(k):
    return _fit("lcgln", 0, samples=k, steps=50, surrogate_steps=200)


def lcgln_instances(n):
    return _fit("lcgln", n, samples=32, steps=50, surrogate_steps=200)


def dfl_instances(n):
    return _fit("dfl", n, steps=50)


def _fit(method, n, **settings):
    problem = make_problem("inventory", **({"n_train": n} if n else {}))
    return lambda: fit(method, problem, [0], **settings)


SERIES = {
    "inventory regret, rows": (inventory_rows, (100_000, 1_000_000, 10_000_000)),
    "budget best subset, users U": (budget_users, (10, 100, 1_000)),
    "budget best subset, websites W (B=2)": (budget_websites, (5, 20, 80)),
    "budget relaxation, websites W": (relaxation_websites, (5, 20, 80)),
    "portfolio active set, stocks N": (portfolio_stocks, (25, 100, 400)),
    "portfolio OSQP, stocks N": (portfolio_osqp, (25, 100, 400)),
    "portfolio labels, samples K": (samples, (8, 32, 128)),
    "portfolio N=400, instances (streamed)": (portfolio_stream, (5, 50, 500)),
    "shortest path 5 × 5, rows": (path_rows, (1_000, 10_000, 100_000)),
    "shortest path, side of the grid": (path_side, (10, 30, 90)),
    "knapsack dynamic, items (capacity 2.5 n)": (knapsack_items, (24, 96, 384)),
    "knapsack dynamic, capacity (384 items)": (knapsack_capacity, (60, 240, 960)),
    "knapsack branch and bound, items (× 2)": (knapsack_branch, (16, 32, 64)),
    "knapsack relaxation, items (× 2)": (knapsack_relaxed, (16, 64, 256)),
    "matching, n": (matching_size, (10, 50, 250)),
    "top-k, items (k=5)": (top_k_items, (50, 500, 5_000)),
    "lcgln on inventory, samples K": (lcgln_samples, (8, 32, 128)),
    "lcgln on inventory, instances": (lcgln_instances, (80, 320, 1_280)),
    "dfl on inventory, instances": (dfl_instances, (80, 320, 1_280)),
}
LARGE = {
    "inventory, 10⁷ rows in chunks": (inventory_rows, 10, 10_000_000),
    "budget W=50, B=5, 200 instances, branch and bound": (budget_subsets, 1, 200),
    "portfolio N=400, 500 instances, active set, streamed": (portfolio_stream, 1, 500),
    "portfolio N=400, 500 instances, OSQP, streamed": (portfolio_stream_osqp, 1, 500),
}
