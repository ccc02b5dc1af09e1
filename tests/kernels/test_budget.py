from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings

from kernels import budget
from kernels.budget import search
from tests.kernels.budget_cases import click_rates, instances, weights_of_rows
from tests.reference import budget as reference


@settings(max_examples=40, deadline=None)
@given(instances())
def test_best_and_worst_are_the_first_extremes(instance):
    ctr, size, weights = instance
    solution = budget.solve(ctr, size, weights=weights)
    worst = budget.worst_subset(ctr, size, weights=weights)
    assert solution.method == "enumeration"
    for row, users in enumerate(weights_of_rows(weights, ctr)):
        np.testing.assert_array_equal(solution.z[row], reference.extreme_subset(ctr[row], size, users))
        np.testing.assert_array_equal(worst[row], reference.extreme_subset(ctr[row], size, users, -1))
        assert solution.value[row] == pytest.approx(
            reference.value(solution.z[row], ctr[row], users), abs=1e-9
        )


@settings(max_examples=30, deadline=None)
@given(instances())
def test_branch_and_bound_finds_the_same_subsets(instance):
    ctr, size, weights = instance
    users = weights_of_rows(weights, ctr).copy()
    rows = np.arange(len(ctr))
    for sign, expected in [(1.0, budget.best_subset), (-1.0, budget.worst_subset)]:
        chosen, values = np.empty((len(ctr), size), np.int64), np.empty(len(ctr))
        nodes = np.empty(len(ctr), np.int64)
        search.search_subsets(ctr, users, rows, rows, sign, 10**6, chosen, values, nodes)
        z = expected(ctr, size, weights=weights)
        np.testing.assert_array_equal(np.sort(np.argsort(-z, kind="stable")[:, :size]), chosen)
        np.testing.assert_allclose(values, budget.value(z, ctr, weights=weights), atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(instances())
def test_greedy_is_greedy_and_keeps_its_guarantee(instance):
    ctr, size, weights = instance
    greedy = budget.solve(ctr, size, weights=weights, method="greedy")
    best = budget.solve(ctr, size, weights=weights)
    assert greedy.method == "greedy"
    assert (greedy.z.sum(-1) == size).all()
    assert (greedy.value >= (1 - 1 / np.e) * best.value - 1e-9).all()
    for row, users in enumerate(weights_of_rows(weights, ctr)):
        np.testing.assert_array_equal(greedy.z[row], reference.greedy_subset(ctr[row], size, users))


@settings(max_examples=40, deadline=None)
@given(instances())
def test_regret_properties(instance):
    ctr, size, weights = instance
    hat = np.random.default_rng(0).random(ctr.shape)
    regret = budget.regret(hat, ctr, size, weights=weights)
    chosen = budget.best_subset(hat, size, weights=weights)
    best = budget.solve(ctr, size, weights=weights).value
    assert (regret >= -1e-9).all()
    np.testing.assert_allclose(regret, best - budget.value(chosen, ctr, weights=weights), atol=1e-9)
    assert (budget.regret(ctr, ctr, size, weights=weights) == 0).all()


def test_no_random_subset_beats_best_or_undercuts_worst():
    rng = np.random.default_rng(0)
    ctr = click_rates(rng, (20, 9, 10))
    z = np.argsort(np.argsort(rng.random((50, 20, 9)))) < 4
    values = budget.value(z.astype(float), ctr)
    assert (values <= budget.solve(ctr, 4).value + 1e-9).all()
    assert (values >= budget.value(budget.worst_subset(ctr, 4), ctr) - 1e-9).all()


@pytest.mark.parametrize(
    ("lead_hat", "lead_ctr", "lead_weights"),
    [
        ((4, 3), (3,), None),
        ((3,), (4, 3), (3,)),
        ((4, 1), (3,), ()),
        ((), (3,), (2, 1)),
        ((2, 1, 3), (4, 1), None),
    ],
)
def test_broadcasting_equals_a_loop(lead_hat, lead_ctr, lead_weights):
    rng = np.random.default_rng(1)
    hat, ctr = rng.random((*lead_hat, 5, 4)), rng.random((*lead_ctr, 5, 4))
    weights = None if lead_weights is None else rng.random((*lead_weights, 4))
    shape = np.broadcast_shapes(lead_hat, lead_ctr, lead_weights or ())
    got = budget.regret(hat, ctr, weights=weights)
    z = rng.random((*lead_hat, 5))
    values = budget.value(z, ctr, weights=weights)
    assert got.shape == values.shape == shape
    hat, ctr = (np.broadcast_to(a, (*shape, 5, 4)) for a in (hat, ctr))
    z = np.broadcast_to(z, (*shape, 5))
    users = np.broadcast_to(np.ones(4) if weights is None else weights, (*shape, 4))
    for row in np.ndindex(shape):
        assert got[row] == budget.regret(hat[row], ctr[row], weights=users[row])
        assert values[row] == pytest.approx(reference.value(z[row], ctr[row], users[row]), abs=1e-12)


def test_row_and_user_order_are_irrelevant():
    rng = np.random.default_rng(0)
    ctr, hat = rng.random((40, 6, 5)), rng.random((40, 6, 5))
    rows, users = rng.permutation(40), rng.permutation(5)
    regret = budget.regret(hat, ctr, 3)
    np.testing.assert_array_equal(budget.regret(hat[rows], ctr[rows], 3), regret[rows])
    np.testing.assert_allclose(budget.regret(hat[..., users], ctr[..., users], 3), regret, atol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_ties_go_to_the_first_subset(size):
    for ctr in (np.zeros((5, 3)), np.ones((5, 3)), np.full((5, 3), 0.3)):
        expected = [1.0] * size + [0.0] * (5 - size)
        np.testing.assert_array_equal(budget.best_subset(ctr, size), expected)
        np.testing.assert_array_equal(budget.worst_subset(ctr, size), expected)
        np.testing.assert_array_equal(budget.best_subset(ctr, size, method="greedy"), expected)


def test_tiny_rates_are_not_mistaken_for_ties():
    ctr = np.array([[1.0], [2.0], [4.0], [3.0]]) * 1e-14
    np.testing.assert_array_equal(budget.best_subset(ctr, 2), [0, 0, 1, 1])


@pytest.mark.parametrize("lead", [(0,), (2, 0), (1,), ()])
def test_empty_and_single_batches(lead):
    ctr = np.full((*lead, 5, 4), 0.5)
    assert budget.best_subset(ctr).shape == budget.worst_subset(ctr).shape == (*lead, 5)
    assert budget.solve(ctr, method="greedy").value.shape == lead
    assert budget.regret(ctr, ctr).shape == budget.value(np.ones(5), ctr).shape == lead
    assert budget.relax(ctr).shape == budget.project(np.ones((*lead, 5)), 2).shape == (*lead, 5)


@pytest.mark.slow
def test_a_large_instance_is_searched():
    rng = np.random.default_rng(0)
    ctr = rng.beta(0.5, 3, (3, 50, 10))
    assert comb(50, 5) > budget.ENUMERATION_LIMIT
    solution = budget.solve(ctr, 5)
    assert solution.method == "branch-and-bound"
    np.testing.assert_allclose(budget.value(solution.z, ctr), solution.value, atol=1e-9)
    worst = budget.value(budget.worst_subset(ctr, 5), ctr)
    # Vectorised brute force over all 2.1 million subsets of the first instance.
    missed, low, high = 1 - ctr[0], np.inf, 0.0
    tails = np.array(list(combinations(range(50), 3)))
    tail_missed = missed[tails].prod(1)
    for a, b in combinations(range(50), 2):
        ahead = tails[:, 0] > b
        if ahead.any():
            values = 10 - tail_missed[ahead] @ (missed[a] * missed[b])
            low, high = min(low, values.min()), max(high, values.max())
    assert solution.value[0] == pytest.approx(high, abs=1e-9)
    assert worst[0] == pytest.approx(low, abs=1e-9)
    assert (budget.regret(rng.random((2, 3, 50, 10)), ctr, 5) >= -1e-9).all()
