import numpy as np
import pytest

from kernels import knapsack
from kernels.errors import SolverError

FAIR, WEIGHTS = np.full((2, 4), 0.5), np.array([[1.0, 2.0, 1.0, 1.0], [1.0, 1.0, 3.0, 1.0]])

CALLS = {
    "dynamic": lambda v: knapsack.best_items(v, WEIGHTS[0], 2.0),
    "branch": lambda v: knapsack.best_items(v, WEIGHTS, 2.0),
    "worst": lambda v: knapsack.worst_items(v, WEIGHTS[0], 2.0),
    "relaxed, one": lambda v: knapsack.relaxed(v, WEIGHTS[0], 2.0),
    "relaxed, two": lambda v: knapsack.relaxed(v, WEIGHTS, 2.0),
    "regret, prediction": lambda v: knapsack.regret(v, FAIR, WEIGHTS, 2.0),
    "regret, label": lambda v: knapsack.regret(FAIR, v, WEIGHTS, 2.0),
    "value": lambda v: knapsack.value(FAIR, v),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite(call, value):
    values = FAIR.copy()
    values[1, 2] = value
    message = rf"finite -?values(_hat)?, got -?{str(value).lstrip('-')} at index \(1, 2\)"
    with pytest.raises(ValueError, match=message):
        call(values)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_values_too_large_to_add_up(call):
    values = FAIR.copy()
    values[1, 2] = 2e300
    with pytest.raises(ValueError, match=r"between ±1e\+300, got -?2e\+300 at index \(1, 2\).*divide"):
        call(values)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize(
    "values", [np.ones(3), np.float64(1.0), np.empty((2, 0))], ids=["short", "scalar", "none"]
)
def test_wrong_shapes_of_values(call, values):
    with pytest.raises(ValueError, match="shape"):
        call(values)


FUNCTIONS = [
    knapsack.best_items,
    knapsack.worst_items,
    knapsack.relaxed,
    lambda v, w, c: knapsack.regret(v, v, w, c),
]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(
    ("weights", "capacity", "message"),
    [
        (np.ones(3), 1.0, r"weights of shape \(4,\) or \(dimensions, 4\).*got \(3,\)"),
        (np.ones((2, 3)), 1.0, r"got \(2, 3\)"),
        (np.ones((1, 2, 4)), 1.0, r"got \(1, 2, 4\)"),
        (np.ones((0, 4)), 1.0, r"at least one dimension.*got \(0, 4\)"),
        (np.ones((2, 4)), [1.0, 1.0, 1.0], r"capacity as one number or of shape \(2,\), got \(3,\)"),
        (np.ones((2, 4)), [[1.0, 1.0]], r"got \(1, 2\)"),
        (np.ones(4), [1.0, 1.0], r"of shape \(1,\), got \(2,\)"),
        ([1.0, -2.0, 1.0, 1.0], 1.0, r"weights >= 0, got -2\.0 at index \(0, 1\)"),
        (np.ones((2, 4)), [1.0, -1.0], r"capacity >= 0, got -1\.0 at index \(1,\)"),
        ([1.0, np.nan, 1.0, 1.0], 1.0, "finite weights, got nan"),
        (np.ones(4), np.inf, "finite capacity, got inf"),
        (
            np.full(4, 2.0),
            1.0,
            r"at least one item that fits, got weights of at least \[2\.\].*capacity \[1\.\]",
        ),
        ([[1.0, 1.0, 3.0, 3.0], [3.0, 3.0, 1.0, 1.0]], 2.0, "nothing can be decided"),
        (np.ones(4), 0.0, "nothing can be decided"),
    ],
)
def test_knapsacks_that_make_no_sense(function, weights, capacity, message):
    with pytest.raises(ValueError, match=message):
        function(FAIR, weights, capacity)


def test_complex_values():
    with pytest.raises(TypeError, match="real numbers for values"):
        knapsack.best_items(np.ones(4) * 1j, np.ones(4), 2.0)


def test_methods_that_do_not_apply():
    with pytest.raises(ValueError, match=r"integer weights.*got fractional weights.*method=\"branch\""):
        knapsack.best_items(FAIR, np.full(4, 0.5), 1.0, method="dynamic")
    with pytest.raises(ValueError, match=r"got 2 dimensions"):
        knapsack.best_items(FAIR, WEIGHTS, 2.0, method="dynamic")
    with pytest.raises(ValueError, match=r'expected method "auto", "dynamic" or "branch", got \'greedy\''):
        knapsack.best_items(FAIR, WEIGHTS, 2.0, method="greedy")


def test_leading_dimensions_that_do_not_broadcast():
    with pytest.raises(ValueError, match=r"broadcast, got values_hat \(3,\), values \(2,\)"):
        knapsack.regret(np.ones((3, 4)), FAIR, WEIGHTS, 2.0)


def test_a_search_that_is_too_long_is_no_decision(monkeypatch):
    rng = np.random.default_rng(0)
    monkeypatch.setattr(knapsack, "NODE_LIMIT", 20)
    values, weights = rng.random((3, 30)), rng.random((3, 30))
    values[1] = -1.0  # solved at once
    with pytest.raises(SolverError, match=r"after 20 nodes on 2 of 3 rows \(\(0,\), \(2,\)\)"):
        knapsack.best_items(values, weights, 5.0)


def test_large_capacities_leave_dynamic_programming():
    sack = knapsack.given.knapsack(np.arange(1.0, 41.0) * 1e6 + 1, 1e8, 40)
    assert knapsack._method("auto", sack, False) == "branch"
    assert knapsack._method("auto", knapsack.given.knapsack(np.ones(40), 7.0, 40), False) == "dynamic"
