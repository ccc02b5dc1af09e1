import numpy as np
import pytest
import torch

from kernels import matching

FAIR = np.ones((3, 4, 4))


def with_entry(value):
    costs = FAIR.copy()
    costs[1, 2, 3] = value
    return costs


def graph(array):
    return torch.tensor(array, dtype=torch.float64, requires_grad=True)


CALLS = {
    "best": matching.best_matching,
    "worst": matching.worst_matching,
    "columns": matching.best_columns,
    "optimum": matching.optimal_cost,
    "cost": lambda c: matching.cost(np.eye(4)[::-1] + 1, c),
    "regret, prediction": lambda c: matching.regret(c, FAIR),
    "regret, label": lambda c: matching.regret(FAIR, c),
    "torch optimum": lambda c: matching.optimal_cost(graph(c)),
    "torch cost": lambda c: matching.cost(graph(np.ones((4, 4))), c),
    "torch regret, prediction": lambda c: matching.regret(graph(c), FAIR),
    "torch regret, label": lambda c: matching.regret(graph(FAIR), c),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_costs_that_are_not_finite_name_the_row(call, value):
    # The worst matching is that of the negated costs, but the message shows the costs as they came.
    with pytest.raises(ValueError, match=rf"finite costs.*got {value} at row \(1,\), entry \(2, 3\)"):
        call(with_entry(value))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_costs_too_large_to_add_name_the_row(call):
    costs = FAIR.copy()
    costs[2] = 1e308
    with pytest.raises(ValueError, match=r"got entries up to 1e\+308 at row \(2,\); scale"):
        call(costs)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("shape", [(3, 4, 5), (4,), ()])
def test_costs_that_are_not_square(call, shape):
    with pytest.raises(ValueError, match=r"shape \(\.\.\., n, n\)"):
        call(np.ones(shape))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_no_items(call):
    with pytest.raises(ValueError, match=r"one item or more, got shape \(3, 0, 0\)"):
        call(np.ones((3, 0, 0)))


def test_both_sides_need_the_same_size():
    for kind in (np.asarray, graph):
        for call in (matching.regret, matching.cost):
            with pytest.raises(ValueError, match="same size, got 3 x 3 and 4 x 4"):
                call(kind(np.ones((3, 3))), FAIR)
            with pytest.raises(ValueError, match="broadcast"):
                call(kind(np.ones((2, 4, 4))), FAIR)
        with pytest.raises(ValueError, match="finite matching"):
            matching.cost(kind(np.full((4, 4), np.nan)), FAIR)


@pytest.mark.parametrize("costs", [FAIR.astype(complex), FAIR.astype(str), torch.tensor(FAIR + 0j)])
def test_bad_dtypes(costs):
    with pytest.raises(TypeError, match="real numbers for costs"):
        matching.best_matching(costs)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_precision_and_kind_are_returned(dtype):
    costs = np.random.default_rng(0).random((3, 5, 5)).astype(dtype)
    expected = matching.best_matching(costs.astype(float))
    for given in (costs, torch.tensor(costs), torch.tensor(costs, requires_grad=True)):
        best = matching.best_matching(given)
        np.testing.assert_array_equal(best, expected)
        for out in (
            best,
            matching.worst_matching(given),
            matching.optimal_cost(given),
            matching.regret(given, given),
            matching.cost(given, given),
        ):
            assert str(out.dtype).endswith(dtype) and type(out) is type(given)
        columns = matching.best_columns(given)
        assert str(columns.dtype).endswith("int64") and type(columns) is type(given)
