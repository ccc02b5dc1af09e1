"""Of equal matchings the first is taken: by the compiled kernel, on tensors and by the oracle."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import matching
from kernels.matching import tensors
from tests.reference import matching as reference

KINDS = ("whole", "tenths", "twin rows", "twin columns", "sums", "last bits")


def with_ties(kind, rng, n_rows, n):
    """Costs (n_rows, n, n); only whole numbers are added and subtracted without rounding."""
    real = rng.normal(size=(n_rows, n, n))
    some = rng.integers(0, max(1, n // 2), n)
    return {
        "whole": rng.integers(-1, 2, real.shape).astype(float),
        "tenths": 0.1 * rng.integers(0, 4, real.shape),
        "twin rows": real[:, some],
        "twin columns": real[:, :, some],
        "sums": real[:, :1] + real[:, :, :1],
        "last bits": 1 + np.finfo(float).eps * rng.integers(0, 4, real.shape),
    }[kind]


@st.composite
def instances(draw, largest):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind, n, n_rows = draw(st.sampled_from(KINDS)), draw(st.integers(1, largest)), draw(st.integers(1, 4))
    return with_ties(kind, rng, n_rows, n)


def on_tensors(costs):
    return tensors.columns(torch.tensor(costs)).numpy()


@settings(max_examples=60, deadline=None)
@given(instances(largest=6))
def test_the_first_of_all_cheapest_permutations_is_taken(costs):
    expected = np.stack([reference.best_columns(c) for c in costs])
    np.testing.assert_array_equal(matching.best_columns(costs), expected)
    np.testing.assert_array_equal(on_tensors(costs), expected)
    np.testing.assert_array_equal(matching.worst_matching(-costs).argmax(-1), expected)


@settings(max_examples=20, deadline=None)
@given(instances(largest=15))
def test_tensors_decide_as_numba_and_a_batch_as_its_rows(costs):
    together = matching.best_columns(costs)
    np.testing.assert_array_equal(on_tensors(costs), together)
    np.testing.assert_array_equal(on_tensors(costs[-1:]), together[-1:])
    np.testing.assert_array_equal([matching.best_columns(c) for c in costs], together)
    found = [reference.optimum(c) for c in costs]
    np.testing.assert_allclose(matching.optimal_cost(costs), found, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n", [9, 12])
def test_larger_instances_take_the_first_too(n):
    costs = np.random.default_rng(n).integers(0, 4, (5, n, n)).astype(float)
    expected = np.stack([reference.best_columns_of_many(c) for c in costs])
    np.testing.assert_array_equal(matching.best_columns(costs), expected)
    np.testing.assert_array_equal(on_tensors(costs), expected)


def test_fifty_rows_are_decided_alike():
    # One batch: in step, it takes the tensors no longer than one instance.
    rng = np.random.default_rng(0)
    costs = np.concatenate([with_ties(kind, rng, 3, 50) for kind in KINDS])
    np.testing.assert_array_equal(on_tensors(costs), matching.best_columns(costs))


@pytest.mark.parametrize("n", [1, 2, 5, 17])
def test_all_costs_equal_give_the_diagonal(n):
    for costs in (np.zeros((n, n)), np.full((n, n), 0.1), np.full((n, n), -3.0)):
        np.testing.assert_array_equal(matching.best_matching(costs), np.eye(n))
        np.testing.assert_array_equal(matching.worst_matching(costs), np.eye(n))
        np.testing.assert_array_equal(on_tensors(costs[None])[0], np.arange(n))


def test_a_pair_that_costs_next_to_infinity_does_not_blur_the_others():
    rng = np.random.default_rng(0)
    costs = np.where(rng.random((200, 5, 5)) < 0.4, 1e15, rng.integers(0, 3, (200, 5, 5)))
    np.testing.assert_array_equal(matching.best_columns(costs), on_tensors(costs))
    possible = [c for c in costs if reference.optimum(c) < 1e15]
    assert len(possible) > 20
    for c in possible:
        np.testing.assert_array_equal(matching.best_columns(c), exact_first(c))


def exact_first(costs):
    bar = reference.optimum(costs)
    return np.array(
        next(p for p in reference.permutations(range(len(costs))) if reference.pay(p, costs) == bar)
    )
