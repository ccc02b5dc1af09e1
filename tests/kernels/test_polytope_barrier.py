import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.errors import SolverError
from kernels.polytope import Polytope, barrier, host
from tests.kernels.polytope_cases import CASES, costs_of, programs
from tests.reference import polytope as reference

FORMS = ("hsd", "kkt")


def vjp(costs, p, stop, damping, form, grad):
    given = torch.tensor(costs, requires_grad=True)
    z = barrier(given, p, stop, damping, form=form)
    (out,) = torch.autograd.grad(z, given, torch.tensor(grad))
    return out.numpy()


@pytest.mark.parametrize("stop", [10.0, 0.3, 1e-2, 1e-5])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_path_is_that_of_one_dense_system(case, stop):
    p = case()
    f, b = reference.standard_form(p)
    costs = costs_of(p, rows=2)
    z = barrier(costs, p, stop, 0.1)
    for row, c in zip(z, costs, strict=True):
        x, _, _, tau, _ = reference.path(c, f, b, stop)
        np.testing.assert_allclose(row, x[: len(p)] / tau, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("damping", [0.0, 1e-3, 0.1, 10.0])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_derivative_is_the_published_formula(case, damping, form):
    p = case()
    f, b = reference.standard_form(p)
    (c,), grad = costs_of(p, rows=1), np.random.default_rng(1).normal(size=len(p))
    state = reference.path(c, f, b, 0.1)
    expected = grad @ reference.barrier_jacobian(c, f, b, state, damping, form == "hsd")
    np.testing.assert_allclose(vjp(c, p, 0.1, damping, form, grad), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_without_damping_it_is_how_the_stopped_point_moves(case, form):
    # Everything that fixed the point stays, its gaps and products of pairs, while costs change.
    p = case()
    f, b = reference.standard_form(p)
    (c,), (grad, direction) = costs_of(p, rows=1), np.random.default_rng(1).normal(size=(2, len(p)))
    state, step = reference.path(c, f, b, 0.1), 1e-5
    ahead, behind = (
        reference.moved(c, sign * step * direction, f, b, state, form == "hsd") for sign in (1.0, -1.0)
    )
    expected = grad @ (ahead - behind) / (2 * step)
    assert vjp(c, p, 0.1, 0.0, form, grad) @ direction == pytest.approx(expected, rel=1e-6, abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(
    programs(largest=5), st.sampled_from([0.3, 1e-2]), st.sampled_from([1e-3, 1.0]), st.sampled_from(FORMS)
)
def test_random_programs_follow_path_and_formula(program, stop, damping, form):
    p, (c, *_) = program
    size = p.form.unit  # numbers of about one: the path starts from ones
    p = Polytope(
        equal=(p.equal[0], p.equal[1] / size),
        at_most=(p.at_most[0], p.at_most[1] / size),
        upper=np.minimum(p.upper / size, 10.0),
    )
    f, b = reference.standard_form(p)
    grad = np.random.default_rng(0).normal(size=c.shape)
    state = reference.path(c, f, b, stop)
    expected = state[0][: len(p)] / state[3]
    np.testing.assert_allclose(barrier(c, p, stop, damping), expected, rtol=1e-6, atol=1e-8)
    slope = grad @ reference.barrier_jacobian(c, f, b, state, damping, form == "hsd")
    found = vjp(c, p, stop, damping, form, grad)
    np.testing.assert_allclose(found, slope, rtol=1e-5, atol=1e-7 * abs(slope).max() + 1e-10)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_end_of_the_path_is_the_optimum_of_the_linear_program(case):
    p = case()
    for c in costs_of(p, rows=3):
        z = barrier(c, p, 1e-9, 0.1)
        assert c @ z == pytest.approx(reference.optimum(c, p), abs=1e-6)
        assert reference.outside(z, p) <= 1e-6 and (z > 0).all()


def test_a_path_stopped_earlier_is_farther_from_the_constraints_it_must_meet():
    p = CASES["grid"]()
    costs = costs_of(p)
    missed = [
        max(reference.outside(z, p) for z in barrier(costs, p, stop, 0.1)) for stop in (0.3, 1e-2, 1e-4, 1e-6)
    ]
    assert missed == sorted(missed, reverse=True) and missed[0] > 1e-3 and missed[-1] < 1e-5


def test_the_kkt_form_is_symmetric_and_never_raises_costs_with_their_own_entry():
    p = CASES["knapsack"]()
    (c,) = costs_of(p, rows=1)
    jacobian = np.stack([vjp(c, p, 0.1, 0.1, "kkt", unit) for unit in np.eye(len(p))])
    np.testing.assert_allclose(jacobian, jacobian.T, atol=1e-12)
    assert np.linalg.eigvalsh(jacobian).max() < 0


def test_a_batch_equals_a_loop_and_threads_change_no_bit(monkeypatch):
    p = CASES["knapsack"]()
    costs = costs_of(p, rows=12).reshape(3, 4, -1)
    z, slope = barrier(costs, p, 1e-3, 0.1), vjp(costs, p, 1e-3, 0.1, "hsd", costs)
    for row in np.ndindex(3, 4):
        np.testing.assert_array_equal(z[row], barrier(costs[row], p, 1e-3, 0.1))
        np.testing.assert_array_equal(slope[row], vjp(costs[row], p, 1e-3, 0.1, "hsd", costs[row]))
    monkeypatch.setattr(host, "n_chunks", lambda *sizes: 5)
    np.testing.assert_array_equal(barrier(costs, p, 1e-3, 0.1), z)


def test_costs_that_fall_for_ever_name_the_rows():
    p = Polytope(equal=(np.array([[1.0, -1.0, 0.0]]), np.zeros(1)), upper=np.array([np.inf, np.inf, 1.0]))
    costs = np.ones((2, 2, 3))
    costs[1, 0, :2] = -1.0
    with pytest.raises(SolverError, match=r"no optimum on 1 of 4 rows \(\(1, 0\)\); .*upper bounds"):
        barrier(costs, p, 1e-9, 0.1)
    barrier(costs[0], p, 1e-9, 0.1)
    early = barrier(costs, p, 0.1, 0.1)  # the path is only begun: its point is far away, and no error
    assert np.abs(early[1, 0]).max() > 1e3 > 1e2 * np.abs(early[0]).max()


def test_a_stop_that_is_not_reached_names_the_rows():
    with pytest.raises(SolverError, match=r"did not reach stop = 1e-300 on 2 of 2 rows \(\(0,\), \(1,\)\)"):
        barrier(costs_of(CASES["knapsack"](), rows=2), CASES["knapsack"](), 1e-300, 0.1)
