import pytest
import torch

from lcgln import SurrogateConfig, fit_surrogate
from lcgln.bregman import Divergence
from lcgln.exchangeable import Shared
from tests.lcgln.test_picnn import chord_violations, stream


def wild(n_parts=3, size=2, rngs=None):
    """A network of exchangeable parts whose parameters are far from any initialisation."""
    network = Shared(n_parts * size, n_parts, (4,), rngs or stream(1), "softplus")
    with torch.no_grad():
        for i, p in enumerate(network.parameters()):
            p.copy_(torch.from_numpy(2.0 * stream(i).standard_normal(p.shape)))
    return network


def rows(seed, n_targets=6, n=200):
    return torch.from_numpy(stream(seed).standard_normal((n, n_targets)))


def test_is_convex_in_the_prediction_whatever_the_parameters():
    with torch.no_grad():
        assert chord_violations(wild(), 6, seed=2).max() < 1e-9


def test_reordering_the_parts_of_both_arguments_changes_nothing_and_of_one_does():
    network, y_hat, y = wild(), rows(3), rows(4)
    order = torch.tensor([2, 3, 4, 5, 0, 1])  # parts of two entries
    with torch.no_grad():
        value = network(y_hat, y)
        torch.testing.assert_close(network(y_hat[:, order], y[:, order]), value)
        assert (network(y_hat[:, order], y) - value).abs().max() > 1e-3


def test_is_the_mean_over_parts_of_one_network():
    network, y_hat, y = wild(), rows(5), rows(6)
    parts, outcomes = y_hat.view(-1, 3, 2), y.view(-1, 3, 2)
    common = torch.cat([outcomes.mean(1), outcomes.max(1).values], -1)
    expected = sum(network.network(parts[:, w], torch.cat([outcomes[:, w], common], -1)) for w in range(3))
    torch.testing.assert_close(network(y_hat, y), expected / 3)


def test_an_ensemble_computes_what_its_members_compute_apart():
    together = Shared(6, 3, (4,), [stream(s) for s in (7, 8)], "softplus")
    inputs = torch.from_numpy(stream(0).standard_normal((2, 2, 9, 6)))
    for i, seed in enumerate((7, 8)):
        alone = Shared(6, 3, (4,), stream(seed), "softplus")
        torch.testing.assert_close(together(*inputs)[i], alone(*inputs[:, i]), rtol=1e-12, atol=1e-12)


def test_a_divergence_of_it_is_zero_at_the_truth_and_nowhere_less():
    divergence = Divergence(wild())
    y_hat, y = rows(9), rows(10)
    with torch.no_grad():
        assert divergence(y, y).abs().max() == 0.0
        assert divergence(y_hat, y).min() > -1e-9


@pytest.mark.parametrize("anchored", [False, True])
def test_a_shared_fit_learns_what_is_alike_in_all_parts(anchored):
    y, y_hat = rows(11, 8, 60).view(60, 4, 2), torch.from_numpy(stream(12).standard_normal((16, 60, 4, 2)))
    regret = (y_hat - y).square().flatten(2).sum(-1)
    config = SurrogateConfig(shared_dims=1, anchored=anchored, hidden=(16,), learning_rate=2e-2, steps=600)
    apart = SurrogateConfig(anchored=anchored, hidden=(16,), learning_rate=2e-2, steps=600)
    shared = fit_surrogate(y, y_hat, regret, config=config, rng=stream(0))
    assert shared.r2 > 0.9
    assert shared.r2 > fit_surrogate(y, y_hat, regret, config=apart, rng=stream(0)).r2


def test_what_cannot_be_shared_is_refused():
    y, y_hat = rows(1, 6, 20), torch.from_numpy(stream(2).standard_normal((4, 20, 6)))
    regret = (y_hat - y).square().sum(-1)
    with pytest.raises(ValueError, match="shared_dims from 0 to 1, got 2"):
        fit_surrogate(y, y_hat, regret, config=SurrogateConfig(shared_dims=2))
    with pytest.raises(ValueError, match="7 entries do not fall into 2 parts"):
        Shared(7, 2, (4,), stream(0), "softplus")
