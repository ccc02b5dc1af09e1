import numpy as np
import pytest
import torch

from kernels import shortest_path

FAIR = np.ones((3, 12))


def with_entry(value):
    costs = FAIR.copy()
    costs[1, 7] = value
    return costs


def graph(array):
    return torch.tensor(array, dtype=torch.float64, requires_grad=True)


CALLS = {
    "best": lambda c: shortest_path.best_path(c, 3, 3),
    "worst": lambda c: shortest_path.worst_path(c, 3, 3),
    "optimum": lambda c: shortest_path.optimal_cost(c, 3, 3),
    "cost": lambda c: shortest_path.cost(np.ones(12), c),
    "regret, prediction": lambda c: shortest_path.regret(c, FAIR, 3, 3),
    "regret, label": lambda c: shortest_path.regret(FAIR, c, 3, 3),
    "torch optimum": lambda c: shortest_path.optimal_cost(graph(c), 3, 3),
    "torch cost": lambda c: shortest_path.cost(graph(np.ones(12)), c),
    "torch regret, prediction": lambda c: shortest_path.regret(graph(c), FAIR, 3, 3),
    "torch regret, label": lambda c: shortest_path.regret(graph(FAIR), c, 3, 3),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_costs_that_are_not_finite_name_the_row(call, value):
    with pytest.raises(ValueError, match=rf"expected finite costs.*got {value} at row \(1,\), arc 7"):
        call(with_entry(value))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_costs_too_large_to_add_name_the_row(call):
    costs = FAIR.copy()
    costs[2] = 1e308
    with pytest.raises(ValueError, match=r"got entries up to 1e\+308 at row \(2,\); scale"):
        call(costs)


def test_large_costs_of_several_rows_are_no_overflow():
    costs = np.full((64, 12), 1e306)
    assert (shortest_path.optimal_cost(costs, 3, 3) == 4e306).all()


def test_one_bad_row_is_found_wherever_it_is():
    for row in (0, 63, 64, 129):
        costs = np.ones((130, 12))
        costs[row, 0] = np.nan
        with pytest.raises(ValueError, match=rf"row \({row},\), arc 0 \(1 such entries\)"):
            shortest_path.best_path(costs, 3, 3)
        with pytest.raises(ValueError, match=rf"costs_hat, got nan at row \({row},\)"):
            shortest_path.regret(costs, np.ones(12), 3, 3)


@pytest.mark.parametrize("call", list(CALLS.values())[:3], ids=list(CALLS)[:3])
@pytest.mark.parametrize("shape", [(3, 11), (13,), ()])
def test_wrong_numbers_of_arcs(call, shape):
    with pytest.raises(ValueError, match=r"shape \(\.\.\., 12\), one entry per arc of a 3 x 3 grid, got "):
        call(np.ones(shape))


def test_both_sides_need_the_same_arcs():
    for kind in (np.asarray, graph):
        with pytest.raises(ValueError, match=r"costs_hat of shape \(\.\.\., 12\)"):
            shortest_path.regret(kind(np.ones(11)), FAIR, 3, 3)
        with pytest.raises(ValueError, match=r"shape \(\.\.\., arcs\), got \(11,\) and \(3, 12\)"):
            shortest_path.cost(kind(np.ones(11)), FAIR)
        with pytest.raises(ValueError, match="broadcast"):
            shortest_path.regret(kind(np.ones((2, 12))), FAIR, 3, 3)
        with pytest.raises(ValueError, match="finite path"):
            shortest_path.cost(kind(np.full(12, np.nan)), FAIR)


@pytest.mark.parametrize("size", [(1, 1), (0, 3), (3, 0), (-1, 2)])
def test_grids_without_arcs(size):
    for call in (shortest_path.n_arcs, shortest_path.arcs, lambda h, w: shortest_path.best_path(FAIR, h, w)):
        with pytest.raises(ValueError, match=rf"two nodes or more, got {size[0]} x {size[1]}"):
            call(*size)


def test_sizes_must_be_integers():
    with pytest.raises(TypeError, match=r"integer height and width, got 3\.0 and 3"):
        shortest_path.best_path(FAIR, 3.0, 3)


@pytest.mark.parametrize("costs", [FAIR.astype(complex), FAIR.astype(str), torch.tensor(FAIR + 0j)])
def test_bad_dtypes(costs):
    with pytest.raises(TypeError, match="real numbers for costs"):
        shortest_path.best_path(costs, 3, 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_precision_and_kind_are_returned(dtype):
    costs = np.random.default_rng(0).random((3, 12)).astype(dtype)
    expected = shortest_path.best_path(costs.astype(float), 3, 3)
    for given in (costs, torch.tensor(costs), torch.tensor(costs, requires_grad=True)):
        path = shortest_path.best_path(given, 3, 3)
        np.testing.assert_array_equal(path, expected)
        for out in (
            path,
            shortest_path.worst_path(given, 3, 3),
            shortest_path.optimal_cost(given, 3, 3),
            shortest_path.regret(given, given, 3, 3),
            shortest_path.cost(given, given),
        ):
            assert str(out.dtype).endswith(dtype) and type(out) is type(given)


def test_whole_numbers_are_costs_too():
    path = shortest_path.best_path(np.ones((2, 12), np.int64), 3, 3)
    assert path.dtype == np.float64 and (path.sum(-1) == 4).all()
