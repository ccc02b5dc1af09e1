"""The capabilities of problems with a linear cost, and the settings of the new ones."""

import itertools

import numpy as np
import pytest
import torch
from scipy.optimize import linprog

from dfl_bench import problems
from dfl_bench.contracts.linear import LinearProblem
from dfl_bench.problems import make_problem
from tests.support.small import OFFLINE, small_problem

LINEAR = [n for n in OFFLINE if issubclass(problems.get(n), LinearProblem)]
EMBEDDED = [n for n in OFFLINE if small_problem(n).embed.__func__ is not problems.Problem.embed]
SETS = [n for n in OFFLINE if small_problem(n).polytope() is not None]
TOP_K_3 = {"n_train": 5, "n_val": 5, "n_test": 5, "items": 6, "k": 3}


def guesses(rows, n, seed=0):
    rng = np.random.default_rng(seed)
    return rows.y + rows.y.std() * rng.standard_normal((n, *rows.y.shape))


def test_which_problems_have_a_linear_cost():
    assert {"inventory", "portfolio-synthetic", *LINEAR} <= set(EMBEDDED)
    assert "budget" not in EMBEDDED
    assert {"shortest-path", "knapsack", "matching", "top-k"} <= set(SETS)


@pytest.mark.parametrize("convert", [np.asarray, torch.as_tensor])
@pytest.mark.parametrize("name", EMBEDDED)
def test_cost_is_embedded_decision_times_outcome_plus_known_part(name, convert):
    problem = small_problem(name)
    rows = problem.data(0).test
    rows = rows.to("cpu") if convert is torch.as_tensor else rows
    y_hat = problem.project(convert(guesses(problem.data(0).test, 3)))
    z = problem.decide(y_hat, rows.context)
    outcomes = [rows.y, y_hat]
    if name != "inventory":  # whose kernel refuses what is no probability
        outcomes.append(-2.0 * rows.y)
    for y in outcomes:
        direct = (problem.embed(z, rows.context) * y).sum(-1) + problem.known(z, rows.context)
        np.testing.assert_allclose(direct, problem.cost(z, y, rows.context), atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_decisions_are_in_the_set(name):
    problem = small_problem(name)
    rows, region = problem.data(0).test, problem.polytope()
    z = problem.decide(guesses(rows, 20), rows.context).reshape(-1, len(region))
    assert (z >= 0).all() and (z <= region.upper).all()
    if region.equal:
        np.testing.assert_allclose(
            z @ region.equal[0].T,
            np.broadcast_to(region.equal[1], (len(z), len(region.equal[1]))),
            atol=1e-12,
        )
        assert np.linalg.matrix_rank(region.equal[0]) == len(region.equal[0])
    if region.at_most:
        assert (z @ region.at_most[0].T <= region.at_most[1] * (1 + 1e-9)).all()


@pytest.mark.parametrize("name", SETS)
def test_no_point_of_the_set_is_better_than_the_decision(name):
    """HiGHS finds the same cost where every vertex is a decision, and no higher one on a relaxation."""
    problem = small_problem(name)
    rows, region = problem.data(0).test, problem.polytope()
    y_hat = guesses(rows, 1)[0]
    ours = problem.cost(problem.decide(y_hat, rows.context), y_hat, rows.context)
    for costs, value in zip(problem.sign * y_hat, ours, strict=True):
        equal, at_most = region.equal or (None, None), region.at_most or (None, None)
        bounds = [(0.0, None if np.isinf(u) else u) for u in region.upper]
        found = linprog(costs, *at_most, *equal, bounds=bounds, method="highs")
        if region.exact:
            assert found.fun == pytest.approx(value, abs=1e-9)
        else:
            assert found.fun <= value + 1e-9


@pytest.mark.parametrize("name", OFFLINE)
def test_the_predictor_is_a_setting(name):
    linear = small_problem(name, predictor="linear")
    assert linear.network.hidden == 0
    assert small_problem(name, predictor="scaled").network.hidden > 0
    with pytest.raises(ValueError, match="expected predictor to be one of"):
        small_problem(name, predictor="cubic")


def test_the_best_choices_are_found_by_enumeration():
    problem = make_problem("top-k", **TOP_K_3)
    y = problem.data(0).train.y
    z = problem.decide(y, {})
    for values, choice in zip(y, z, strict=True):
        best = max(itertools.combinations(range(6), 3), key=lambda s: sum(values[i] for i in s))
        assert set(np.flatnonzero(choice)) == set(best)


def test_a_straight_line_chooses_the_wrong_end():
    problem = make_problem("top-k")
    parts = problem.data(1000)
    x, y = parts.train.x.ravel(), parts.train.y.ravel()
    assert (x * y).sum() / (x * x).sum() < 0  # the slope of least squares
    downhill = problem.regret(-parts.test.x[..., 0], parts.test.y, {}).sum()
    uphill = problem.regret(parts.test.x[..., 0], parts.test.y, {}).sum()
    assert uphill < 0.1 * downhill


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("shortest-path", {"side": 1}, "a grid of two nodes or more"),
        ("shortest-path", {"noise": 1.5}, r"noise to be a number in \[0.0, 1.0\]"),
        ("shortest-path", {"degree": 0}, "degree to be an integer of at least 1"),
        ("knapsack", {"capacity": 1.0}, "a capacity that one item fits into"),
        ("knapsack", {"items": 0}, "items to be an integer of at least 1"),
        ("top-k", {"k": 50}, "expected k < items"),
        ("matching", {"size": 1}, "size to be an integer of at least 2"),
    ],
)
def test_bad_settings_are_refused(name, settings, message):
    with pytest.raises(ValueError, match=message):
        make_problem(name, **settings)


def test_height_and_width_come_before_side():
    assert make_problem("shortest-path", height=2, width=7).config.grid == (2, 7)
    assert make_problem("shortest-path", side=3, width=4).config.grid == (3, 4)


@pytest.mark.parametrize("name", ["shortest-path", "matching", "knapsack"])
def test_decisions_do_not_depend_on_the_scale_of_costs(name):
    problem = small_problem(name)
    rows = problem.data(0).test
    np.testing.assert_array_equal(problem.decide(rows.y, {}), problem.decide(1e3 * rows.y, {}))
