"""The order of least cost under weights of any sign: what SPO+ asks for on inventory."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import inventory
from kernels.inventory import tensors
from tests.kernels.inventory_cases import PAPER, parameters, probabilities
from tests.reference import inventory as reference
from tests.support.device import assert_stays_on_device


@st.composite
def weighted(draw):
    """(weights, costs, demand): 2p − y of SPO+, or normal numbers with zeros among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_demands, n_rows = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    costs, demand = parameters(rng, n_demands)
    spo = 2 * probabilities(rng, (n_rows,), n_demands) - probabilities(rng, (n_rows,), n_demands)
    free = rng.standard_normal((n_rows, n_demands)) * (rng.random((n_rows, n_demands)) < 0.8)
    return (spo if draw(st.booleans()) else free), costs, demand


def cost_of(z, row, costs, demand):
    return float(reference.exact_cost(z, row, costs, demand))


@settings(max_examples=80, deadline=None)
@given(weighted())
def test_no_order_up_to_the_last_demand_is_cheaper(case):
    weights, costs, demand = case
    orders = inventory.lowest_order(weights, costs=costs, demand=demand)
    for row, order in zip(weights, orders, strict=True):
        best = reference.lowest_order(row, costs, demand)
        assert 0.0 <= order <= demand[-1]
        assert cost_of(order, row, costs, demand) == pytest.approx(
            cost_of(best, row, costs, demand), abs=1e-9, rel=1e-12
        )


@settings(max_examples=40, deadline=None)
@given(weighted())
def test_the_tensor_path_finds_orders_of_the_same_cost(case):
    weights, costs, demand = case
    levels = torch.tensor(demand, dtype=torch.float64)
    orders, finite = tensors.lowest_order(torch.tensor(weights), levels, costs)
    assert finite
    ours = inventory.lowest_order(weights, costs=costs, demand=demand)
    for row, theirs, own in zip(weights, orders.tolist(), ours, strict=True):
        assert cost_of(theirs, row, costs, demand) == pytest.approx(
            cost_of(own, row, costs, demand), abs=1e-9, rel=1e-12
        )


def test_the_oracle_is_below_a_grid():
    rng = np.random.default_rng(0)
    for row in rng.standard_normal((20, 5)):
        best = cost_of(reference.lowest_order(row, *PAPER), row, *PAPER)
        grid = [reference.cost(z, row, *PAPER) for z in np.linspace(0, 20, 2001)]
        assert best <= min(grid) + 1e-9 and min(grid) - best < 0.05


def test_with_probabilities_it_is_the_order():
    p = probabilities(np.random.default_rng(0), (200,), 5)
    np.testing.assert_allclose(inventory.lowest_order(p), inventory.order_quantity(p), atol=1e-9)


@pytest.mark.parametrize(
    ("weights", "costs", "demand", "expected"),
    [
        ([-1.0], (0, 0, 1, 0, 1, 0), (3.0,), 0.0),  # −|3 − z|: the far end of [0, 3]
        ([-1.0, 0.0], (0, 0, 1, 0, 1, 0), (1.0, 4.0), 4.0),  # −|1 − z|: the far end of [0, 4]
        ([1.0, -1.0], (0, 0, 0, 2, 0, 2), (1.0, 2.0), 0.0),  # (1 − z)² − (2 − z)² = 2z − 3
        ([0.0, 0.0], (0,) * 6, (1.0, 2.0), 0.0),  # nothing costs: the smallest
        ([2.0, -1.0], (0, 0, 0, 2, 0, 2), (1.0, 2.0), 0.0),  # 2(1 − z)² − (2 − z)² = z² − 2
        ([-1.0, 2.0], (0, 0, 0, 2, 0, 2), (1.0, 2.0), 2.0),  # least at 3, beyond the last demand
        ([-1.0, 2.0], (2, 0, 0, 2, 0, 2), (1.0, 2.0), 2.0),  # z² − 6z + 7 + 2z: least at 2, the end
        ([-1.0, 2.0], (3, 0, 0, 2, 0, 2), (1.0, 2.0), 1.5),  # z² − 3z + 7: inside
    ],
)
def test_edges(weights, costs, demand, expected):
    assert inventory.lowest_order(weights, costs=costs, demand=demand) == expected
    tensor = torch.tensor(weights, dtype=torch.float64, requires_grad=True)
    answer = inventory.lowest_order(tensor, costs=costs, demand=demand)
    assert answer == expected and not answer.requires_grad


def test_shapes_and_kinds():
    weights = np.random.default_rng(0).standard_normal((4, 3, 5))
    orders = inventory.lowest_order(weights)
    assert orders.shape == (4, 3) and inventory.lowest_order(weights[:0]).shape == (0, 3)
    assert [inventory.lowest_order(row) for row in weights[0]] == orders[0].tolist()
    single = inventory.lowest_order(torch.tensor(weights, dtype=torch.float32))
    assert single.dtype == torch.float32


def test_nothing_leaves_the_device():
    weights = torch.tensor(np.random.default_rng(0).standard_normal((30, 5)))
    levels = torch.tensor(PAPER[1], dtype=torch.float64)
    orders, _ = assert_stays_on_device(lambda w, d: tensors.lowest_order(w, d, PAPER[0]), weights, levels)
    np.testing.assert_allclose(orders, inventory.lowest_order(weights), atol=1e-9)


@pytest.mark.parametrize("kind", [np.asarray, lambda w: torch.tensor(w, requires_grad=True)])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[0.0] * 5, [0.0, np.nan, 0.0, 0.0, 0.0]], r"finite .* got nan at index \(1, 1\)"),
        ([[0.0, np.inf, 0.0, 0.0, 0.0]], "finite .* got inf"),
        ([[1e308] * 5], "float64 can hold the cost .* up to 1e\\+308"),
        ([[0.5, 0.5]], r"shape \(\.\.\., 5\).*got \(1, 2\)"),
    ],
)
def test_bad_weights(kind, weights, message):
    with pytest.raises(ValueError, match=message):
        inventory.lowest_order(kind(np.array(weights)))
