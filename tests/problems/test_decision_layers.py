"""Derivatives of decisions against re-solved finite differences and against cvxpylayers."""

import cvxpy as cp
import numpy as np
import pytest
import torch
from cvxpylayers.torch import CvxpyLayer

from dfl_bench.problems import make_problem
from dfl_bench.problems._relaxation import derivatives, derived_vjp, published_vjp
from kernels import budget

STEP = 1e-6


def jacobian(problem, y_hat, context):
    """∂z/∂ŷ of every row of a layer: (n, outputs, ...)."""
    y_hat = torch.tensor(y_hat, requires_grad=True)
    z = problem.decision_layer(y_hat, {key: torch.as_tensor(value) for key, value in context.items()})
    columns = z.reshape(len(z), -1)
    rows = [torch.autograd.grad(c.sum(), y_hat, retain_graph=True)[0] for c in columns.unbind(1)]
    return torch.stack(rows, 1).numpy()


def along(problem, y_hat, context, direction):
    """Central difference of the decision along a direction."""
    ahead, behind = (problem.decide(y_hat + s * direction, context) for s in (STEP, -STEP))
    return (ahead - behind) / (2 * STEP)


def test_inventory_derivative_off_and_on_kinks():
    problem = make_problem("inventory")
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(5), 300)
    z = problem.decide(p, {})
    on_kink = np.isclose(z[:, None], problem.config.demand, atol=1e-9).any(-1)
    assert 20 < on_kink.sum() < 280
    given = jacobian(problem, p, {})[:, 0]
    for _ in range(5):
        direction = rng.standard_normal(p.shape)
        direction -= direction.mean(-1, keepdims=True)  # stays on the simplex
        expected = along(problem, p, {}, direction)
        near = (
            np.abs(z[:, None] - np.array(problem.config.demand)).min(-1) < 1e-3
        )  # the difference sees the kink
        np.testing.assert_allclose((given * direction).sum(-1)[~near], expected[~near], rtol=1e-5, atol=1e-5)
    assert (given[on_kink] == 0).all()


def portfolio_rows(**settings):
    problem = make_problem("portfolio-synthetic", n_stocks=12, n_train=12, n_val=12, n_test=12, **settings)
    rows = problem.data(0).test
    rng = np.random.default_rng(1)
    return problem, rows.y + 0.01 * rng.standard_normal(rows.y.shape), rows.context


@pytest.mark.parametrize("risk", ["correct", "published"])
def test_portfolio_derivative_against_finite_differences(risk):
    problem, y_hat, context = portfolio_rows(risk=risk)
    exact = problem.in_training
    given = jacobian(problem, y_hat, context)
    rng = np.random.default_rng(2)
    for _ in range(5):
        direction = rng.standard_normal(y_hat.shape)
        expected = along(exact, y_hat, context, direction)
        np.testing.assert_allclose((given * direction[:, None]).sum(-1), expected, atol=1e-5, rtol=1e-5)


def test_portfolio_derivative_against_cvxpylayers():
    problem, y_hat, context = portfolio_rows()
    n = y_hat.shape[-1]
    a, y, root = cp.Variable(n), cp.Parameter(n), cp.Parameter((n, n))
    risk = problem.config.risk_aversion * cp.sum_squares(root @ a)
    layer = CvxpyLayer(cp.Problem(cp.Minimize(risk - y @ a), [cp.sum(a) == 1, a >= 0]), [y, root], [a])
    roots = torch.tensor(np.linalg.cholesky(context["sigma"])).mT.contiguous()
    weights = torch.tensor(np.random.default_rng(3).standard_normal(y_hat.shape))

    def gradient(decide):
        leaf = torch.tensor(y_hat, requires_grad=True)
        (decide(leaf) * weights).sum().backward()
        return leaf.grad.numpy()

    sigma = {"sigma": torch.tensor(context["sigma"])}
    ours = gradient(lambda leaf: problem.decision_layer(leaf, sigma))
    theirs = gradient(lambda leaf: layer(leaf, roots, solver_args={"eps": 1e-10, "max_iters": 20000})[0])
    np.testing.assert_allclose(ours, theirs, atol=1e-3, rtol=1e-3)


def g(z, ctr):
    return (1 - (1 - z[..., None] * ctr).prod(-2)).sum(-1)


@pytest.fixture
def rates():
    return torch.from_numpy(np.random.default_rng(0).uniform(0, 1, (6, 5, 10)))


def test_relaxation_derivatives_against_autograd(rates):
    z = torch.from_numpy(np.random.default_rng(1).dirichlet(np.ones(5), 6))
    z[0] = torch.tensor([1.0, 1.0, 0.0, 0.0, 0.0])
    rates[0, 0, 0] = 1.0  # nobody is missed: a division would break here
    first, second, cross = derivatives(z, rates)
    for i in range(len(z)):
        gradient = torch.func.grad(g)
        torch.testing.assert_close(first[i], gradient(z[i], rates[i]))
        torch.testing.assert_close(second[i], torch.func.jacrev(gradient)(z[i], rates[i]))
        torch.testing.assert_close(cross[i], torch.func.jacrev(gradient, argnums=1)(z[i], rates[i]))


def test_inside_the_derived_gradient_is_right_and_the_published_one_its_negative(rates):
    """A strictly concave objective, g - ρ/2 |z - B/W|², has its maximum inside, where the truth is known."""
    size, rho, centre = 2, 40.0, 2 / 5

    def solve(ctr):
        z = torch.full(ctr.shape[:-1], centre, dtype=torch.float64)
        for _ in range(200):
            slope = derivatives(z, ctr)[0] - rho * (z - centre)
            z = z + (slope - slope.mean(-1, keepdim=True)) / rho
        return z

    z = solve(rates)
    assert ((z > 0.05) & (z < 0.95)).all()
    first, second, cross = derivatives(z, rates)
    concave = (first - rho * (z - centre), second - rho * torch.eye(5, dtype=z.dtype), cross)
    rng = np.random.default_rng(2)
    grad, direction = (torch.from_numpy(rng.standard_normal(shape)) for shape in (z.shape, rates.shape))
    truth = (grad * (solve(rates + STEP * direction) - solve(rates - STEP * direction)) / (2 * STEP)).sum(-1)
    derived = (derived_vjp(z, concave, grad, damping=1e-10) * direction).sum((-1, -2))
    published = (published_vjp(z, concave, grad, size, damping=1e-10) * direction).sum((-1, -2))
    torch.testing.assert_close(derived, truth, atol=1e-6, rtol=1e-5)
    torch.testing.assert_close(published, -truth, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("derivative", ["published", "derived"])
def test_relaxed_decision_is_feasible_nearly_optimal_and_batched(derivative):
    problem = make_problem("budget", data="clicks", fake_targets=0, n_test=40, derivative=derivative)
    y = torch.from_numpy(problem.data(0).test.y).requires_grad_()
    z = problem.decision_layer(y, {})
    assert torch.allclose(z.sum(-1), torch.tensor(2.0, dtype=z.dtype))
    assert (z >= 0).all() and (z <= 1).all()
    best = budget.value(budget.best_subset(y.detach()), y.detach())
    assert (g(z, y) / best).mean() > 0.95
    weights = torch.from_numpy(np.random.default_rng(0).standard_normal(z.shape))
    (batch,) = torch.autograd.grad((z * weights).sum(), y)
    for i in range(0, len(y), 13):
        one = y[i].detach().requires_grad_()
        (alone,) = torch.autograd.grad((problem.decision_layer(one, {}) * weights[i]).sum(), one)
        torch.testing.assert_close(alone, batch[i])
    assert batch.abs().max() > 0


def test_how_the_gradients_follow_the_regret_at_vertices_and_in_a_batch():
    """Cosines with the gradient of the Gaussian-smoothed regret: mean over vertices, and of the batch."""
    problems = {d: make_problem("budget", data="clicks", derivative=d) for d in ("published", "derived")}
    problem = problems["published"]
    rng = np.random.default_rng(0)
    y = problem.data(0).test.y
    y_hat = np.clip(y + 0.7 * y.std() * rng.standard_normal(y.shape), 0, 1)
    smoothed = np.zeros_like(y)
    for _ in range(20):
        noise = 0.3 * y.std() * rng.standard_normal((200, *y.shape))
        ahead, behind = (problem.regret(y_hat + s * noise, y, {}) for s in (1, -1))
        smoothed += ((ahead - behind)[..., None, None] * noise).sum(0)

    def cosines(problem):
        leaf = torch.tensor(y_hat, requires_grad=True)
        z = problem.decision_layer(leaf, {})
        problem.cost(z, torch.tensor(y), {}).sum().backward()
        at_vertex = ((z < 1e-6) | (z > 1 - 1e-6)).all(-1).numpy()
        assert 0.9 < at_vertex.mean() < 1
        given = leaf.grad.numpy()
        norms = np.linalg.norm(given, axis=(1, 2)) * np.linalg.norm(smoothed, axis=(1, 2))
        pooled = (given * smoothed).sum() / np.linalg.norm(given) / np.linalg.norm(smoothed)
        # Where no draw changed the decision there is nothing to follow: that counts as a cosine of 0.
        return ((given * smoothed).sum((1, 2)) / np.maximum(norms, 1e-300))[at_vertex].mean(), pooled

    derived, published = cosines(problems["derived"]), cosines(problems["published"])
    assert derived[0] > 0.4
    assert abs(published[0]) < 0.15
    # The few fractional points have gradients hundreds of times larger and spoil the sum that training uses.
    assert derived[1] < 0 < published[1] < 0.4


def test_relaxation_stays_on_its_device(rates):
    """A meta tensor cannot meet one of another device."""
    z, ctr, grad = (t.to("meta") for t in (rates[..., 0], rates, rates[..., 1]))
    of_g = derivatives(z, ctr)
    for vjp in (published_vjp(z, of_g, grad, 2), derived_vjp(z, of_g, grad)):
        assert vjp.device.type == "meta"
        assert vjp.shape == ctr.shape
