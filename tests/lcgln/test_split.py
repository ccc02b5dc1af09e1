import numpy as np
import pytest
import torch

from lcgln.split import HOLD_OUT, split


def stream(seed):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("by", HOLD_OUT)
@pytest.mark.parametrize(("instances", "samples"), [(30, 4), (7, 32), (2, 2)])
def test_every_sample_is_on_one_side(instances, samples, by):
    fit, held = split(stream(0), instances, samples, 1 / 3, by)
    assert sorted(torch.cat([fit, held]).tolist()) == list(range(instances * samples))
    assert len(fit) and len(held)


def test_held_out_instances_take_all_their_samples_along():
    fit, held = split(stream(0), 30, 4, 1 / 3, "instances")
    assert not set((fit // 4).tolist()) & set((held // 4).tolist())
    assert len(held) == 40


def test_held_out_samples_leave_every_outcome_to_the_fit():
    fit, held = split(stream(0), 30, 12, 1 / 3, "samples")
    assert set((fit // 12).tolist()) == set((held // 12).tolist()) == set(range(30))
    assert len(held) == 120


@pytest.mark.parametrize("by", HOLD_OUT)
def test_streams_together_split_as_streams_apart(by):
    together = split([stream(1), stream(2)], 9, 5, 0.25, by)
    for i, seed in enumerate((1, 2)):
        for part, alone in zip(together, split(stream(seed), 9, 5, 0.25, by), strict=True):
            assert torch.equal(part[i], alone)
