import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import polytope
from kernels.polytope import Polytope, host, smoothed
from tests.kernels.polytope_cases import CASES, costs_of, programs
from tests.reference import polytope as reference


def assert_optimal(z, costs, p, mu):
    size = max(p.form.unit, abs(z).max())
    scale = max(abs(costs).max(), mu * size)
    for row, c in zip(z, costs, strict=True):
        assert (row >= 0).all() and (row <= p.upper).all()
        assert reference.outside(row, p) <= 1e-9 * size
        assert reference.kkt_residual(row, c, p, mu) <= 1e-8 * scale


@settings(max_examples=150, deadline=None)
@given(programs(), st.sampled_from([1e-3, 0.03, 1.0, 30.0]))
def test_decisions_meet_the_kkt_conditions(program, mu):
    p, costs = program
    mu = mu / p.form.unit
    assert_optimal(smoothed(costs, p, mu), costs, p, mu)


@pytest.mark.parametrize("mu", [10.0, 1.0, 0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_decisions_of_the_linear_problems(case, mu):
    p = case()
    costs = costs_of(p, rows=3)
    for c in (costs, np.rint(costs)):
        assert_optimal(smoothed(c, p, mu), c, p, mu)


def test_a_row_whose_steps_go_in_a_circle_is_solved():
    # A knapsack on which predictor and corrector came back to the same point every four steps.
    weights = [[4.59, 4.87, 5.19, 7.59, 6.8, 4.97, 4.84, 3.22, 7.9, 3.62],
               [3.12, 6.81, 7.09, 3.23, 4.47, 5.23, 6.11, 5.23, 4.27, 6.66]]  # fmt: skip
    p = Polytope(at_most=(np.array(weights), np.full(2, 20.0)), upper=np.ones(10))
    costs = np.array([[-0.41952974, 0.11886276, 0.22095045, -0.50031589, -0.48288888, 0.4753167, 0.12424753,
                       1.10270145, 1.09156042, -0.00864407]])  # fmt: skip
    assert_optimal(smoothed(costs, p, 0.1), costs, p, 0.1)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_an_interior_point_solver_finds_the_same(case):
    p = case()
    for c in costs_of(p, rows=2):
        np.testing.assert_allclose(smoothed(c, p, 0.5), reference.smoothed(c, p, 0.5), atol=1e-6)


def test_a_box_cuts():
    p, costs = CASES["box"](), 4.0 * costs_of(CASES["box"](), rows=50)
    np.testing.assert_allclose(smoothed(costs, p, 0.5), np.clip(-costs / 0.5, 0.0, p.upper), atol=1e-14)


def test_a_simplex_is_projected_on():
    p = Polytope(equal=(np.ones((1, 6)), np.ones(1)))
    for c in costs_of(p, rows=20):
        z = smoothed(c, p, 0.7)
        level = (z + c / 0.7)[z > 0]  # all entries above zero were moved by the same amount
        assert np.ptp(level) < 1e-13 and z.sum() == pytest.approx(1.0, abs=1e-14)
        assert (-c / 0.7 + level[0] <= 1e-13)[z == 0].all()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_small_mu_decides_as_the_linear_program(case):
    p = case()
    if not np.isfinite(p.upper).all():
        p = Polytope(equal=p.equal, at_most=p.at_most, upper=1.0)
    for c in costs_of(p, rows=2):
        z = smoothed(c, p, 1e-7)
        assert c @ z == pytest.approx(reference.optimum(c, p), abs=1e-5)
        assert np.allclose(z, np.rint(z)) or case.__name__ in ("knapsack", "energy")


def test_vertices_of_a_whole_polytope_are_exact():
    p = CASES["grid"]()
    z = smoothed(costs_of(p, rows=5), p, 1e-6)
    assert np.isin(z, (0.0, 1.0)).all() and (z.sum(-1) == 5).all()


@pytest.mark.parametrize("mu", [1e-9, 1e-6, 1e6, 1e9])
def test_costs_of_any_size(mu):
    for case in CASES.values():
        p = case()
        costs = costs_of(p, rows=2)
        z = smoothed(costs, p, mu)
        np.testing.assert_allclose(smoothed(1e5 * costs, p, 1e5 * mu), z, atol=1e-7)
        np.testing.assert_allclose(smoothed(1e-200 * costs, p, 1e-200 * mu), z, atol=1e-7)
        assert max(reference.outside(row, p) for row in z) <= 1e-9


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_decisions_of_any_size(size):
    weights, room = np.random.default_rng(0).random((2, 6)), np.array([1.5, 1.2])
    costs = -np.random.default_rng(1).random((4, 6))
    small = Polytope(at_most=(weights, room), upper=1.0)
    large = Polytope(at_most=(1e3 * weights, 1e3 * size * room), upper=size)
    np.testing.assert_allclose(
        smoothed(costs, large, 0.1 / size), size * smoothed(costs, small, 0.1), rtol=1e-9
    )


def test_rows_that_others_imply_change_nothing():
    p = CASES["top_k"]()
    a, b = p.equal
    more = Polytope(
        equal=(np.vstack([a, 3 * a, 0 * a, -a]), np.concatenate([b, 3 * b, 0 * b, -b])),
        at_most=(np.vstack([a, np.eye(12), 0 * a]), np.concatenate([b + 1, np.ones(12), [0.0]])),
        upper=1.0,
    )
    assert more.form.given.n_equal == 1 and len(more.form.given.right) == 14
    costs = costs_of(p)
    for mu in (1.0, 1e-4):
        np.testing.assert_allclose(smoothed(costs, more, mu), smoothed(costs, p, mu), atol=1e-11)


def test_more_tight_constraints_than_dimensions():
    # A pyramid's top: five faces meet in three dimensions, and all costs of a cone end there.
    faces = np.array([[1.0, 0, 1], [-1, 0, 1], [0, 1, 1], [0, -1, 1], [0, 0, 1]])
    p = Polytope(at_most=(faces, np.array([2.0, 0, 2, 0, 1])), upper=2.0)
    costs = np.array([[0.0, 0, -4], [0.5, -0.5, -4], [0.0, 0, -1.5], [-1.0, 0, -8.0]])
    z = smoothed(costs, p, 1.0)
    assert_optimal(z, costs, p, 1.0)
    np.testing.assert_allclose(z[0], [1.0, 1.0, 1.0], atol=1e-12)


def test_a_batch_equals_a_loop():
    p = CASES["grid"](3, 3)
    costs = np.rint(2 * costs_of(p, rows=12)).reshape(3, 4, -1)
    z = smoothed(costs, p, 0.3)
    for row in np.ndindex(3, 4):
        np.testing.assert_array_equal(z[row], smoothed(costs[row], p, 0.3))


def test_threads_change_no_bit(monkeypatch):
    p = CASES["knapsack"]()
    costs = costs_of(p, rows=23)
    expected = smoothed(costs, p, 0.2)
    monkeypatch.setattr(host, "n_chunks", lambda *sizes: 5)
    np.testing.assert_array_equal(smoothed(costs, p, 0.2), expected)


@pytest.mark.parametrize("lead", [(0,), (2, 0), (1,), ()])
def test_empty_and_single_batches(lead):
    p = CASES["top_k"]()
    assert smoothed(np.zeros((*lead, 12)), p, 1.0).shape == (*lead, 12)
    assert polytope.barrier(np.zeros((*lead, 12)), p, 0.1, 0.1).shape == (*lead, 12)


def test_order_in_memory_is_irrelevant():
    p = CASES["top_k"]()
    costs = costs_of(p)
    spread = np.empty((12, 24))
    spread[::2, ::2] = costs
    fixed = costs.copy()
    fixed.flags.writeable = False
    for view in (np.asfortranarray(costs), spread[::2, ::2], costs[::-1][::-1], fixed):
        np.testing.assert_array_equal(smoothed(view, p, 1.0), smoothed(costs, p, 1.0))
