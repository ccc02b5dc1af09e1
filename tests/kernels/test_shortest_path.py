import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from kernels import shortest_path
from kernels.shortest_path import compiled
from tests.reference import shortest_path as reference


@st.composite
def instances(draw):
    """(costs (N, arcs), height, width): negative costs too, and whole numbers, so that ties are common."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    height, width = draw(st.sampled_from([(1, 2), (1, 4), (2, 1), (4, 1), (2, 2), (3, 3), (2, 5), (5, 3)]))
    shape = draw(st.integers(1, 4)), shortest_path.n_arcs(height, width)
    if draw(st.booleans()):
        return rng.integers(-2, 3, shape).astype(float), height, width
    return rng.normal(size=shape), height, width


@settings(max_examples=60, deadline=None)
@given(instances())
def test_paths_and_costs_are_those_of_the_enumeration(instance):
    costs, height, width = instance
    best, worst = (
        shortest_path.best_path(costs, height, width),
        shortest_path.worst_path(costs, height, width),
    )
    optimum = shortest_path.optimal_cost(costs, height, width)
    for row, c in enumerate(costs):
        np.testing.assert_array_equal(best[row], reference.best_path(c, height, width))
        np.testing.assert_array_equal(worst[row], reference.best_path(-c, height, width))
        assert optimum[row] == reference.optimum(c, height, width)
    np.testing.assert_array_equal(shortest_path.cost(best, costs), optimum)


@settings(max_examples=40, deadline=None)
@given(instances(), st.integers(0, 2**32 - 1))
def test_regret_is_that_of_the_enumeration(instance, seed):
    costs, height, width = instance
    hat = np.random.default_rng(seed).integers(-2, 3, costs.shape).astype(float)
    regret = shortest_path.regret(hat, costs, height, width)
    for row in range(len(costs)):
        assert regret[row] == reference.regret(hat[row], costs[row], height, width)
    assert (regret >= 0).all()
    assert (shortest_path.regret(costs, costs, height, width) == 0).all()


def test_arcs_are_numbered_as_in_the_enumeration():
    for height, width in [(1, 3), (3, 1), (2, 2), (5, 5), (3, 4)]:
        expected = [(i * width + j, k * width + m) for (i, j), (k, m) in reference.arc_numbers(height, width)]
        np.testing.assert_array_equal(shortest_path.arcs(height, width), expected)
        assert shortest_path.n_arcs(height, width) == len(expected)
    assert shortest_path.n_arcs(5, 5) == 40
    np.testing.assert_array_equal(shortest_path.arcs(2, 2), [(0, 1), (0, 2), (1, 3), (2, 3)])


def test_every_path_is_found_where_it_is_the_cheapest():
    paths = reference.all_paths(4, 4)
    z = np.array([reference.indicator(path, shortest_path.n_arcs(4, 4)) for path in paths])
    np.testing.assert_array_equal(shortest_path.best_path(1 - z, 4, 4), z)
    np.testing.assert_array_equal(shortest_path.worst_path(z, 4, 4), z)


def test_a_linear_program_finds_the_same():
    height, width = 4, 6
    rng, arcs = np.random.default_rng(0), shortest_path.arcs(4, 6)
    costs = rng.normal(size=len(arcs))
    balance = np.zeros((height * width, len(arcs)))
    balance[arcs[:, 0], np.arange(len(arcs))], balance[arcs[:, 1], np.arange(len(arcs))] = 1, -1
    supply = np.zeros(height * width)
    supply[0], supply[-1] = 1, -1
    solved = linprog(costs, A_eq=balance, b_eq=supply, bounds=(0, 1))
    np.testing.assert_allclose(shortest_path.best_path(costs, height, width), solved.x, atol=1e-9)
    assert shortest_path.optimal_cost(costs, height, width) == pytest.approx(solved.fun)


def test_on_a_tie_the_path_goes_right():
    right_first = reference.indicator(reference.all_paths(3, 4)[0], 17)
    for equal in (np.zeros(17), np.ones(17), np.full(17, -0.1)):
        np.testing.assert_array_equal(shortest_path.best_path(equal, 3, 4), right_first)
        np.testing.assert_array_equal(shortest_path.worst_path(equal, 3, 4), right_first)


@pytest.mark.parametrize("n_rows", [1, 31, 63, 64, 65, 130])
def test_a_batch_equals_a_loop(n_rows):
    rng = np.random.default_rng(n_rows)
    hat, costs = rng.normal(size=(2, n_rows, 17))
    paths = shortest_path.best_path(costs, 3, 4)
    regrets = shortest_path.regret(hat, costs, 3, 4)
    optima = shortest_path.optimal_cost(costs, 3, 4)
    for row in range(n_rows):
        np.testing.assert_array_equal(paths[row], shortest_path.best_path(costs[row], 3, 4))
        assert regrets[row] == shortest_path.regret(hat[row], costs[row], 3, 4)
        assert optima[row] == shortest_path.optimal_cost(costs[row], 3, 4)


@pytest.mark.parametrize(
    ("lead_hat", "lead"), [((4, 3), (3,)), ((3,), (4, 3)), ((4, 1), (3,)), ((), (3,)), ((2, 1, 3), (4, 1))]
)
def test_broadcasting_equals_a_loop(lead_hat, lead):
    rng = np.random.default_rng(1)
    hat, costs = rng.normal(size=(*lead_hat, 12)), rng.normal(size=(*lead, 12))
    shape = np.broadcast_shapes(lead_hat, lead)
    regret, paid = shortest_path.regret(hat, costs, 3, 3), shortest_path.cost(hat, costs)
    assert regret.shape == paid.shape == shape
    hat, costs = np.broadcast_to(hat, (*shape, 12)), np.broadcast_to(costs, (*shape, 12))
    for row in np.ndindex(shape):
        assert regret[row] == reference.regret(hat[row], costs[row], 3, 3)
        assert paid[row] == pytest.approx(hat[row] @ costs[row])


def test_threads_change_no_bit():
    rng = np.random.default_rng(0)
    hat, costs = rng.normal(size=(2, 333, 40))
    out = np.empty_like(costs)
    assert compiled.paths_threaded(costs, 5, 5, 1.0, 7, out) == -1
    np.testing.assert_array_equal(out, shortest_path.best_path(costs, 5, 5))
    rows, regrets = np.empty(0, np.int64), np.empty(333)
    assert compiled.regrets_threaded(hat, costs, rows, rows, 5, 5, 7, regrets) == -1
    np.testing.assert_array_equal(regrets, shortest_path.regret(hat, costs, 5, 5))
    costs[200, 3] = np.nan
    assert compiled.paths_threaded(costs, 5, 5, 1.0, 7, out) == 200
    assert compiled.regrets_threaded(hat, costs, rows, rows, 5, 5, 7, regrets) == 200


def test_large_batches_use_the_threads(monkeypatch):
    rng = np.random.default_rng(0)
    hat, costs = rng.normal(size=(2, 50, 40))
    expected = shortest_path.best_path(costs, 5, 5), shortest_path.regret(hat, costs, 5, 5)
    asked = []
    monkeypatch.setattr(shortest_path, "n_chunks", lambda *sizes: asked.append(sizes) or 3)
    np.testing.assert_array_equal(shortest_path.best_path(costs, 5, 5), expected[0])
    np.testing.assert_array_equal(shortest_path.regret(hat, costs, 5, 5), expected[1])
    assert [size for size, _ in asked] == [2000, 2000]


def test_a_wide_grid_agrees_with_the_plain_recursion():
    rng = np.random.default_rng(0)
    costs = rng.normal(size=shortest_path.n_arcs(20, 30))
    numbers = reference.arc_numbers(20, 30)
    to_go = {(19, 29): 0.0}
    for i in range(19, -1, -1):
        for j in range(29, -1, -1):
            ways = [
                costs[numbers[(i, j), after]] + to_go[after]
                for after in [(i, j + 1), (i + 1, j)]
                if ((i, j), after) in numbers
            ]
            to_go[i, j] = min(ways, default=0.0)
    assert shortest_path.optimal_cost(costs, 20, 30) == to_go[0, 0]
    assert shortest_path.cost(shortest_path.best_path(costs, 20, 30), costs) == to_go[0, 0]


@pytest.mark.parametrize("lead", [(0,), (2, 0), (1,), ()])
def test_empty_and_single_batches(lead):
    costs = np.full((*lead, 12), 0.5)
    assert shortest_path.best_path(costs, 3, 3).shape == shortest_path.worst_path(costs, 3, 3).shape
    assert shortest_path.best_path(costs, 3, 3).shape == (*lead, 12)
    assert shortest_path.optimal_cost(costs, 3, 3).shape == lead
    assert shortest_path.regret(costs, costs, 3, 3).shape == shortest_path.cost(costs, costs).shape == lead


def test_order_in_memory_is_irrelevant():
    rng = np.random.default_rng(0)
    costs = rng.normal(size=(70, 12))
    expected = shortest_path.best_path(costs, 3, 3)
    spread = np.empty((140, 24))
    spread[::2, ::2] = costs
    for view in (np.asfortranarray(costs), spread[::2, ::2], costs[::-1][::-1]):
        np.testing.assert_array_equal(shortest_path.best_path(view, 3, 3), expected)
        np.testing.assert_array_equal(
            shortest_path.regret(view, view[::-1], 3, 3),
            shortest_path.regret(costs, costs[::-1].copy(), 3, 3),
        )
