"""A slow solver is asked once for each instance, by several processes; the ledger counts its calls."""

import os

import numpy as np
import pytest

import dfl_bench
from dfl_bench.contracts.meter import Meter
from dfl_bench.errors import DflBenchError
from dfl_bench.problems._own_solver import KeptSolver
from tests.support.own import choice, rows


def test_solutions_are_kept_by_content():
    asked = []

    def solve(y, context, numbers):
        asked.extend(y[:, 0])
        return y * context["factor"][:, None]

    solver = KeptSolver(solve, workers=1)
    y, factor = np.array([[1.0], [2.0], [1.0], [1.0]]), {"factor": np.array([1.0, 1.0, 1.0, 2.0])}
    np.testing.assert_array_equal(solver(y, factor), [[1.0], [2.0], [1.0], [2.0]])
    assert asked == [1.0, 2.0, 1.0] and solver.calls == 3
    solver(y[::-1], {"factor": factor["factor"][::-1]})
    assert solver.calls == 3


def test_a_known_solution_counts_once_in_every_fit():
    solver = KeptSolver(lambda y, context, numbers: y, workers=1)
    first, second = Meter(), Meter()
    y = np.arange(6.0)[:, None]
    for _ in range(3):
        solver(y, {}, first)
    solver(y[:4], {}, second)
    assert (first.calls, second.calls, solver.calls) == (6, 4, 6)
    assert first.saved_seconds == 0.0 < second.saved_seconds


def test_the_ledger_counts_what_the_solver_was_asked():
    calls = []

    def decide(costs):
        calls.append(1)
        return (costs == costs.min()) * 1.0

    problem = choice(decide=decide)
    calls.clear()
    before = problem.solver_calls
    cold = dfl_bench.evaluate("dpo", problem, seed=1000, steps=4, batch=6, validate_every=2)
    assert problem.solver_calls - before == len(calls)
    outcomes = len(problem.data(1000).train) + len(problem.data(1000).val)
    # Outcomes were solved when the problem was made, and count in the fit all the same; test rows do not.
    asked = sum(cold.ledger.solves.values())
    assert asked == len(calls) - len(problem.data(1000).test) + outcomes
    warm = dfl_bench.evaluate("dpo", problem, seed=1000, steps=4, batch=6, validate_every=2)
    assert warm.ledger.solves == cold.ledger.solves and len(calls) == problem.solver_calls - before


def in_which_process(y):
    return np.array([y[0], float(os.getpid())])


@pytest.mark.slow
def test_processes_share_the_rows():
    x, _ = rows()
    where = lambda y: np.array([y, float(os.getpid())])  # noqa: E731  (a closure can be sent, too)
    problem = dfl_bench.problem(
        x,
        x[:, 0],
        decide=where,
        cost=lambda z, y: abs(z[0] - y),
        vectorized=False,
        workers=2,
        worst=lambda y: np.zeros(2),
    )
    z = problem.decide(x[:, :1], {})
    np.testing.assert_array_equal(z[:, 0], x[:, 0])
    assert len(set(z[:, 1])) == 2 and os.getpid() not in z[:, 1]


@pytest.mark.slow
def test_an_error_in_a_process_names_the_row():
    x, _ = rows()

    def decide(y):
        if y == x[11, 0]:
            raise RuntimeError("solver lost")
        return y

    with pytest.raises(DflBenchError, match=r"decide raised RuntimeError for row 11 .*: solver lost"):
        dfl_bench.problem(
            x, x[:, 0], decide=decide, cost=lambda z, y: abs(z - y), vectorized=False, workers=2
        )


def test_a_solver_that_cannot_travel_is_named():
    import threading

    lock = threading.Lock()

    def decide(costs):
        with lock:
            return costs

    with pytest.raises(
        ValueError, match=r"workers=2: the solver cannot be sent to another process .* or pass workers=1"
    ):
        choice(decide=decide, workers=2, linear=False)
