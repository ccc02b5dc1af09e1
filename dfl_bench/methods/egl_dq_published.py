"""EGL-DQ as the LCGLN authors appear to have run it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lcgln.ensemble.layers import MLP

from .. import methods
from ..training.seed_batch import SeedBatch
from ._egl import EGL, EGLConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedConfig(EGLConfig):
    """Three hidden layers of 500, a hundred steps."""

    hidden: tuple[int, ...] = (500, 500, 500)
    surrogate_steps: int = 100


@methods.register("egl-dq-published", version=1, family="learned loss")
class EGLDQPublished(EGL):
    """EGL-DQ as published: a plain quadratic ‖dᵀL(x)‖², entries of L in (0, 1), no direction."""

    Config = PublishedConfig

    def parametrize(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> nn.Module:
        """All features of an instance at once to the lower triangle of L."""
        n_targets = batch.train.y.flatten(2).shape[-1]
        n_features = batch.train.x.flatten(2).shape[-1]
        n_entries = n_targets * (n_targets + 1) // 2
        return _Triangle(MLP((n_features, *self.config.hidden, n_entries), rngs, torch.relu), n_targets)

    @staticmethod
    def form(parameters: Tensor, d: Tensor) -> Tensor:
        """Return the squared length of dᵀL."""
        return (d @ parameters).square().sum(-1)


class _Triangle(nn.Module):
    places: Tensor

    def __init__(self, network: nn.Module, n_targets: int) -> None:
        super().__init__()
        self.network = network
        self.n_targets = n_targets
        rows, columns = torch.tril_indices(n_targets, n_targets)
        self.register_buffer("places", rows * n_targets + columns)

    def forward(self, x: Tensor) -> Tensor:
        entries = torch.sigmoid(self.network(x.flatten(2)))
        full = entries.new_zeros(*entries.shape[:2], self.n_targets**2)
        return full.index_copy(2, self.places, entries).unflatten(2, (self.n_targets, self.n_targets))
