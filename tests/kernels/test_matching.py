import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from kernels import matching
from kernels.matching import compiled
from kernels.matching import given as given_costs
from tests.reference import matching as reference


@st.composite
def instances(draw, largest=6):
    """Costs (N, n, n): negative ones, whole numbers with ties, products where rows want the same columns."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, n_rows = draw(st.integers(1, largest)), draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["normal", "whole", "product", "low rank"]))
    if kind == "normal":
        return rng.normal(size=(n_rows, n, n))
    if kind == "whole":
        return rng.integers(-2, 3, (n_rows, n, n)).astype(float)
    rank = 1 if kind == "product" else 2
    return rng.random((n_rows, n, rank)) @ rng.random((n_rows, rank, n))


def is_matching(z):
    return np.isin(z, (0, 1)).all() and (z.sum(-1) == 1).all() and (z.sum(-2) == 1).all()


@settings(max_examples=60, deadline=None)
@given(instances())
def test_matchings_are_the_cheapest_permutations(costs):
    best, columns = matching.best_matching(costs), matching.best_columns(costs)
    worst, optimum = matching.worst_matching(costs), matching.optimal_cost(costs)
    assert is_matching(best) and is_matching(worst)
    np.testing.assert_array_equal(best.argmax(-1), columns)
    np.testing.assert_allclose(matching.cost(best, costs), optimum, atol=1e-12)
    for row, c in enumerate(costs):
        assert optimum[row] == pytest.approx(reference.optimum(c), abs=1e-12)
        assert matching.cost(worst[row], c) == pytest.approx(-reference.optimum(-c), abs=1e-12)
        np.testing.assert_array_equal(columns[row], reference.best_columns(c))


@settings(max_examples=30, deadline=None)
@given(instances(largest=25))
def test_larger_instances_cost_what_scipy_finds(costs):
    assert is_matching(matching.best_matching(costs))
    expected = [reference.optimum(c) for c in costs]
    np.testing.assert_allclose(matching.optimal_cost(costs), expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(instances(), st.integers(0, 2**32 - 1))
def test_regret_is_the_loss_of_the_predicted_matching(costs, seed):
    hat = np.random.default_rng(seed).normal(size=costs.shape)
    regret = matching.regret(hat, costs)
    for row, c in enumerate(costs):
        paid = reference.pay(reference.best_columns(hat[row]), c)
        assert regret[row] == pytest.approx(paid - reference.optimum(c), abs=1e-12)
    assert (regret >= -1e-12).all()
    assert (matching.regret(costs, costs) == 0).all()


def test_whole_numbers_have_exact_optima():
    rng = np.random.default_rng(0)
    for n, top in [(12, 3), (30, 10), (40, 10**6)]:
        costs = rng.integers(-top, top, (5, n, n)).astype(float)
        assert matching.optimal_cost(costs).tolist() == [reference.optimum(c) for c in costs]


def test_every_permutation_is_found_where_it_is_the_cheapest():
    rng = np.random.default_rng(0)
    columns = np.stack([rng.permutation(9) for _ in range(40)])
    z = np.eye(9)[columns]
    np.testing.assert_array_equal(matching.best_matching(-z), z)
    np.testing.assert_array_equal(matching.best_matching(rng.normal(size=(40, 9, 1)) + 1 - z), z)
    np.testing.assert_array_equal(matching.worst_matching(z), z)


def test_a_linear_program_finds_the_same():
    costs = np.random.default_rng(0).normal(size=(7, 7))
    ones = np.vstack([np.kron(np.eye(7), np.ones(7)), np.kron(np.ones(7), np.eye(7))])
    solved = linprog(costs.reshape(-1), A_eq=ones, b_eq=np.ones(14))
    np.testing.assert_allclose(matching.best_matching(costs).reshape(-1), solved.x, atol=1e-9)


def test_costs_of_any_scale_are_solved():
    # The first differ in their last bits only, the second by 24 orders of magnitude.
    rng = np.random.default_rng(0)
    costs = 1.0 + np.finfo(float).eps * rng.integers(0, 4, (20, 30, 30))
    expected = [c[linear_sum_assignment(c)].sum() for c in costs]
    np.testing.assert_allclose(matching.optimal_cost(costs), expected, rtol=1e-13)
    wide = 10.0 ** rng.uniform(-12, 12, (20, 12, 12))
    expected = [c[linear_sum_assignment(c)].sum() for c in wide]
    np.testing.assert_allclose(matching.optimal_cost(wide), expected, rtol=1e-12)


def test_a_batch_equals_a_loop():
    rng = np.random.default_rng(0)
    hat, costs = rng.integers(0, 5, (2, 20, 6, 6)).astype(float)
    best, regret = matching.best_matching(costs), matching.regret(hat, costs)
    for row in range(20):
        np.testing.assert_array_equal(best[row], matching.best_matching(costs[row]))
        assert regret[row] == matching.regret(hat[row], costs[row])


@pytest.mark.parametrize(
    ("lead_hat", "lead"), [((4, 3), (3,)), ((3,), (4, 3)), ((4, 1), (3,)), ((), (3,)), ((2, 1, 3), (4, 1))]
)
def test_broadcasting_equals_a_loop(lead_hat, lead):
    rng = np.random.default_rng(1)
    hat, costs = rng.normal(size=(*lead_hat, 4, 4)), rng.normal(size=(*lead, 4, 4))
    shape = np.broadcast_shapes(lead_hat, lead)
    regret, paid = matching.regret(hat, costs), matching.cost(hat, costs)
    assert regret.shape == paid.shape == shape
    hat, costs = np.broadcast_to(hat, (*shape, 4, 4)), np.broadcast_to(costs, (*shape, 4, 4))
    for row in np.ndindex(shape):
        assert regret[row] == matching.regret(hat[row], costs[row])
        assert paid[row] == pytest.approx((hat[row] * costs[row]).sum())


def test_threads_change_no_bit(monkeypatch):
    rng = np.random.default_rng(0)
    costs = rng.integers(0, 6, (100, 7, 7)).astype(float)
    limit, columns = given_costs.limit(7), np.empty((100, 7), np.int64)
    expected = matching.best_columns(costs)
    assert compiled.matchings_threaded(costs, limit, 7, columns) == -1
    np.testing.assert_array_equal(columns, expected)
    monkeypatch.setattr(matching, "n_chunks", lambda *sizes: 3)
    np.testing.assert_array_equal(matching.best_columns(costs), expected)
    costs[60, 1, 2] = np.nan
    assert compiled.matchings_threaded(costs, limit, 7, columns) == 60


@pytest.mark.parametrize("lead", [(0,), (2, 0), (1,), ()])
def test_empty_and_single_batches(lead):
    costs = np.full((*lead, 3, 3), 0.5)
    assert matching.best_matching(costs).shape == matching.worst_matching(costs).shape == (*lead, 3, 3)
    assert matching.best_columns(costs).shape == (*lead, 3)
    assert matching.optimal_cost(costs).shape == matching.regret(costs, costs).shape == lead
    assert matching.cost(costs, costs).shape == lead


def test_order_in_memory_is_irrelevant():
    costs = np.random.default_rng(0).normal(size=(30, 5, 5))
    expected = matching.best_matching(costs)
    spread = np.empty((60, 10, 5))
    spread[::2, ::2] = costs
    for view in (np.asfortranarray(costs), spread[::2, ::2], costs.swapaxes(1, 2).copy().swapaxes(1, 2)):
        np.testing.assert_array_equal(matching.best_matching(view), expected)
        np.testing.assert_array_equal(matching.regret(view[::-1], view), matching.regret(costs[::-1], costs))
