import pytest
import torch

from lcgln import PICNN, SurrogateConfig, fit_surrogate
from lcgln.bregman import Divergence
from tests.lcgln.test_picnn import chord_violations, stream


def wild(hidden, n_targets=4):
    """A divergence whose parameters are far from any initialisation."""
    network = PICNN(n_targets, hidden, stream(1))
    with torch.no_grad():
        for i, p in enumerate(network.parameters()):
            p.copy_(torch.from_numpy(2.0 * stream(i).standard_normal(p.shape)))
    return Divergence(network)


def rows(seed, n_targets=4, n=500):
    return torch.from_numpy(3.0 * stream(seed).standard_normal((n, n_targets)))


@pytest.mark.parametrize("hidden", [(2,), (8,), (4, 4)])
def test_is_convex_never_negative_and_zero_at_the_truth_whatever_the_parameters(hidden):
    divergence = wild(hidden)
    y_hat, y = rows(2), rows(3)
    with torch.no_grad():
        assert chord_violations(divergence, 4, seed=2).max() < 1e-9
        assert divergence(y_hat, y).min() > -1e-9
        assert divergence(y_hat, y).max() > 1e-3  # not merely zero everywhere
        assert divergence(y, y).abs().max() == 0.0


def test_is_the_network_less_its_tangent_at_the_truth():
    divergence = wild((3,))
    y_hat, y = rows(4), rows(5)
    at = y.clone().requires_grad_()
    value = divergence.network(at, y)
    (slope,) = torch.autograd.grad(value.sum(), at)
    tangent = value + (slope * (y_hat - y)).sum(-1)
    torch.testing.assert_close(divergence(y_hat, y), divergence.network(y_hat, y) - tangent)


def test_its_gradient_matches_finite_differences():
    divergence, y = Divergence(PICNN(4, (3, 2), stream(0))), rows(6, n=5)
    assert torch.autograd.gradcheck(lambda y_hat: divergence(y_hat, y), (rows(7, n=5).requires_grad_(),))


def test_an_anchored_fit_learns_a_quadratic_and_keeps_its_minimum():
    y, y_hat = rows(8, 2, 120), torch.from_numpy(3.0 * stream(9).standard_normal((16, 120, 2)))
    regret = (y_hat - y).square() @ torch.tensor([1.0, 3.0], dtype=torch.float64)
    config = SurrogateConfig(anchored=True, hidden=(16,), learning_rate=2e-2, steps=600)
    surrogate = fit_surrogate(y, y_hat, regret, config=config, rng=stream(0))
    assert surrogate.r2 > 0.9
    assert surrogate(y, y).abs().max() == 0.0
