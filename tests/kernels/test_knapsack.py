import numpy as np
import pytest
import torch
from hypothesis import given, settings

from kernels import knapsack
from tests.kernels.knapsack_cases import electricity, instances, polynomial
from tests.reference import knapsack as reference


@settings(max_examples=400, deadline=None)
@given(instances())
def test_the_first_of_the_best_decisions_in_any_dimension(instance):
    values, weights, capacity = instance
    expected = [reference.best_items(row, weights, capacity) for row in values]
    np.testing.assert_array_equal(knapsack.best_items(values, weights, capacity), expected)
    np.testing.assert_array_equal(knapsack.best_items(values, weights, capacity, method="branch"), expected)


@settings(max_examples=300, deadline=None)
@given(instances(most_dims=1, weight_kinds=("whole",)))
def test_dynamic_programming_decides_as_the_enumeration(instance):
    values, weights, capacity = instance
    expected = [reference.best_items(row, weights, capacity) for row in values]
    got = knapsack.best_items(values, weights[0], capacity[0], method="dynamic")
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("n_dims", [1, 2, 3])
@pytest.mark.parametrize("whole", [True, False])
def test_twelve_items_against_the_enumeration(n_dims, whole):
    rng = np.random.default_rng(n_dims)
    values, weights = polynomial(rng, 2, n_items=12, n_dims=n_dims)
    values = values if whole else values * rng.uniform(0.9, 1.1, values.shape)
    expected = [reference.best_items(row, weights, np.full(n_dims, 25.0)) for row in values]
    np.testing.assert_array_equal(knapsack.best_items(values, weights, 25.0), expected)


@pytest.mark.parametrize(
    ("n_items", "n_dims", "capacity"), [(32, 2, 20), (32, 2, 80), (40, 1, 60), (30, 3, 50)]
)
@pytest.mark.parametrize("whole", [True, False])
def test_larger_ones_against_highs(n_items, n_dims, capacity, whole):
    rng = np.random.default_rng(n_items + n_dims)
    values, weights = polynomial(rng, 8, n_items, n_dims)
    values = values if whole else values + rng.normal(0, 1, values.shape)
    items = knapsack.best_items(values, weights, float(capacity))
    assert (items @ weights.T <= capacity * (1 + 2e-9)).all()
    expected = [reference.best_value(row, weights, np.full(n_dims, float(capacity))) for row in values]
    np.testing.assert_allclose(knapsack.value(items, values), expected, rtol=1e-6)


@pytest.mark.parametrize("capacity", [60, 120, 180])
def test_the_energy_knapsack_by_both_methods_and_highs(capacity):
    values, weights = electricity(np.random.default_rng(capacity), 6)
    items = knapsack.best_items(values, weights, capacity)
    np.testing.assert_array_equal(items, knapsack.best_items(values, weights, capacity, method="branch"))
    expected = [reference.best_value(row, weights, capacity) for row in values]
    np.testing.assert_allclose(knapsack.value(items, values), expected, rtol=1e-6)


@settings(max_examples=200, deadline=None)
@given(instances(most_items=10, most_dims=1, weight_kinds=("whole",)))
def test_both_methods_agree_on_prices_with_ties(instance):
    values, weights, capacity = instance
    dynamic = knapsack.best_items(values, weights[0], capacity[0], method="dynamic")
    branch = knapsack.best_items(values, weights[0], capacity[0], method="branch")
    np.testing.assert_array_equal(dynamic, branch)


@pytest.mark.parametrize("method", ["dynamic", "branch"])
def test_of_equal_items_the_first_are_taken(method):
    values, weights = np.ones((1, 6)), np.full(6, 2.0)
    assert knapsack.best_items(values, weights, 7.0, method=method).tolist() == [[1, 1, 1, 0, 0, 0]]
    # 3 = 2 + 1: the decision with item 0 wins although it has fewer items.
    assert knapsack.best_items([[3.0, 2.0, 1.0]], [2.0, 1.0, 1.0], 2.0, method=method).tolist() == [[1, 0, 0]]
    assert knapsack.best_items([[2.0, 3.0, 1.0]], [1.0, 2.0, 1.0], 2.0, method=method).tolist() == [[1, 0, 1]]


@pytest.mark.parametrize("method", ["dynamic", "branch"])
def test_a_hundred_equal_items_do_not_explode(method):
    z = knapsack.best_items(np.ones((2, 100)), np.full(100, 3.0), 151.0, method=method)
    np.testing.assert_array_equal(z, np.tile(np.arange(100) < 50, (2, 1)))


@pytest.mark.parametrize("method", ["dynamic", "branch"])
def test_items_without_value_stay_out(method):
    z = knapsack.best_items([[0.0, -1.0, 2.0], [-3.0, -1e300, 0.0]], [0.0, 0.0, 1.0], 5.0, method=method)
    assert z.tolist() == [[0, 0, 1], [0, 0, 0]]


def test_decimal_weights_that_fill_the_capacity_fit():
    weights = [0.1, 0.2, 0.3, 0.4]
    assert weights[0] + weights[1] + weights[2] > 0.6  # `sum` of newer Pythons rounds once, at the end
    assert knapsack.best_items([1.0, 1.0, 1.0, 1.0], weights, 0.6).tolist() == [1, 1, 1, 0]


def test_a_slightly_too_heavy_load_does_not_fit():
    assert knapsack.best_items([1.0, 1.0], [0.5, 0.5 + 1e-8], 1.0).tolist() == [1, 0]


@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1.0, 1e12, 1e298])
def test_the_scale_of_values_does_not_matter(scale):
    values, weights = polynomial(np.random.default_rng(3), 4)
    expected = knapsack.best_items(values, weights, 20.0)
    # A power of two, so that the products are exact.
    scaled = values * 2.0 ** np.round(np.log2(scale))
    np.testing.assert_array_equal(knapsack.best_items(scaled, weights, 20.0), expected)


def test_tiny_weights_and_huge_values():
    values, weights = polynomial(np.random.default_rng(4), 3, n_items=10)
    expected = knapsack.best_items(values, weights, 20.0)
    got = knapsack.best_items(values * 2.0**980, weights * 2.0**-1000, 20.0 * 2.0**-1000)
    np.testing.assert_array_equal(got, expected)


def test_more_room_than_needed_takes_everything_of_value():
    values, weights = polynomial(np.random.default_rng(0), 3)
    for capacity in (1e3, 1e15, 1e300):
        np.testing.assert_array_equal(knapsack.best_items(values - 4, weights, capacity), values > 4)


def test_weights_with_a_common_divisor():
    values, weights = electricity(np.random.default_rng(1), 5)
    expected = knapsack.best_items(values, weights, 120.0)
    np.testing.assert_array_equal(knapsack.best_items(values, weights * 1e6, 120.9e6), expected)


@pytest.mark.parametrize(("n_items", "n_dims", "capacity"), [(100, 2, 150.0), (50, 3, 60.0), (100, 5, 450.0)])
def test_large_instances_finish(n_items, n_dims, capacity):
    values, weights = polynomial(np.random.default_rng(0), 3, n_items, n_dims)
    values = values + np.random.default_rng(1).random(values.shape)
    items = knapsack.best_items(values, weights, capacity)
    expected = [reference.best_value(row, weights, np.full(n_dims, capacity)) for row in values]
    np.testing.assert_allclose(knapsack.value(items, values), expected, rtol=1e-6)


def test_the_worst_decision_takes_what_is_negative():
    assert not knapsack.worst_items(np.ones((3, 4)), np.ones(4), 2.0).any()
    z = knapsack.worst_items([1.0, -2.0, -3.0, -1.0], np.ones(4), 2.0)
    assert z.tolist() == [0, 1, 1, 0]


@settings(max_examples=40, deadline=None)
@given(instances(most_items=6))
def test_value_and_regret(instance):
    values, weights, capacity = instance
    hats = values[::-1] + 0.3
    expected = [reference.regret(h, v, weights, capacity) for h, v in zip(hats, values, strict=True)]
    size = np.abs(values).max()
    np.testing.assert_allclose(
        knapsack.regret(hats, values, weights, capacity), expected, atol=1e-12 * max(1.0, size)
    )
    assert (knapsack.regret(values, values, weights, capacity) == 0).all()
    z = np.random.default_rng(0).random(values.shape)
    expected = [reference.value(*row) for row in zip(z, values, strict=True)]
    np.testing.assert_allclose(knapsack.value(z, values), expected, rtol=1e-12, atol=1e-12 * size)


def test_leading_dimensions_broadcast():
    rng = np.random.default_rng(0)
    _, weights = polynomial(rng, 1, 10)
    hats, values = rng.random((4, 3, 10)), rng.random((3, 10))
    got = knapsack.regret(hats, values, weights, 20.0)
    expected = [[knapsack.regret(h, v, weights, 20.0) for h, v in zip(r, values, strict=True)] for r in hats]
    np.testing.assert_array_equal(got, expected)
    crossed = knapsack.regret(hats[:, :1], values, weights, 20.0)
    np.testing.assert_array_equal(crossed[:, 2], knapsack.regret(hats[:, 0], values[2], weights, 20.0))
    assert knapsack.value(np.ones(10), hats).shape == (4, 3)


@pytest.mark.parametrize("method", ["dynamic", "branch"])
def test_a_batch_equals_a_loop(method):
    values, weights = electricity(np.random.default_rng(0), 20)
    batch = knapsack.best_items(values.reshape(4, 5, 48), weights, 120.0, method=method)
    one = [knapsack.best_items(row, weights, 120.0, method=method) for row in values]
    np.testing.assert_array_equal(batch, np.reshape(one, (4, 5, 48)))


def test_views_of_any_layout():
    values, weights = polynomial(np.random.default_rng(0), 12)
    expected = knapsack.best_items(values, weights, 20.0)
    np.testing.assert_array_equal(
        knapsack.best_items(np.asfortranarray(values), np.asfortranarray(weights), 20.0), expected
    )
    np.testing.assert_array_equal(
        knapsack.best_items(values[::2, ::-1], weights[:, ::-1], 20.0),
        knapsack.best_items(values[::2, ::-1].copy(), weights[:, ::-1].copy(), 20.0),
    )


@pytest.mark.parametrize("method", ["dynamic", "branch"])
def test_threads_give_the_same_bits(method, monkeypatch):
    values, weights = electricity(np.random.default_rng(0), 50)
    serial = knapsack.best_items(values, weights, 120.0, method=method)
    monkeypatch.setattr(knapsack, "n_chunks", lambda n_rows, threaded_from: 7)
    np.testing.assert_array_equal(knapsack.best_items(values, weights, 120.0, method=method), serial)


def test_kind_and_precision_follow_the_values():
    values, weights = polynomial(np.random.default_rng(0), 3)
    expected = knapsack.best_items(values, weights, 20.0)
    single = knapsack.best_items(values.astype(np.float32), weights, 20.0)
    assert single.dtype == np.float32
    tensor = knapsack.best_items(torch.tensor(values), torch.tensor(weights), torch.tensor(20.0))
    assert tensor.dtype == torch.float64
    in_graph = knapsack.best_items(torch.tensor(values, requires_grad=True), weights, 20.0)
    assert not in_graph.requires_grad
    for got in (single, tensor, in_graph):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("shape", [(0, 4), (2, 0, 4)])
def test_an_empty_batch(shape):
    none = np.empty(shape)
    for weights in (np.ones(4), np.ones((2, 4))):
        assert knapsack.best_items(none, weights, 2.0).shape == shape
        assert knapsack.best_items(none, weights, 2.0, method="branch").shape == shape
        assert knapsack.relaxed(none, weights, 2.0).shape == shape
        assert knapsack.regret(none, none, weights, 2.0).shape == shape[:-1]
    assert knapsack.value(none, none).shape == shape[:-1]
