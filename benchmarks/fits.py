"""What one fit costs: `python -m benchmarks.fits` prints a table of docs/performance.md, in a few minutes.

One seed, the published settings, K = 32: CPU seconds on one thread from data to scored predictions, solvers
included. The first, untimed fit of every pair is short; it compiles and imports.
"""

import time

import torch

from benchmarks.inputs import METHODS, SHORT, fit
from dfl_bench.problems import make_problem

PROBLEMS = ("inventory", "budget", "portfolio-synthetic")


def seconds_of(method, problem):
    """Return the CPU seconds of one fit."""
    fit(method, problem, [0], **SHORT)
    start = time.process_time()
    fit(method, problem, [0])
    return time.process_time() - start


def main():
    torch.set_num_threads(1)
    problems = [make_problem(name) for name in PROBLEMS]
    print(f"| method | {' | '.join(PROBLEMS)} |\n|---|{'---|' * len(PROBLEMS)}")
    for method in [*METHODS, "lcgln-plus"]:
        shown = [f"{seconds_of(method, problem):.1f}" for problem in problems]
        print(f"| {method} | {' | '.join(shown)} |", flush=True)


if __name__ == "__main__":
    main()
