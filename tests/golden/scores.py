"""What a few steps of every method score on every kind of problem, by name and version.

After a change that is meant to change scores, raise the version of the method or problem and save anew:
``python -m tests.golden.scores``.
"""

import json
from functools import cache
from pathlib import Path

import pytest

from dfl_bench import methods, problems
from dfl_bench.contracts.method import Reference
from dfl_bench.run.evaluate import evaluate_seed
from tests.support.small import OFFLINE, short_method, small_problem

FILE = Path(__file__).with_name("scores.json")
SEED = 1000
NOISY = {"cvxpylayers"}
"""No two kinds of processors agree on these: gradients that should be zero are last bits there, and Adam
makes whole steps of them (knapsack: 0.593 on one, 0.570 on another). The layer itself is compared with that
of QPTL in tests/kernels/test_polytope_derivative.py."""


def is_kept(method, problem):
    """Whether the score of a pair is kept: both are of this package, and processors agree on it."""
    return method not in NOISY and all(
        registry.get(name).__module__.startswith("dfl_bench.")
        for registry, name in ((methods, method), (problems, problem))
    )


PAIRS = [
    (method, problem)
    for problem in OFFLINE
    for method in methods.names()
    if methods.get(method).not_applicable(small_problem(problem)) is None and is_kept(method, problem)
]


def name_of(method, problem):
    """Return the name a score is kept under: it changes with either version."""
    made = small_problem(problem)
    return f"{method} {methods.get(method).version} on {problem} {made.version}"


def fit(method, problem):
    """Return the result of the seed after a few steps."""
    made, cls = small_problem(problem), methods.get(method)
    return evaluate_seed(cls() if issubclass(cls, Reference) else short_method(method, made), made, SEED)


def score(result):
    """Return what is kept of a result: the sum says more than the board's ratio."""
    return [result.normalized_regret, float(abs(result.predictions).sum())]


@cache
def saved():
    """Return the scores in the file by their names."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def assert_as_saved(method, problem, result):
    """Compare a result of `fit` with what is kept."""
    name = name_of(method, problem)
    assert name in saved(), f"no score of {name}: save it with `python -m tests.golden.scores`"
    # Other processors round differently; a changed method is far away from this.
    assert score(result) == pytest.approx(saved()[name], rel=1e-6, abs=1e-9), (
        f"{name} scores differently: raise the version of what you changed, then save the scores anew"
    )


if __name__ == "__main__":
    FILE.write_text(json.dumps({name_of(*pair): score(fit(*pair)) for pair in PAIRS}, indent=1) + "\n")
