import numpy as np
import pytest
import torch
from torch import nn

from lcgln.ensemble.batches import BLOCK, batches, take
from lcgln.ensemble.layers import MLP
from lcgln.ensemble.minimize import minimize


def quadratic(starts, optima):
    """Members with their own optimum; the loss and the validation value are squared distances."""
    p = nn.Parameter(torch.tensor(starts, dtype=torch.float64).unsqueeze(-1))
    target = torch.tensor(optima, dtype=torch.float64).unsqueeze(-1)
    distance = lambda *_: (p - target).square().sum(-1)  # noqa: E731
    return p, distance


def test_finds_the_minimum_of_every_member():
    p, distance = quadratic([0.0, 5.0, -3.0], [1.0, 2.0, 3.0])
    fit = minimize([p], distance, distance, steps=3000, learning_rate=0.05, every=10, patience=3000)
    torch.testing.assert_close(
        p.detach()[:, 0], torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64), atol=1e-3, rtol=0
    )
    assert not fit.diverged.any()


def test_keeps_the_best_validated_state_not_the_last():
    p = nn.Parameter(torch.zeros(1, dtype=torch.float64))
    # Validation prefers 1, training runs on to 5.
    fit = minimize(
        [p], lambda step: (p - 5.0).square().sum(), lambda: (p.detach() - 1.0).abs().sum(),
        steps=400, learning_rate=0.05, every=1, patience=400,
    )  # fmt: skip
    assert abs(p.item() - 1.0) < 0.05
    assert 0 < fit.best_step < 100


def test_stops_when_patience_has_run_out():
    p = nn.Parameter(torch.zeros(1, dtype=torch.float64))
    fit = minimize(
        [p], lambda step: (p - 5.0).square().sum(), lambda: p.detach().abs().sum(),
        steps=10_000, learning_rate=0.1, every=5, patience=50,
    )  # fmt: skip
    assert fit.steps == 50
    assert p.item() == 0.0


def test_members_do_not_influence_each_other():
    alone = []
    for start, optimum in [(0.0, 1.0), (4.0, -2.0)]:
        p, distance = quadratic([start], [optimum])
        minimize([p], distance, distance, steps=77, learning_rate=0.01, every=7, patience=30)
        alone.append(p.item())
    p, distance = quadratic([0.0, 4.0], [1.0, -2.0])
    minimize([p], distance, distance, steps=77, learning_rate=0.01, every=7, patience=30)
    np.testing.assert_array_equal(p.detach()[:, 0].numpy(), alone)


def test_a_diverged_member_is_named_and_spares_the_others():
    p = nn.Parameter(torch.tensor([[1.0], [1.0]], dtype=torch.float64))
    broken = torch.tensor([torch.nan, 1.0])
    value = lambda *_: p.square().sum(-1) * broken  # noqa: E731
    fit = minimize([p], value, value, steps=200, learning_rate=0.05, every=10)
    assert fit.diverged.tolist() == [True, False]
    assert abs(p[1].item()) < 0.1


def test_a_loss_of_the_wrong_shape_is_refused():
    p, distance = quadratic([0.0, 1.0], [1.0, 1.0])
    with pytest.raises(ValueError, match=r"one loss for each member, shape \(2,\), got \(2, 2\)"):
        minimize([p], lambda step: distance() - distance()[:, None], distance, steps=5, learning_rate=0.1)


def test_batches_of_a_member_do_not_depend_on_the_others():
    streams = lambda: [np.random.default_rng(s) for s in (1, 2)]  # noqa: E731
    together, alone = batches(streams(), 50, 8, "cpu"), batches(streams()[1], 50, 8, "cpu")
    for step in range(BLOCK + 3):  # across the edge of a block
        torch.testing.assert_close(together(step)[1], alone(step))


def test_passes_take_every_row_once_before_any_twice():
    streams = [np.random.default_rng(s) for s in (1, 2)]
    at = batches(streams, 50, 8, "cpu", passes=True)
    drawn = torch.cat([at(step) for step in range(BLOCK + 36)], dim=1).numpy()  # 800 rows: 16 passes
    for member in drawn:
        for one_pass in member.reshape(16, 50):
            assert sorted(one_pass) == list(range(50))
        assert not np.array_equal(member[:50], member[50:100])
    alone = batches(np.random.default_rng(2), 50, 8, "cpu", passes=True)
    np.testing.assert_array_equal(torch.cat([alone(step) for step in range(BLOCK + 36)]), drawn[1])


def test_all_rows_when_the_batch_is_not_smaller():
    assert batches(np.random.default_rng(0), 8, None, "cpu")(0) is None
    assert batches(np.random.default_rng(0), 8, 8, "cpu")(0) is None


def test_take_picks_rows_of_each_member():
    values = torch.arange(24).reshape(2, 4, 3)
    picked = take(values, torch.tensor([[3, 0], [1, 1]]))
    torch.testing.assert_close(picked, torch.stack([values[0, [3, 0]], values[1, [1, 1]]]))


def test_mlp_members_equal_models_apart():
    streams = lambda: [np.random.default_rng(s) for s in (1, 2)]  # noqa: E731
    x = torch.from_numpy(np.random.default_rng(0).standard_normal((2, 5, 3)))
    together = MLP((3, 7, 2), streams(), torch.tanh)(x)
    for i, rng in enumerate(streams()):
        torch.testing.assert_close(together[i], MLP((3, 7, 2), rng, torch.tanh)(x[i]), rtol=1e-12, atol=1e-12)


def test_the_last_state_is_kept_where_it_is_asked_for():
    """The validation value is lowest at the start, so that the best state and the last one differ."""
    p, distance = quadratic([0.0], [1.0])
    away = lambda: p[:, 0].detach() ** 2  # noqa: E731
    fit = minimize([p], distance, away, steps=60, learning_rate=0.05, every=7, patience=10, keep="last")
    assert fit.steps == 60 and fit.best_step.tolist() == [60.0]
    last = p.item()
    assert last > 0.5
    q, distance = quadratic([0.0], [1.0])
    minimize(
        [q], distance, lambda: q[:, 0].detach() ** 2, steps=60, learning_rate=0.05, every=7, patience=100
    )
    assert q.item() == 0.0
