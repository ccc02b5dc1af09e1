"""What a solver does not solve is a failed cell that names rows: nothing is decided in silence."""

import cvxpy as cp
import numpy as np
import pytest

import dfl_bench
from dfl_bench.experiment.plan import cells_of
from dfl_bench.run.trials import run_here
from tests.support.small import short_method, small_problem


def record_of(problem, method, **settings):
    """The record of one cell, made as a run makes it."""
    (cell,) = cells_of(problem, short_method(method, problem, **settings), [1000])
    (record,) = run_here([problem], [cell])
    return record


@pytest.mark.parametrize(
    ("method", "settings", "reason"),
    [
        ("intopt", {"stop": 1e-200}, "SolverError: the interior-point path did not reach stop"),
        ("qptl", {"mu": 1e-15}, "SolverError: the smoothed program was not solved to its KKT conditions"),
        ("qptl-spo", {"mu": 1e-15}, "SolverError: the smoothed program was not solved to its KKT"),
    ],
)
def test_an_interior_point_that_does_not_converge(method, settings, reason):
    record = record_of(small_problem("shortest-path"), method, **settings)
    assert record.status == "failed" and record.normalized_regret is None
    first, *_ = record.error.splitlines()
    assert first.startswith(reason) and "of 24 rows ((0, 0), (0, 1)" in first


def test_a_prediction_that_makes_the_program_unbounded():
    """All outcomes are prices above zero, so that every row has a decision; a prediction may be below."""
    x = np.linspace(-1.0, 1.0, 30).reshape(-1, 1)
    y = np.column_stack([1.0 + 0.1 * x[:, 0] ** 2, 1.2 + x[:, 0]])
    z, price = cp.Variable(2), cp.Parameter(2, name="price")
    model = cp.Problem(cp.Minimize(price @ z), [z >= 0, cp.sum(z) >= 1])
    problem = dfl_bench.from_cvxpy(model, price, x, y)
    kept = record_of(problem, "pfl", steps=1)
    assert kept.status == "ok", kept.error
    record = record_of(problem, "pfl", learning_rate=10.0)
    assert record.status == "failed" and record.normalized_regret is None
    first, *_ = record.error.splitlines()
    assert "the cvxpy model is unbounded for row" in first and "bound its variables" in first
