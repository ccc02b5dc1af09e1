import dataclasses

import numpy as np
import pytest
import torch

from lcgln import SurrogateConfig, fit_surrogate
from lcgln.fit import _error_of_pairs
from lcgln.split import HOLD_OUT
from tests.lcgln import toy

QUICK = SurrogateConfig(hidden=(8,), learning_rate=1e-2, steps=600, batch=128)


def test_learns_the_regret_of_instances_it_has_not_seen():
    rows = toy.rows(150, seed=0)
    surrogate = fit_surrogate(rows.y, *toy.samples(rows, 16, seed=1), config=QUICK)
    assert surrogate.r2 > 0.8
    fresh = toy.rows(100, seed=2)
    y_hat, regret = toy.samples(fresh, 16, seed=3)
    error = (surrogate(y_hat, fresh.y) - regret).square().mean()
    assert 1.0 - error / regret.var() > 0.8


def test_stays_convex_after_training():
    rows = toy.rows(60, seed=0)
    surrogate = fit_surrogate(rows.y, *toy.samples(rows, 8, seed=1), config=QUICK)
    rng = np.random.default_rng(4)
    a, b = torch.from_numpy(4.0 * rng.standard_normal((2, 5000, 60, 2)))
    chord = (surrogate(a, rows.y) + surrogate(b, rows.y)) / 2
    assert ((surrogate((a + b) / 2, rows.y) - chord) / (1 + chord.abs())).max() < 1e-9


def test_seeds_fitted_together_equal_seeds_fitted_apart():
    data = [toy.rows(40, seed=s) for s in (0, 1)]
    samples = [toy.samples(rows, 6, seed=9) for rows in data]
    streams = lambda: [np.random.default_rng(s) for s in (5, 6)]  # noqa: E731
    stacked = [torch.stack(parts) for parts in zip(*samples, strict=True)]
    y = torch.stack([rows.y for rows in data])
    together = fit_surrogate(y, *stacked, config=QUICK, rng=streams())
    for i, rng in enumerate(streams()):
        alone = fit_surrogate(data[i].y, *samples[i], config=QUICK, rng=rng)
        torch.testing.assert_close(together.r2[i], alone.r2, rtol=1e-6, atol=1e-6)
        probe = data[i].y + 0.3
        torch.testing.assert_close(
            together(torch.stack([probe, probe]), y)[i], alone(probe, data[i].y), rtol=1e-6, atol=1e-6
        )


def test_same_stream_same_surrogate_to_the_bit():
    rows = toy.rows(30, seed=0)
    samples = toy.samples(rows, 4, seed=1)
    a, b = (fit_surrogate(rows.y, *samples, config=QUICK, rng=np.random.default_rng(7)) for _ in range(2))
    for p, q in zip(a.parameters(), b.parameters(), strict=True):
        assert torch.equal(p, q)


def test_units_of_regret_and_prediction_do_not_matter():
    rows = toy.rows(60, seed=0)
    y_hat, regret = toy.samples(rows, 8, seed=1)
    small = fit_surrogate(rows.y, y_hat, regret, config=QUICK)
    large = fit_surrogate(100.0 * rows.y, 100.0 * y_hat, 1e4 * regret, config=QUICK)
    torch.testing.assert_close(
        1e4 * small(y_hat, rows.y), large(100.0 * y_hat, 100.0 * rows.y), rtol=1e-6, atol=1e-6
    )


def test_targets_of_several_axes():
    rng = np.random.default_rng(0)
    y = rng.random((20, 3, 4))
    y_hat = rng.random((5, 20, 3, 4))
    surrogate = fit_surrogate(y, y_hat, ((y_hat - y) ** 2).sum((-2, -1)), config=QUICK)
    assert surrogate(torch.from_numpy(y_hat), torch.from_numpy(y)).shape == (5, 20)


def bad(**changes):
    rows = toy.rows(10, seed=0)
    y_hat, regret = toy.samples(rows, 4, seed=1)
    return {"y": rows.y, "y_hat": y_hat, "regret": regret, **changes}


@pytest.mark.parametrize(("arguments", "message"), [
    (lambda: bad(regret=torch.ones(10, 4)), r"regret \(K, 10\)"),
    (lambda: bad(y_hat=torch.ones(10, 2)), r"expected y_hat of shape"),
    (lambda: bad(regret=torch.full((4, 10), torch.nan)), "expected finite regrets, got 40"),
    (lambda: bad(regret=torch.full((4, 10), 2.5)), "all regrets equal 2.5: there is nothing to learn"),
    (lambda: {k: v[:1] if k != "y" else v for k, v in bad().items()}, "K ≥ 2"),
])  # fmt: skip
def test_bad_input_gets_a_clear_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_surrogate(**arguments(), config=QUICK)


def test_whole_instances_can_only_be_held_out_if_there_are_two():
    one = {"y": torch.ones(1, 2), "y_hat": torch.ones(3, 1, 2), "regret": torch.arange(3.0)[:, None]}
    fit_surrogate(**one, config=SurrogateConfig(steps=1))
    with pytest.raises(ValueError, match="at least 2 instances"):
        fit_surrogate(**one, config=SurrogateConfig(steps=1, hold_out="instances"))


@pytest.mark.parametrize(("settings", "message"), [
    ({"held_share": 1.5}, r"held_share between 0 and 1, got 1\.5"),
    ({"hold_out": "rows"}, "hold_out to be one of 'samples', 'instances', got 'rows'"),
    ({"form": "author"}, "form to be one of 'paper', 'authors', got 'author'"),
    ({"held_error": "all"}, "held_error to be one of 'samples', 'pairs', got 'all'"),
    ({"anchored": True, "convex": False}, "an anchored loss must be convex"),
])  # fmt: skip
def test_settings_that_cannot_be_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        SurrogateConfig(**settings)


def test_the_held_out_samples_are_those_of_the_split():
    rows = toy.rows(30, seed=0)
    y_hat, regret = toy.samples(rows, 4, seed=1)
    quick = SurrogateConfig(steps=40, every=20, batch=64)
    for hold_out in HOLD_OUT:
        config = dataclasses.replace(quick, hold_out=hold_out)
        surrogate = fit_surrogate(rows.y, y_hat, regret, config=config)
        instance, sample = surrogate.held_out // 4, surrogate.held_out % 4
        target = regret[sample, instance]
        error = (surrogate(y_hat[sample, instance], rows.y[instance]) - target).square().mean()
        torch.testing.assert_close(surrogate.r2, 1.0 - error / target.var(correction=0))


def test_held_out_samples_let_a_loss_learn_what_held_out_instances_stop():
    """Outcomes that tell nothing of each other: a loss can only know those that it was fitted on."""
    rng = np.random.default_rng(0)
    y, y_hat = torch.eye(12).double(), torch.from_numpy(rng.random((40, 12, 12)))
    regret = (1.0 + torch.from_numpy(rng.permutation(12) % 2)) * (1.0 + y_hat.mean(-1))
    quick = SurrogateConfig(hidden=(8,), learning_rate=2e-2, steps=300, batch=128)
    r2 = {
        hold_out: fit_surrogate(y, y_hat, regret, config=dataclasses.replace(quick, hold_out=hold_out)).r2
        for hold_out in HOLD_OUT
    }
    assert r2["samples"] > 0.9
    assert r2["instances"] < 0.5


@pytest.mark.parametrize(
    "settings", [{"form": "authors"}, {"anchored": True}, {"form": "authors", "anchored": True}]
)
def test_every_form_is_convex_after_a_fit_and_the_same_for_seeds_together(settings):
    """Along chords, however long; and an anchored loss has its minimum, zero, at the truth."""
    data = [toy.rows(40, seed=s) for s in (0, 1)]
    samples = [toy.samples(rows, 6, seed=9) for rows in data]
    config = SurrogateConfig(**settings, learning_rate=1e-2, steps=100, batch=64)
    streams = lambda: [np.random.default_rng(s) for s in (5, 6)]  # noqa: E731
    stacked = [torch.stack(parts) for parts in zip(*samples, strict=True)]
    y = torch.stack([rows.y for rows in data])
    together = fit_surrogate(y, *stacked, config=config, rng=streams())
    for i, rng in enumerate(streams()):
        alone = fit_surrogate(data[i].y, *samples[i], config=config, rng=rng)
        probe = data[i].y + 0.3
        both = together(torch.stack([probe, probe]), y)[i]
        torch.testing.assert_close(both, alone(probe, data[i].y), rtol=1e-6, atol=1e-6)
        a, b = torch.from_numpy(4.0 * np.random.default_rng(4).standard_normal((2, 500, 40, 2)))
        chord = (alone(a, data[i].y) + alone(b, data[i].y)) / 2
        assert ((alone((a + b) / 2, data[i].y) - chord) / (1 + chord.abs())).max() < 1e-9
        if config.anchored:
            assert alone(data[i].y, data[i].y).abs().max() == 0.0
            assert alone(a, data[i].y).min() >= -1e-9


def test_a_loss_that_is_not_scaled_has_the_units_of_what_it_is_given():
    rows = toy.rows(20, seed=0)
    given = toy.samples(rows, 4, seed=1)
    surrogate = fit_surrogate(rows.y, *given, config=SurrogateConfig(scaled=False, steps=5, every=5))
    assert (surrogate.center, surrogate.spread, surrogate.scale) == (0.0, 1.0, 1.0)
    torch.testing.assert_close(surrogate(rows.y, rows.y), surrogate.network(rows.y, rows.y))


def test_the_error_of_all_pairs_is_that_of_a_broadcast_and_prefers_a_constant():
    rng = np.random.default_rng(0)
    predicted, target = torch.from_numpy(rng.random((2, 3, 50)))
    error = lambda values: _error_of_pairs(lambda y_hat, y: y_hat, values, None, target)  # noqa: E731
    for member in range(3):  # (N,) against (N, 1), as the authors' code has it
        broadcast = (predicted[member] - target[member].unsqueeze(1)).square().mean()
        torch.testing.assert_close(error(predicted)[member], broadcast)
    assert (error(target.mean(-1, keepdim=True).expand_as(target)) < error(target)).all()


def test_selection_by_pairs_reports_the_error_of_samples():
    rows = toy.rows(30, seed=0)
    y_hat, regret = toy.samples(rows, 4, seed=1)
    config = SurrogateConfig(held_error="pairs", steps=40, every=20, batch=64)
    surrogate = fit_surrogate(rows.y, y_hat, regret, config=config)
    instance, sample = surrogate.held_out // 4, surrogate.held_out % 4
    target = regret[sample, instance]
    error = (surrogate(y_hat[sample, instance], rows.y[instance]) - target).square().mean()
    torch.testing.assert_close(surrogate.r2, 1.0 - error / target.var(correction=0))


def test_the_authors_form_is_as_wide_as_a_prediction():
    rng = np.random.default_rng(0)
    y, y_hat = rng.random((20, 3, 2)), rng.random((5, 20, 3, 2))
    given = y, y_hat, ((y_hat - y) ** 2).sum((-2, -1))
    for shared_dims, width in ((0, 6), (1, 2)):
        config = SurrogateConfig(form="authors", hidden=(11,), shared_dims=shared_dims, steps=1)
        network = fit_surrogate(*given, config=config).network
        picnn = network.network if shared_dims else network
        assert [layer.weight.shape for layer in picnn.prediction] == [(width, width), (1, width)]


def test_a_prediction_on_another_device_is_refused():
    rows = toy.rows(10, seed=0)
    surrogate = fit_surrogate(rows.y, *toy.samples(rows, 4, seed=1), config=QUICK)
    with pytest.raises(ValueError, match="this surrogate is on cpu, the prediction on meta"):
        surrogate(rows.y.to("meta"), rows.y)
