import numpy as np
import pytest
from hypothesis import given, settings

from kernels import knapsack
from kernels.knapsack import relaxation
from tests.kernels.knapsack_cases import electricity, instances, polynomial
from tests.reference import knapsack as reference


def assert_optimal(values, weights, capacity):
    z = knapsack.relaxed(values, weights, capacity)
    assert ((z >= 0) & (z <= 1)).all()
    assert (z @ np.atleast_2d(weights).T <= np.asarray(capacity) * (1 + 1e-12) + 1e-12).all()
    expected = [reference.relaxed_value(row, weights, capacity) for row in values]
    np.testing.assert_allclose(
        knapsack.value(z, values), expected, rtol=1e-7, atol=1e-7 * np.abs(values).max()
    )
    return z


@settings(max_examples=150, deadline=None)
@given(instances(most_items=10, most_dims=4))
def test_relaxation_against_highs(instance):
    # HiGHS has absolute tolerances of 1e-7, so the values are brought to a size of one.
    values, weights, capacity = instance
    assert_optimal(values / max(np.abs(values).max(), 1e-300), weights, capacity)


@pytest.mark.parametrize(
    ("n_items", "n_dims", "capacity"), [(32, 2, 20), (100, 5, 250), (60, 8, 60), (48, 1, 90)]
)
def test_larger_relaxations_are_vertices(n_items, n_dims, capacity):
    values, weights = polynomial(np.random.default_rng(0), 10, n_items, n_dims)
    z = assert_optimal(values, weights, np.full(n_dims, float(capacity)))
    assert (((z > 0) & (z < 1)).sum(1) <= n_dims).all()


def test_the_relaxation_is_never_worse_than_the_decision():
    values, weights = polynomial(np.random.default_rng(1), 200)
    decided = knapsack.value(knapsack.best_items(values, weights, 20.0), values)
    assert (knapsack.value(knapsack.relaxed(values, weights, 20.0), values) >= decided * (1 - 1e-8)).all()


def test_one_dimension_fills_by_ratio_and_the_lowest_index_first():
    z = knapsack.relaxed([[2.0, 4.0, 1.0, 0.0, 3.0]], [2.0, 4.0, 1.0, 0.0, 0.0], 3.0)
    assert z.tolist() == [[1.0, 0.25, 0.0, 0.0, 1.0]]


def test_one_and_several_dimensions_agree():
    values, weights = electricity(np.random.default_rng(0), 20)
    one = knapsack.relaxed(values, weights, 120.0)
    two = knapsack.relaxed(values, np.stack([weights, weights]), 120.0)
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_items_heavier_than_the_capacity_count_in_part():
    assert knapsack.relaxed([[10.0, 1.0]], [4.0, 1.0], 1.0).tolist() == [[0.25, 0.0]]


def test_rows_without_proof_go_to_highs(monkeypatch):
    values, weights = polynomial(np.random.default_rng(0), 4)
    expected = knapsack.value(knapsack.relaxed(values, weights, 20.0), values)

    def wrong(rows, weights, capacity, start, stop, z, prices, gaps):
        z[:], gaps[:] = 0.0, np.nan

    monkeypatch.setattr(relaxation, "solve_rows", wrong)
    got = knapsack.value(knapsack.relaxed(values, weights, 20.0), values)
    np.testing.assert_allclose(got, expected, rtol=1e-7)


def test_most_rows_are_proven_by_the_simplex_itself():
    values, weights = polynomial(np.random.default_rng(0), 500)
    z, prices, gaps = np.empty(values.shape), np.empty((500, 2)), np.empty(500)
    relaxation.solve_rows(values, weights, np.full(2, 20.0), 0, 500, z, prices, gaps)
    assert (gaps <= 1e-12).all()
    assert (prices >= 0).all()
