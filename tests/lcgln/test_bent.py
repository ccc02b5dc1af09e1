"""The loss that bends, on a problem whose best decision is known in closed form, and on portfolios."""

import pytest
import torch

from dfl_bench.methods.spo_plus import spo_plus, spo_plus_gradient
from dfl_bench.problems import make_problem
from lcgln.bent import BentLoss

N, D = 5, 4


def ball(seed=0):
    """Decide v to minimise ⟨c, v⟩ + ½ vᵀAv without constraints: v = −A⁻¹c, so SPO+ is a quadratic."""
    g = torch.Generator().manual_seed(seed)
    root = torch.randn(2, N, D, D, generator=g, dtype=torch.float64)
    matrix = root @ root.mT + torch.eye(D)

    def decide(c):
        v = -torch.linalg.solve(matrix, c.unsqueeze(-1)).squeeze(-1)
        return v, 0.5 * (v.unsqueeze(-2) @ matrix @ v.unsqueeze(-1)).flatten(-3)

    y, y_hat, other = torch.randn(3, 2, N, D, generator=g, dtype=torch.float64)
    return decide, y, y_hat, other


def spo_plus_of(decide, y, y_hat):
    c, (best, height) = 2 * y_hat - y, decide(y)
    v, known = decide(c)
    return (c * (best - v)).sum(-1) + height - known


def test_where_spo_plus_is_a_quadratic_it_is_spo_plus_everywhere():
    decide, y, y_hat, other = ball()
    loss = BentLoss(y, decide(y), 2 * other - y, decide)
    torch.testing.assert_close(loss(y_hat, None), spo_plus_of(decide, y, y_hat))


def test_the_gradient_is_that_of_the_value_and_rows_are_independent():
    decide, y, y_hat, other = ball(1)
    loss = BentLoss(y, decide(y), 2 * other - y, decide)
    leaf = y_hat.clone().requires_grad_()
    loss(leaf, None).sum().backward()
    torch.testing.assert_close(loss.gradient(y_hat, None), leaf.grad)
    rows = torch.tensor([[3, 0], [1, 1]])
    picked = torch.stack([y_hat[0, [3, 0]], y_hat[1, [1, 1]]])
    torch.testing.assert_close(loss(picked, rows), loss(y_hat, None).gather(1, rows))


@pytest.fixture(scope="module")
def portfolios():
    problem = make_problem("portfolio-synthetic", n_stocks=6, n_train=20, n_val=5, n_test=5).in_training
    rows = problem.data(1000).train[:8].to("cpu")
    context = {name: values[None] for name, values in rows.context.items()}
    y = rows.y[None]
    noise = torch.randn(3, *y.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)

    def decide(c):
        weights = problem.decision_layer(c, context)
        return problem.embed(weights, context), problem.known(weights, context)

    best = problem.decide(y, context)
    at = y + noise[0] * y.std()
    embedded = (problem.embed(best, context), problem.known(best, context))
    return problem, context, y, best, at, noise * y.std(), BentLoss(y, embedded, 2 * at - y, decide)


def test_it_touches_spo_plus_where_it_was_solved(portfolios):
    problem, context, y, best, at, _, loss = portfolios
    torch.testing.assert_close(loss(at, None), spo_plus(problem, at, y, best, context))
    torch.testing.assert_close(loss.gradient(at, None), spo_plus_gradient(problem, at, y, best, context))


def test_it_bends_as_spo_plus_does(portfolios):
    # Near the solve the two gradients differ by less than that of a plane, which does not change at all.
    problem, context, y, best, at, noise, loss = portfolios
    near = at + 1e-4 * noise[1]
    exact = spo_plus_gradient(problem, near, y, best, context)
    plane = loss.gradient(at, None)
    assert (exact - plane).abs().max() > 1e-6
    torch.testing.assert_close(loss.gradient(near, None), exact, atol=1e-9, rtol=0)


def test_it_is_convex_along_chords(portfolios):
    *_, at, noise, loss = portfolios
    a, b = at + 3 * noise[1], at - 3 * noise[2]
    for share in (0.1, 0.5, 0.8):
        between = loss(share * a + (1 - share) * b, None)
        chord = share * loss(a, None) + (1 - share) * loss(b, None)
        assert bool((between <= chord + 1e-12).all())
