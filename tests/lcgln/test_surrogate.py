import numpy as np
import pytest
import torch

from lcgln import SurrogateConfig, fit_surrogate
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
    (lambda: {"y": torch.ones(1, 2), "y_hat": torch.ones(3, 1, 2), "regret": torch.ones(3, 1)}, "at least 2"),
])  # fmt: skip
def test_bad_input_gets_a_clear_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        fit_surrogate(**arguments(), config=QUICK)


def test_held_out_share_is_checked():
    with pytest.raises(ValueError, match=r"held_out between 0 and 1, got 1\.5"):
        SurrogateConfig(held_out=1.5)


def test_a_prediction_on_another_device_is_refused():
    rows = toy.rows(10, seed=0)
    surrogate = fit_surrogate(rows.y, *toy.samples(rows, 4, seed=1), config=QUICK)
    with pytest.raises(ValueError, match="this surrogate is on cpu, the prediction on meta"):
        surrogate(rows.y.to("meta"), rows.y)
