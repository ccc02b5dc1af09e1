"""The methods that solve a regression instead of training: exact, and in the shape the problem wants."""

import importlib.util
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from dfl_bench import methods
from dfl_bench.contracts.ledger import Ledger
from dfl_bench.contracts.seeding import rng_for
from dfl_bench.contracts.task import Task
from dfl_bench.errors import NotApplicableError
from dfl_bench.methods.pfl_absolute import least_absolute
from dfl_bench.run.evaluate import evaluate
from kernels.errors import SolverError
from tests.support.small import small_problem

NAMES = ("pfl-exact", "pfl-absolute", "pfl-forest")


def fitted(name, problem, **changes):
    train, val, test = problem.data(0)
    task = Task(problem, train, val, 0, ledger=Ledger())
    method = methods.get(name)
    predictor = method(method.Config(**changes)).fit(task, rng_for("test", seed=0))
    return predictor(test.x), train, test, task


def with_ones(x):
    return np.concatenate([x, np.ones((len(x), 1))], axis=1)


def test_pfl_exact_is_least_squares():
    y_hat, train, test, task = fitted("pfl-exact", small_problem("shortest-path"))
    weights = np.linalg.solve(with_ones(train.x).T @ with_ones(train.x), with_ones(train.x).T @ train.y)
    np.testing.assert_allclose(y_hat, with_ones(test.x) @ weights, rtol=1e-9)
    assert task.ledger.seconds["train"] > 0.0 and not task.ledger.solves and not task.ledger.curve


def test_a_shared_predictor_has_a_row_for_every_item():
    """One line for all items of all instances, whose features stand on an axis of their own."""
    for name in ("pfl-exact", "pfl-absolute"):
        y_hat, train, test, _ = fitted(name, small_problem("top-k"))
        rows = train.x.reshape(-1, 1)
        if name == "pfl-exact":
            slope, offset = np.polyfit(rows[:, 0], train.y.ravel(), 1)
        else:
            offset, slope = slow_least_absolute(with_ones(rows)[:, ::-1], train.y.ravel())
        np.testing.assert_allclose(y_hat, slope * test.x[..., 0] + offset, rtol=1e-6, atol=1e-9)


def slow_least_absolute(x, y):
    """The program as it is written: least Σt with |y - xβ| ≤ t."""
    rows, features = x.shape
    signs = np.block([[x, -np.eye(rows)], [-x, -np.eye(rows)]])
    free = [(None, None)] * features + [(0.0, None)] * rows
    costs = np.r_[np.zeros(features), np.ones(rows)]
    return linprog(costs, A_ub=signs, b_ub=np.r_[y, -y], bounds=free).x[:features]


@settings(max_examples=50, deadline=None)
@given(
    rows=st.integers(1, 30),
    features=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([1e-6, 1.0, 1e6]),
    kind=st.sampled_from(["noisy", "exact", "tied", "zero", "singular"]),
)
def test_pfl_absolute_has_the_least_absolute_error(rows, features, seed, scale, kind):
    rng = np.random.default_rng(seed)
    x = np.c_[np.ones(rows), rng.standard_normal((rows, features))]
    if kind == "singular":
        x = np.c_[x, x[:, -1]]
    y = x @ rng.standard_normal(x.shape[1])
    if kind in ("noisy", "singular"):
        y = y + rng.laplace(size=rows)
    if kind == "tied":
        y = rng.integers(-1, 2, rows).astype(float)
    y = np.zeros(rows) if kind == "zero" else scale * y
    ours = np.abs(y - x @ least_absolute(x, y)).sum()
    least = scale * np.abs(y / scale - x @ slow_least_absolute(x, y / scale)).sum()
    assert ours == pytest.approx(least, rel=1e-6, abs=1e-9 * scale * rows)


def test_pfl_absolute_of_one_column_is_the_median():
    y = np.array([5.0, 1.0, 2.0, 100.0, 3.0])
    assert least_absolute(np.ones((5, 1)), y) == pytest.approx([3.0])


def test_pfl_absolute_refuses_what_the_solver_cannot_prove(monkeypatch):
    x, y = np.ones((5, 1)), np.arange(5.0) / 2.0  # of mean size one, as the program has them
    right = linprog(-y, A_eq=x.T, b_eq=[0.0], bounds=(-1, 1))
    right.eqlin.marginals = right.eqlin.marginals + 0.1
    monkeypatch.setattr("dfl_bench.methods.pfl_absolute.linprog", lambda *a, **k: right)
    with pytest.raises(SolverError, match=r"may be .* too large"):
        least_absolute(x, y)
    right.status, right.message = 4, "numerical trouble"
    with pytest.raises(SolverError, match="numerical trouble"):
        least_absolute(x, y)


@pytest.mark.parametrize("name", ["pfl-exact", "pfl-absolute"])
@pytest.mark.parametrize(
    ("problem", "changes", "reason"),
    [
        ("shortest-path", {"predictor": "scaled"}, "shortest-path has a hidden layer"),
        ("inventory", {}, "inventory has a hidden layer"),
    ],
)
def test_a_predictor_that_is_not_linear_is_refused(name, problem, changes, reason):
    with pytest.raises(NotApplicableError, match=reason):
        evaluate(name, small_problem(problem, **changes))


def test_an_activation_is_refused():
    problem = small_problem("shortest-path")
    bent = type(problem)(problem.config)
    bent.network = type(problem.network)(outputs=40, activation="softplus", hidden=0)
    assert "ends in a softplus" in methods.get("pfl-exact").not_applicable(bent)


def test_the_forest_is_the_mean_of_trees_on_drawn_rows():
    tree = pytest.importorskip("sklearn.tree").DecisionTreeRegressor
    y_hat, train, test, _ = fitted("pfl-forest", small_problem("shortest-path"), trees=7, leaf=2, share=0.5)
    rng = rng_for("test", seed=0)
    seeds, drawn = rng.integers(2**31, size=7), rng.integers(0, 24, (7, 12))
    ones = lambda x: with_ones(x)[:, [-1, *range(x.shape[1])]]  # noqa: E731
    grown = [
        tree(max_features=2, min_samples_leaf=2, random_state=int(seed)).fit(
            ones(train.x)[rows], train.y[rows, 0]
        )
        for seed, rows in zip(seeds, drawn, strict=True)
    ]
    expected = np.mean([one.predict(ones(test.x)) for one in grown], axis=0)
    np.testing.assert_allclose(y_hat[:, 0], expected, rtol=1e-12)


def test_a_leaf_counts_a_row_as_often_as_it_was_drawn():
    """Four distinct rows, many times each: leaves of five drawn rows still tell them apart."""
    pytest.importorskip("sklearn")
    rows, y = np.arange(4.0)[:, None] * np.ones((1, 3)), np.arange(4.0)
    forest = methods.get("pfl-forest")(methods.get("pfl-forest").Config(trees=3, leaf=5, share=1.0))
    grown = forest._grow(np.repeat(rows, 50, 0), np.repeat(y, 50), np.random.default_rng(0))
    np.testing.assert_allclose(np.mean([tree.predict(rows) for tree in grown], 0), y)


@pytest.mark.parametrize("problem", ["inventory", "budget", "portfolio-synthetic", "top-k"])
def test_the_forest_serves_every_shape(problem):
    pytest.importorskip("sklearn")
    y_hat, _, test, _ = fitted("pfl-forest", small_problem(problem), trees=2)
    assert y_hat.shape == test.y.shape


def test_without_scikit_learn_the_forest_says_so(monkeypatch):
    found = importlib.util.find_spec
    hidden = lambda name, *more: None if name.startswith("sklearn") else found(name, *more)  # noqa: E731
    monkeypatch.setattr("dfl_bench.methods.pfl_forest.find_spec", hidden)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(NotApplicableError, match=r"shortest-path needs scikit-learn: pip install .*forest"):
        evaluate("pfl-forest", small_problem("shortest-path"))


@pytest.mark.parametrize("changes", [{"trees": 0}, {"leaf": 0}, {"share": 0.0}, {"share": 1.5}])
def test_settings_of_a_forest_are_checked(changes):
    with pytest.raises(ValueError, match=f"expected {next(iter(changes))}"):
        methods.get("pfl-forest").Config(**changes)


@pytest.mark.parametrize("name", NAMES)
def test_they_are_found_by_family(name):
    assert methods.entries()[name].family == "prediction"
