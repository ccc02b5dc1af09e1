import numpy as np
import pytest
import torch

from lcgln.sampling import gaussian, model_based, perturbed
from tests.lcgln import toy


def draw(samples, trajectories=1, **settings):
    rows = toy.rows(20, seed=0)
    models = [toy.predictor(seed) for seed in range(trajectories)]
    return rows, model_based(models, rows.x, rows.y, samples, learning_rate=0.05, **settings)


def test_truth_comes_first_and_the_untrained_model_second():
    rows, y_hat = draw(6)
    assert y_hat.shape == (6, 20, 2)
    assert torch.equal(y_hat[0], rows.y)
    torch.testing.assert_close(y_hat[1], toy.predictor(0)(rows.x).detach())


def test_later_states_predict_better():
    rows, y_hat = draw(200)
    error = (y_hat - rows.y).square().mean((1, 2))
    assert error[-1] < 0.5 * error[1]


@pytest.mark.parametrize("checkpoints", ["every", "log"])
@pytest.mark.parametrize("trajectories", [1, 3])
def test_a_smaller_bank_is_a_prefix_of_a_larger_one(checkpoints, trajectories):
    _, few = draw(5, trajectories, checkpoints=checkpoints)
    _, many = draw(17, trajectories, checkpoints=checkpoints)
    assert torch.equal(many[:5], few)


def test_log_checkpoints_reach_further():
    rows, every = draw(24)
    _, log = draw(24, checkpoints="log")
    error = lambda y_hat: (y_hat[-1] - rows.y).square().mean()  # noqa: E731
    assert error(log) < error(every)


def test_trajectories_take_turns():
    _, y_hat = draw(5, trajectories=2)
    rows = toy.rows(20, seed=0)
    torch.testing.assert_close(y_hat[1], toy.predictor(0)(rows.x).detach())
    torch.testing.assert_close(y_hat[2], toy.predictor(1)(rows.x).detach())


def test_perturbed_changes_at_most_the_entries_asked_for():
    y = np.random.default_rng(0).random((30, 2, 5))
    for entries in (1, 2):
        drawn = perturbed(y, 8, entries=entries, std=0.5, rng=np.random.default_rng(1))
        changed = (drawn != y).reshape(8, 30, -1).sum(-1)
        assert (changed[0] == 0).all()
        assert changed[1:].min() >= 1 and changed[1:].max() == entries


@pytest.mark.parametrize("sampler", [
    lambda k: gaussian(np.zeros((4, 3)), k, std=2.0, rng=np.random.default_rng(0)),
    lambda k: perturbed(np.zeros((4, 3)), k, entries=2, std=2.0, rng=np.random.default_rng(0)),
])  # fmt: skip
def test_random_samplers_extend_a_prefix(sampler):
    np.testing.assert_array_equal(sampler(9)[:4], sampler(4))
    assert not sampler(4)[0].any()


def test_gaussian_has_the_spread_asked_for():
    drawn = gaussian(np.zeros((500, 4)), 21, std=2.0, rng=np.random.default_rng(0))
    assert abs(drawn[1:].std() - 2.0) < 0.02  # 40,000 draws: the standard error is 0.007


@pytest.mark.parametrize("call", [
    lambda: draw(1),
    lambda: gaussian(np.zeros((4, 3)), 1, std=1.0, rng=np.random.default_rng(0)),
    lambda: perturbed(np.zeros((4, 3)), 0, entries=1, std=1.0, rng=np.random.default_rng(0)),
])  # fmt: skip
def test_fewer_than_two_samples_are_refused(call):
    with pytest.raises(ValueError, match="expected K ≥ 2"):
        call()


def test_unknown_checkpoints_are_refused():
    with pytest.raises(ValueError, match="'every' or 'log', got 'often'"):
        draw(3, checkpoints="often")
