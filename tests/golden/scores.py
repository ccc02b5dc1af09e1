"""What a few steps of every method score on every kind of problem, by name and version.

After a change that is meant to change scores, raise the version of the method or problem and save anew:
``python -m tests.golden.scores``.
"""

import json
from pathlib import Path

from dfl_bench import methods
from dfl_bench.contracts.method import Reference
from dfl_bench.run.evaluate import evaluate_seed
from tests.support.small import OFFLINE, short_method, small_problem

FILE = Path(__file__).with_name("scores.json")
PAIRS = [
    (method, problem)
    for problem in OFFLINE
    for method in methods.names()
    if methods.get(method).not_applicable(small_problem(problem)) is None
    and methods.get(method).__module__.startswith("dfl_bench.")
    and type(small_problem(problem)).__module__.startswith("dfl_bench.")
]


def name_of(method, problem):
    """Return the name a score is kept under: it changes with either version."""
    made = small_problem(problem)
    return f"{method} {methods.get(method).version} on {problem} {made.version}"


def score(method, problem):
    """Return the score of seed 1000 after a few steps: the sum says more than the board's ratio."""
    made = small_problem(problem)
    short = (
        methods.get(method)() if issubclass(methods.get(method), Reference) else short_method(method, made)
    )
    result = evaluate_seed(short, made, 1000)
    return [result.normalized_regret, float(abs(result.predictions).sum())]


if __name__ == "__main__":
    FILE.write_text(json.dumps({name_of(*pair): score(*pair) for pair in PAIRS}, indent=1) + "\n")
