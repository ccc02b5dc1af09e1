import cvxpy as cp
import numpy as np
import pytest
import torch
from cvxpylayers.torch import CvxpyLayer

from kernels import portfolio
from tests.kernels.portfolio_cases import matrix
from tests.reference import portfolio as reference


def instances(n, rng, count=3):
    sigma = np.stack([matrix("correlation", n, rng) for _ in range(count)])
    return 0.05 * rng.normal(size=(count, n)), sigma


@pytest.mark.parametrize("n", [1, 2, 8, 20])
@pytest.mark.parametrize("risk_aversion", [0.05, 1.0])
def test_derivative_agrees_with_finite_differences(n, risk_aversion):
    y, sigma = instances(n, np.random.default_rng(n))
    a = portfolio.solve(y, sigma, risk_aversion)
    jacobian = portfolio.derivative(a, sigma, risk_aversion)
    for i in range(len(y)):
        expected = reference.jacobian(
            y[i], sigma[i], risk_aversion, lambda *q: portfolio.solve(*q, solver="active-set")
        )
        np.testing.assert_allclose(jacobian[i], expected, atol=1e-6)


def test_formula_on_the_support():
    y, sigma = instances(12, np.random.default_rng(3), count=1)
    a = portfolio.solve(y[0], sigma[0])
    held = np.flatnonzero(a)
    assert 2 <= len(held) < 12
    inverse = np.linalg.inv(0.2 * sigma[0][np.ix_(held, held)])
    ones = inverse.sum(1)
    expected = np.zeros((12, 12))
    expected[np.ix_(held, held)] = inverse - np.outer(ones, ones) / ones.sum()
    np.testing.assert_allclose(portfolio.derivative(a, sigma[0]), expected, atol=1e-12)


def test_vjp_broadcasts_and_is_the_transposed_product():
    rng = np.random.default_rng(4)
    y, sigma = instances(9, rng)
    y = y + 0.05 * rng.normal(size=(5, 3, 9))
    a = portfolio.solve(y, sigma)
    grad = rng.normal(size=(9,))
    jacobian = portfolio.derivative(a, sigma)
    assert jacobian.shape == (5, 3, 9, 9)
    np.testing.assert_allclose(portfolio.derivative_vjp(a, sigma, grad), grad @ jacobian, atol=1e-12)


def test_derivative_is_zero_at_a_vertex_and_without_risk_aversion():
    a = np.array([1.0, 0.0, 0.0])
    np.testing.assert_array_equal(portfolio.derivative(a, np.eye(3)), np.zeros((3, 3)))
    np.testing.assert_array_equal(portfolio.derivative(np.full(3, 1 / 3), np.eye(3), 0.0), np.zeros((3, 3)))


def test_derivative_is_finite_where_sigma_is_singular():
    jacobian = portfolio.derivative(np.full(4, 0.25), np.ones((4, 4)))
    assert np.isfinite(jacobian).all()
    np.testing.assert_allclose(jacobian.sum(-1), 0.0, atol=1e-9)


@pytest.mark.parametrize("solver", portfolio.SOLVERS)
def test_autograd_through_solve_matches_gradcheck(solver):
    rng = np.random.default_rng(7)
    y, sigma = (torch.tensor(v) for v in instances(6, rng))
    assert torch.autograd.gradcheck(
        lambda y: portfolio.solve(y, sigma, solver=solver), y.requires_grad_(), eps=1e-6, atol=1e-5
    )
    shared = torch.tensor(0.05 * rng.normal(size=6), requires_grad=True)
    portfolio.solve(shared, sigma, solver=solver).square().sum().backward()
    a = portfolio.solve(shared.detach(), sigma)
    expected = portfolio.derivative_vjp(a, sigma, 2.0 * a).sum(0)
    np.testing.assert_allclose(shared.grad.numpy(), expected.numpy(), atol=1e-9)


def test_a_gradient_for_sigma_is_refused():
    with pytest.raises(ValueError, match="with respect to y only"):
        portfolio.solve(torch.zeros(3), torch.eye(3, requires_grad=True))


@pytest.mark.slow
def test_agrees_with_cvxpylayers():
    n = 8
    y, sigma = instances(n, np.random.default_rng(11), count=4)
    a, returns, root = cp.Variable(n), cp.Parameter(n), cp.Parameter((n, n))
    risk = cp.sum_squares(root @ a)
    problem = cp.Problem(cp.Minimize(0.1 * risk - returns @ a), [cp.sum(a) == 1, a >= 0, a <= 1])
    layer = CvxpyLayer(problem, parameters=[returns, root], variables=[a])
    prediction = torch.tensor(y, requires_grad=True)
    factor = torch.tensor(np.linalg.cholesky(sigma).transpose(0, 2, 1).copy())
    (weights,) = layer(prediction, factor)
    grad = torch.tensor(np.random.default_rng(0).normal(size=(4, n)))
    weights.backward(grad)
    ours = portfolio.solve(y, sigma)
    np.testing.assert_allclose(weights.detach().numpy(), ours, atol=1e-3)
    np.testing.assert_allclose(
        prediction.grad.numpy(), portfolio.derivative_vjp(ours, sigma, grad.numpy()), atol=2e-2
    )
