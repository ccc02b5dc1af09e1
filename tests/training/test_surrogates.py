import numpy as np
import pytest
import torch
from torch import nn

from dfl_bench.training import fit_to_samples

SEEDS, INSTANCES, SAMPLES = 2, 12, 9


class Labelled:
    """Regrets that one number for each seed and instance explains, whatever the sample."""

    target = torch.from_numpy(np.random.default_rng(0).random((SEEDS, INSTANCES, 1))).expand(-1, -1, SAMPLES)


class PerInstance(nn.Module):
    """A loss that learns every instance on its own: held-out instances never learn."""

    def __init__(self):
        super().__init__()
        self.level = nn.Parameter(torch.full((SEEDS, INSTANCES, 1), 2.0, dtype=torch.float64))

    def forward(self, rows):
        return self.level[torch.arange(SEEDS)[:, None], rows].expand(-1, -1, SAMPLES)


def error_after(hold_out):
    network = PerInstance()
    streams = [np.random.default_rng(seed) for seed in range(SEEDS)]
    fit_to_samples(
        network, network, Labelled(), streams, steps=400, learning_rate=0.05, patience=400, hold_out=hold_out
    )
    assert not network.level.requires_grad
    return float((network.level - Labelled.target[..., :1]).abs().mean())


def test_held_out_samples_select_a_loss_of_the_instances_it_was_fitted_on():
    assert error_after("samples") < 0.02


def test_held_out_instances_stop_a_loss_that_does_not_generalise():
    assert error_after("instances") > 0.5


@pytest.mark.parametrize("hold_out", ["samples", "instances"])
def test_a_prediction_of_the_wrong_shape_is_refused(hold_out):
    network = PerInstance()
    with pytest.raises(AssertionError, match="one number for each sample"):
        fit_to_samples(
            network,
            lambda rows: network(rows)[..., :1],
            Labelled(),
            [np.random.default_rng(0)] * SEEDS,
            steps=1,
            learning_rate=0.1,
            patience=1,
            hold_out=hold_out,
        )
