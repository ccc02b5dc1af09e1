"""How cost grows with size: `python -m benchmarks.growth` prints the tables of docs/performance.md.

Times are CPU seconds on one thread, the median of repeated calls. Large cases run in processes of their own,
where memory is what preparing and computing add at their peak to a process that has compiled everything.
"""

import math
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import median

import numpy as np
import torch

from benchmarks.inputs import click_rates, fit, markets, probabilities
from dfl_bench.problems import make_problem
from dfl_bench.speed.memory import with_growth
from dfl_bench.speed.report import duration
from kernels import budget, inventory, portfolio

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


def seconds_of(run, repeats):
    """Return the median CPU seconds of a call after a first one."""
    run()
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        taken.append(time.process_time() - start)
    return median(taken)


def large(name):
    """Return CPU seconds and megabytes of a large case."""
    make, small, size = LARGE[name]
    make(small)()  # compiles
    start = time.process_time()
    _, megabytes = with_growth(lambda: make(size)())
    return time.process_time() - start, megabytes


def exponent(sizes, seconds):
    """Return the slope of log seconds over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def main():
    torch.set_num_threads(1)
    print("| series | sizes | CPU time | exponent |\n|---|---|---|---|")
    for name, (make, sizes) in SERIES.items():
        make(sizes[0])()  # compiles
        seconds = [seconds_of(make(size), 3) for size in sizes]
        shown = ", ".join(f"{size:,}" for size in sizes), ", ".join(map(duration, seconds))
        print(f"| {name} | {shown[0]} | {shown[1]} | {exponent(sizes, seconds):.2f} |", flush=True)
    print("\n| large | CPU time | peak memory added |\n|---|---|---|")
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as fresh:
        for name, (seconds, megabytes) in zip(LARGE, fresh.map(large, LARGE), strict=True):
            print(f"| {name} | {duration(seconds)} | {math.ceil(megabytes)} MB |", flush=True)


if __name__ == "__main__":
    main()
