import cvxpy as cp
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import budget
from tests.kernels.budget_cases import click_rates
from tests.reference import budget as reference

VECTORS = st.lists(st.floats(-5, 5), min_size=2, max_size=8).map(np.array)


@settings(max_examples=80, deadline=None)
@given(VECTORS, st.data())
def test_projection_agrees_with_bisection(z, data):
    size = data.draw(st.integers(1, len(z) - 1))
    for out in (
        budget.project(z, size),
        budget.project(torch.tensor(z, requires_grad=True), size).detach().numpy(),
    ):
        np.testing.assert_allclose(out, reference.project(z, size), atol=1e-9)
        assert out.sum() == pytest.approx(size, abs=1e-12) and (out >= 0).all() and (out <= 1).all()
        np.testing.assert_allclose(budget.project(out, size), out, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_projection_agrees_with_cvxpy(seed):
    rng = np.random.default_rng(seed)
    z, x = rng.normal(0, 2, 9), cp.Variable(9)
    cp.Problem(cp.Minimize(cp.sum_squares(x - z)), [x >= 0, x <= 1, cp.sum(x) == 4]).solve(solver=cp.CLARABEL)
    np.testing.assert_allclose(budget.project(z, 4), x.value, atol=1e-6)


@pytest.mark.parametrize("z", [np.zeros(5), np.ones(5), np.full(5, 7.0), np.array([1.0, 1.0, 0.0, 0.0, 0.0])])
def test_projection_of_ties_and_vertices(z):
    np.testing.assert_allclose(budget.project(z, 2), reference.project(z, 2), atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_relaxation_follows_the_textbook_steps(seed):
    rng = np.random.default_rng(seed)
    ctr, start, weights = click_rates(rng, (3, 5, 4)), rng.random((3, 5)), rng.random((3, 4))
    options = {"steps": 7, "lr": 0.05, "momentum": 0.8}
    expected = [
        reference.relax(y, 2, w, start=s, **options) for y, w, s in zip(ctr, weights, start, strict=True)
    ]
    np.testing.assert_allclose(
        budget.relax(ctr, 2, weights=weights, start=start, **options), expected, atol=1e-9
    )
    tensor = torch.tensor(ctr, requires_grad=True)
    out = budget.relax(tensor, 2, weights=weights, start=start, **options).detach()
    np.testing.assert_allclose(out, expected, atol=1e-9)


def test_relaxation_is_feasible_improves_and_rarely_beats_the_best_subset():
    rng = np.random.default_rng(0)
    ctr = rng.random((50, 5, 10))
    z = budget.relax(ctr)
    assert (z >= 0).all() and (z <= 1).all()
    np.testing.assert_allclose(z.sum(-1), 2, atol=1e-12)
    reached = budget.value(z, ctr)
    assert (reached > budget.value(np.full(5, 0.4), ctr)).all()
    # The multilinear relaxation has a best point at a vertex.
    assert (reached <= budget.solve(ctr).value + 1e-9).all()


def test_several_starts_of_one_instance_are_one_call():
    rng = np.random.default_rng(0)
    ctr, starts = rng.random((3, 5, 4)), rng.random((6, 1, 5))
    together = budget.relax(ctr, start=starts, steps=5)
    assert together.shape == (6, 3, 5)
    for i in range(6):
        np.testing.assert_array_equal(together[i], budget.relax(ctr, start=starts[i], steps=5))
