"""Measure what one fit of every method costs: ``python -m dfl_bench.studies.fit_times``.

Processor time, not time on the wall: other work on the machine counts less. Each method fits once to compile
and once for the figure, on a seed that no score uses; the dearest come first.
"""

import argparse
import time
from typing import Any

import torch

from .. import methods
from ..contracts.bank import BankCache
from ..contracts.problem import Problem
from ..contracts.seeding import FIRST_TUNING_SEED
from ..contracts.settings import names_of
from ..experiment.protocols import configure
from ..experiment.selection import parse_settings
from ..problems import make_problem
from ..run.evaluate import evaluate_batch

_SHORT = 2  # steps of the fit that compiles; enough to enter every phase


def seconds_of_fit(name: str, problem: Problem, **settings: Any) -> float:
    """Return the processor seconds of one whole fit and its score, published settings.

    Args:
        name: the method.
        problem: what it is trained for.
        **settings: of the method, in place of the published ones.
    """
    method = methods.get(name)
    seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + 1)
    start = time.process_time()
    config = configure(method, problem, "paper", settings)
    # A cache of its own: a method pays for its samples itself, whoever was measured before.
    evaluate_batch(method(config), problem, seeds, cache=BankCache())
    return time.process_time() - start


def main() -> None:
    """Print a row for each method that takes longer than `--above`, the dearest first."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problem", default="shortest-path")
    parser.add_argument("--problem-set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--method", action="append", help="one of them; all that apply if not given")
    parser.add_argument("--leave-out", action="append", default=[])
    parser.add_argument("--above", type=float, default=0.0, help="show those that take more seconds")
    options = parser.parse_args()
    torch.set_num_threads(1)
    problem = make_problem(options.problem, **parse_settings(options.problem_set, "--problem-set"))
    found = {}
    for name in options.method or methods.names():
        method = methods.get(name)
        if name in options.leave_out or method.refuses(problem):
            continue
        short = {"steps": _SHORT} if "steps" in names_of(method.Config) else {}
        seconds_of_fit(name, problem, **short)
        found[name] = seconds_of_fit(name, problem)
    print("| method | processor seconds of one fit |\n|---|---|")
    for name, seconds in sorted(found.items(), key=lambda item: -item[1]):
        if seconds > options.above:
            print(f"| {name} | {seconds:.1f} |")


if __name__ == "__main__":
    main()
