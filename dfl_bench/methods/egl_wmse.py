"""EGL with a weighted squared error."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from lcgln.ensemble.layers import MLP

from .. import methods
from ..training.seed_batch import SeedBatch
from ._egl import EGL, PerTarget


@methods.register("egl-wmse", version=1, family="learned loss")
class EGLWMSE(EGL):
    """Efficient global losses, weighted squared error: (1/D) Σᵢ wᵢ(x) (ŷᵢ − yᵢ)²."""

    def parametrize(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> nn.Module:
        """One weight a target, from the features of its own row."""
        widths = (batch.train.x.shape[-1], *self.config.hidden, batch.problem.network.outputs)
        return PerTarget(MLP(widths, rngs, torch.relu), ())

    @staticmethod
    def form(parameters: Tensor, d: Tensor) -> Tensor:
        """Weights are positive by softplus, and never quite zero."""
        weights = nn.functional.softplus(parameters) + 1e-3
        return (weights.unsqueeze(2) * d.square()).mean(-1)
