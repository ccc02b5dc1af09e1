import cvxpy as cp
import numpy as np
import pytest
import torch
from cvxpylayers.torch import CvxpyLayer
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kernels.polytope import Polytope, quadratic, smoothed
from tests.kernels.polytope_cases import CASES, costs_of, programs
from tests.reference import polytope as reference


def vjp(costs, p, mu, grad):
    given = torch.tensor(costs, requires_grad=True)
    (out,) = torch.autograd.grad(smoothed(given, p, mu), given, torch.tensor(grad))
    return out.numpy()


def jacobian(costs, p, mu):
    return np.stack([vjp(costs, p, mu, unit) for unit in np.eye(len(p))])


@settings(max_examples=80, deadline=None)
@given(programs(), st.sampled_from([0.03, 1.0, 30.0]), st.integers(0, 2**32 - 1))
def test_products_agree_with_differences_of_new_solutions(program, mu, seed):
    p, costs = program
    mu, rng = mu / p.form.unit, np.random.default_rng(seed)
    grad, direction = rng.normal(size=(2, *costs.shape))
    step = 1e-6 * max(abs(costs).max(), mu * p.form.unit)
    ahead, here, behind = (grad * smoothed(costs + k * step * direction, p, mu) for k in (1, 0, -1))
    ahead, behind = (ahead - here).sum(-1) / step, (here - behind).sum(-1) / step
    tolerance = 1e-5 * np.linalg.norm(grad, axis=-1) * np.linalg.norm(direction, axis=-1) / mu
    smooth = abs(ahead - behind) <= tolerance  # elsewhere the solution has a kink on the way
    assume(smooth.any())
    found = (vjp(costs, p, mu, grad) * direction).sum(-1)
    assert (abs(found - ahead)[smooth] <= 2 * tolerance[smooth]).all()


@pytest.mark.parametrize("mu", [3.0, 0.3])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_gradcheck(case, mu):
    p = case()
    costs = torch.tensor(costs_of(p, rows=1), requires_grad=True)
    assert torch.autograd.gradcheck(lambda c: smoothed(c, p, mu), costs, eps=1e-6, atol=1e-6)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_jacobian_is_a_projection_on_what_can_move(case):
    p, mu = case(), 0.4
    c = costs_of(p, rows=1)[0]
    z, projection = smoothed(c, p, mu), -mu * jacobian(c, p, mu)
    np.testing.assert_allclose(projection, projection.T, atol=1e-12)
    np.testing.assert_allclose(projection @ projection, projection, atol=1e-12)
    tight = p.limits - p.normals.matrix @ z < 1e-9
    np.testing.assert_allclose(p.normals.matrix[tight] @ projection, 0.0, atol=1e-11)
    rank = np.linalg.matrix_rank(p.normals.matrix[tight], tol=1e-8) if tight.any() else 0
    assert np.trace(projection) == pytest.approx(len(p) - rank)


def test_nothing_moves_at_a_vertex():
    p = CASES["grid"]()
    assert not jacobian(costs_of(p, rows=1)[0], p, 1e-5).any()


def test_dependent_tight_rows_are_counted_once():
    # Both rows are tight and parallel; entries 2 and 3 are at their bounds.
    p = Polytope(at_most=(np.array([[1.0, 1, 0, 0], [2.0, 2, 1, 0]]), np.array([1.0, 2.0])), upper=1.0)
    c = np.array([-3.0, -3.1, 5.0, -9.0])
    expected = np.zeros((4, 4))
    expected[:2, :2] = [[-0.5, 0.5], [0.5, -0.5]]
    np.testing.assert_allclose(jacobian(c, p, 1.0), expected, atol=1e-12)


def test_on_a_kink_bounds_without_a_multiplier_do_not_count():
    # At costs of zero z is zero and so are all multipliers; costs that fall would move it.
    np.testing.assert_array_equal(jacobian(np.zeros(5), CASES["box"](), 2.0), -np.eye(5) / 2.0)
    p = Polytope(equal=(np.ones((1, 3)), np.ones(1)), upper=1.0)
    c = np.array([0.0, 1.0, 9.0])  # entry 1 reaches zero exactly here
    expected = np.zeros((3, 3))
    expected[:2, :2] = [[-0.5, 0.5], [0.5, -0.5]]
    np.testing.assert_allclose(jacobian(c, p, 1.0), expected, atol=1e-12)


def test_a_loss_can_be_trained():
    # A large mu keeps entries between their bounds, where the gradient lives.
    p, mu = CASES["top_k"](), 8.0
    goal = torch.tensor(smoothed(costs_of(p, rows=4, seed=1), p, mu))
    costs = torch.zeros(4, 12, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([costs], lr=0.25 * mu**2)
    for _ in range(60):
        optimizer.zero_grad()
        loss = (smoothed(costs, p, mu) - goal).square().sum()
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-12


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_precision_and_kind_are_returned(dtype):
    p = CASES["knapsack"]()
    costs = torch.tensor(costs_of(p), dtype=dtype)
    expected = smoothed(costs.double().numpy(), p, 0.5)
    assert type(expected) is np.ndarray
    for given_costs in (costs, costs.clone().requires_grad_()):
        z = smoothed(given_costs, p, 0.5)
        assert z.dtype == dtype and z.requires_grad == given_costs.requires_grad
        np.testing.assert_allclose(z.detach(), expected, atol=1e-6)
    z.sum().backward()
    assert given_costs.grad.dtype == dtype
    assert smoothed(costs.float().numpy(), p, 0.5).dtype == np.float32


def test_a_second_derivative_is_refused():
    p = CASES["box"]()
    costs = torch.zeros(1, 5, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(smoothed(costs, p, 1.0).square().sum(), costs, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


def test_rows_marked_free_and_tight_are_those_of_the_solution():
    p = CASES["knapsack"]()
    costs = costs_of(p, rows=8)
    z, free = np.empty(costs.shape), np.empty(costs.shape, bool)
    tight, solved = np.empty((8, 2), bool), np.empty(8, bool)
    quadratic.solve_rows(p.form.scaled, p.form.unit, costs, 0.3, 0, 8, z, free, tight, solved)
    assert solved.all()
    np.testing.assert_array_equal(free, (z > 0) & (z < 1))
    np.testing.assert_array_equal(tight, abs(z @ p.at_most[0].T - p.at_most[1]) < 1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["knapsack", "top_k", "energy"])
def test_agrees_with_cvxpylayers(case):
    p, mu = CASES[case](), 0.5
    z, c = cp.Variable(len(p)), cp.Parameter(len(p))
    problem = cp.Problem(cp.Minimize(c @ z + mu / 2 * cp.sum_squares(z)), reference.cvxpy_constraints(z, p))
    layer = CvxpyLayer(problem, parameters=[c], variables=[z])
    costs = torch.tensor(costs_of(p, rows=3), requires_grad=True)
    (theirs,) = layer(costs, solver_args={"eps": 1e-10, "max_iters": 100_000})
    grad = np.random.default_rng(0).normal(size=costs.shape)
    (slope,) = torch.autograd.grad(theirs, costs, torch.tensor(grad))
    np.testing.assert_allclose(theirs.detach(), smoothed(costs.detach().numpy(), p, mu), atol=1e-5)
    np.testing.assert_allclose(slope, vjp(costs.detach().numpy(), p, mu, grad), atol=1e-3)
