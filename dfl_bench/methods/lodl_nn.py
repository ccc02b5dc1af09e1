"""LODL-NN: a network of the prediction for every training instance."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from kernels.networks import relu_networks
from lcgln.ensemble.layers import uniform

from .. import methods
from ..contracts.search_space import Choice
from ._lodl import LODL, LODLConfig, by_kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class LODLNNConfig(LODLConfig):
    """Four layers, a hundred hidden nodes each, as published."""

    hidden: tuple[int, ...] = (100, 100, 100)


@methods.register("lodl-nn", version=1, family="learned loss")
class LODLNN(LODL):
    """Locally optimized decision losses, network: reads ŷ alone, and has no minimum at the outcome."""

    Config = LODLNNConfig
    search = {**LODL.search, "hidden": Choice(((10,), (100,), (100, 100, 100)))}
    reads_error = False

    def start(self, rng: np.random.Generator, n: int, n_targets: int) -> Tensor:
        """Draw the weights and biases of each layer, as torch.nn.Linear does, side by side: (n, P)."""
        drawn = [
            uniform(rng, (n, (n_in + 1) * n_out), -(n_in**-0.5), n_in**-0.5)
            for n_in, n_out in pairwise((n_targets, *self.config.hidden, 1))
        ]
        return torch.cat(drawn, dim=-1)

    def form(self, parameters: Tensor, d: Tensor) -> Tensor:
        """Return what the networks say of predictions."""
        return networks(parameters, self.config.hidden, d)

    def at_one_point(self, parameters: Tensor, rows: Tensor | None, d: Tensor) -> Tensor:
        """Return the same at one point for each instance; on a CPU by a kernel, three times as fast."""
        if d.device.type != "cpu":
            return super().at_one_point(parameters, rows, d)
        index = np.arange(d.shape[1]) if rows is None else rows[0].numpy()
        widths = np.array((d.shape[-1], *self.config.hidden, 1))
        return by_kernel(lambda points: relu_networks(parameters[0].numpy(), index, points, widths), d)


def networks(parameters: Tensor, hidden: Sequence[int], y_hat: Tensor) -> Tensor:
    """Return the outputs of networks with ReLU after every layer, the last included.

    Args:
        parameters: (..., P); for each layer the weights (n_in, n_out) row by row, then the biases (n_out).
        hidden: nodes of the hidden layers.
        y_hat: predictions (..., k, D).

    Returns:
        Losses (..., k), never negative.
    """
    layers = list(pairwise((y_hat.shape[-1], *hidden, 1)))
    parts = iter(parameters.split([size for a, b in layers for size in (a * b, b)], dim=-1))
    values = y_hat
    for n_in, n_out in layers:
        weights, biases = next(parts).unflatten(-1, (n_in, n_out)), next(parts).unsqueeze(-2)
        values = torch.relu(values @ weights + biases)
    return values.squeeze(-1)
