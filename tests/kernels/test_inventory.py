import numpy as np
import pytest
from hypothesis import given, settings

from kernels import inventory
from tests.kernels.inventory_cases import PAPER, instances, parameters, probabilities
from tests.reference import inventory as reference


@settings(max_examples=60, deadline=None)
@given(instances())
def test_order_is_the_smallest_minimizer(instance):
    p, _, costs, demand = instance
    z = inventory.order_quantity(p, costs=costs, demand=demand)
    for row, order in zip(p, z, strict=True):
        best = reference.cost(reference.order(row, costs, demand), row, costs, demand)
        assert reference.cost(order, row, costs, demand) == pytest.approx(best, abs=1e-9, rel=1e-12)
        # Smallest: just below, the cost is higher, unless the slope there is rounding.
        below = order - 1e-4
        if below >= 0:
            assert reference.slope_right(below, row, costs, demand) < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_order_agrees_with_bisection_at_the_paper_costs(seed):
    p = probabilities(np.random.default_rng(seed), (150,), 5)
    expected = [reference.order(row, *PAPER) for row in p]
    np.testing.assert_allclose(inventory.order_quantity(p), expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_cost_agrees_with_cvxpy(seed):
    rng = np.random.default_rng(seed)
    n_demands = int(rng.integers(1, 8))
    costs, demand = PAPER if seed == 0 else parameters(rng, n_demands)
    p = probabilities(rng, (3,), len(demand))
    z = inventory.order_quantity(p, costs=costs, demand=demand)
    theirs = [reference.order_by_cvxpy(row, costs, demand) for row in p]
    ours = inventory.cost(z, p, costs=costs, demand=demand)
    best = [reference.cost(max(t, 0.0), row, costs, demand) for t, row in zip(theirs, p, strict=True)]
    assert (ours <= np.array(best) + 1e-9).all()
    np.testing.assert_allclose(ours, best, atol=1e-4, rtol=1e-5)  # Clarabel's own accuracy


@settings(max_examples=30, deadline=None)
@given(instances())
def test_no_decision_on_a_grid_is_cheaper(instance):
    p, _, costs, demand = instance
    z = inventory.order_quantity(p, costs=costs, demand=demand)
    ours = inventory.cost(z, p, costs=costs, demand=demand)
    grid = np.linspace(0, demand[-1] * 1.5, 200)
    theirs = inventory.cost(grid[:, None], p, costs=costs, demand=demand)
    assert (ours <= theirs + 1e-9 * (1 + theirs)).all()


@settings(max_examples=30, deadline=None)
@given(instances())
def test_cost_and_regret_agree_with_the_formula(instance):
    p, y, costs, demand = instance
    expected = []
    for hat, truth in zip(p, y, strict=True):
        decided, best = reference.order(hat, costs, demand), reference.order(truth, costs, demand)
        expected.append(
            [reference.cost(z, truth, costs, demand) for z in (decided, best)],
        )
    z = [reference.order(hat, costs, demand) for hat in p]
    np.testing.assert_allclose(
        inventory.cost(z, y, costs=costs, demand=demand), [e[0] for e in expected], rtol=1e-9, atol=1e-9
    )
    got = inventory.regret(p, y, costs=costs, demand=demand)
    assert (got >= -1e-9).all()
    # A flat stretch of p's cost may be priced differently by y: compare there with our own order.
    ours = inventory.cost(
        inventory.order_quantity(p, costs=costs, demand=demand), y, costs=costs, demand=demand
    )
    np.testing.assert_allclose(got, ours - [e[1] for e in expected], rtol=1e-9, atol=1e-8)


@settings(max_examples=30, deadline=None)
@given(instances())
def test_regret_at_the_truth_is_zero(instance):
    _, y, costs, demand = instance
    assert (inventory.regret(y, y, costs=costs, demand=demand) == 0).all()


def test_row_order_is_irrelevant():
    rng = np.random.default_rng(0)
    p, y = probabilities(rng, (200,), 5), probabilities(rng, (200,), 5)
    order = rng.permutation(200)
    np.testing.assert_array_equal(inventory.regret(p, y)[order], inventory.regret(p[order], y[order]))
    np.testing.assert_array_equal(inventory.order_quantity(p)[order], inventory.order_quantity(p[order]))


@pytest.mark.parametrize(
    ("lead_hat", "lead_y"),
    [((4, 7), (7,)), ((7,), (4, 7)), ((4, 1), (7,)), ((), (7,)), ((2, 1, 3), (5, 1)), ((1,), (70,))],
)
def test_broadcasting_equals_a_loop(lead_hat, lead_y):
    rng = np.random.default_rng(1)
    p, y = probabilities(rng, lead_hat, 5), probabilities(rng, lead_y, 5)
    shape = np.broadcast_shapes(lead_hat, lead_y)
    got, costs = inventory.regret(p, y), inventory.cost(inventory.order_quantity(p), y)
    assert got.shape == costs.shape == shape
    p_all, y_all = np.broadcast_to(p, (*shape, 5)), np.broadcast_to(y, (*shape, 5))
    for row in np.ndindex(shape):
        assert got[row] == inventory.regret(p_all[row], y_all[row])
        assert costs[row] == inventory.cost(inventory.order_quantity(p_all[row]), y_all[row])


@pytest.mark.parametrize(
    ("p", "costs", "demand", "expected"),
    [
        ([1.0], (0, 0, 1, 0, 1, 0), (3.0,), 3.0),
        ([0.0, 1.0, 0.0], (1, 0, 5, 0, 1, 0), (1.0, 4.0, 9.0), 4.0),  # all the mass at a kink
        ([0.5, 0.5], (0, 0, 1, 0, 1, 0), (1.0, 2.0), 1.0),  # flat between the demands: the smaller
        ([0.5, 0.0, 0.5], (0, 0, 1, 0, 1, 0), (1.0, 1.5, 2.0), 1.0),  # flat across an impossible demand
        ([0.2, 0.8], (0,) * 6, (1.0, 2.0), 0.0),  # nothing costs: the smallest order
        ([0.2, 0.8], (0, 0, 0, 0, 1, 1), (1.0, 2.0), 0.0),  # only stock costs
        ([0.2, 0.8], (0, 0, 1, 1, 0, 0), (1.0, 2.0), 2.0),  # only shortage costs: the last demand
        ([0.2, 0.8, 0.0], (0, 0, 1, 1, 0, 0), (1.0, 2.0, 7.0), 2.0),  # … of those that occur
        ([0.2, 0.8], (9, 0, 3, 0, 1, 0), (1.0, 2.0), 0.0),  # too dear to order
        ([0.5, 0.5], (0, 2, 0, 2, 0, 2), (1.0, 2.0), 0.75),  # smooth: z + (z − 1)/2 + (z − 2)/2 = 0
        ([1.0, 0.0], (0, 0, 1, 0, 1, 0), (0.0, 5.0), 0.0),  # a demand of nothing
        ([0.0, 1.0], (0, 0, 1, 0, 1, 0), (0.0, 5.0), 5.0),
        ([0.1] * 10, (0, 0, 0.7, 0, 0.3, 0), tuple(range(1, 11)), None),  # a tie up to rounding
    ],
)
def test_edges(p, costs, demand, expected):
    z = inventory.order_quantity(p, costs=costs, demand=demand)
    if expected is None:
        best = reference.cost(7.0, p, costs, demand)
        assert inventory.cost(z, p, costs=costs, demand=demand) == pytest.approx(best, abs=1e-12)
    else:
        assert z == expected


@pytest.mark.parametrize("shape", [(0,), (3, 0), (1,), ()])
def test_empty_and_single_batches(shape):
    p = np.full((*shape, 5), 0.2)
    assert inventory.order_quantity(p).shape == shape
    assert inventory.regret(p, p).shape == shape
    assert inventory.cost(np.ones(shape), p).shape == shape
    assert inventory.order_derivative(p).shape == (*shape, 5)


@settings(max_examples=40, deadline=None)
@given(instances())
def test_derivative_is_the_slope_of_the_order(instance):
    p, _, costs, demand = instance
    z = inventory.order_quantity(p, costs=costs, demand=demand)
    derivative = inventory.order_derivative(p, costs=costs, demand=demand)
    still = np.isin(z, [0.0, *demand])
    assert (derivative[still] == 0).all()
    step = 1e-7  # stays within the tolerance on the sum of a row
    apart = np.abs(z[:, None] - np.array([0.0, *demand])).min(-1)
    for k in range(len(demand)):
        moved = p.copy()
        moved[:, k] += step
        slope = (inventory.order_quantity(moved, costs=costs, demand=demand) - z) / step
        # Where the curvature is tiny, a finite step may reach the next kink.
        size = np.abs(derivative[:, k])
        near = ~still & (apart > 2 * step * size + 1e-6) & (size < 1e4)
        np.testing.assert_allclose(slope[near], derivative[near, k], rtol=1e-2, atol=1e-3)


def test_derivative_formula_of_the_paper_costs():
    p = np.array([0.1, 0.1, 0.1, 0.3, 0.4])
    z = float(inventory.order_quantity(p))
    demand = np.array(inventory.DEMAND)
    assert z > 0 and z not in demand
    marginal = np.where(z < demand, -30 - 14 * (demand - z), 10 + 2 * (z - demand))
    expected = -marginal / (2 + (p * np.where(z < demand, 14, 2)).sum())
    np.testing.assert_allclose(inventory.order_derivative(p), expected, rtol=1e-12)
