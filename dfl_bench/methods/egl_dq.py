"""EGL with a directed quadratic: errors above and below the truth weigh differently."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lcgln.ensemble.layers import MLP

from .. import methods
from ..training.seed_batch import SeedBatch
from ._egl import EGL, EGLConfig, PerTarget

FLOOR = 1e-3  # weight of the plain squared error: no direction is quite flat


@dataclass(frozen=True, slots=True, kw_only=True)
class EGLDQConfig(EGLConfig):
    """The rank of the quadratic."""

    rank: int = 8


@methods.register("egl-dq", version=1, family="learned loss")
class EGLDQ(EGL):
    """Efficient global losses, directed quadratic: ‖Σᵢ dᵢ ℓᵢ^{sign dᵢ}(x)‖², low rank, continuous in d."""

    Config = EGLDQConfig

    def parametrize(self, batch: SeedBatch, rngs: Sequence[np.random.Generator]) -> nn.Module:
        """Two vectors a target, one for each sign of its error."""
        rank = self.config.rank
        widths = (batch.train.x.shape[-1], *self.config.hidden, batch.problem.network.outputs * 2 * rank)
        return PerTarget(MLP(widths, rngs, torch.relu), (2, rank))

    @staticmethod
    def form(parameters: Tensor, d: Tensor) -> Tensor:
        """Split d by sign, so that one product serves both."""
        signed = torch.cat([d.clamp_max(0.0), d.clamp_min(0.0)], dim=-1)
        factors = torch.cat([parameters[..., 0, :], parameters[..., 1, :]], dim=-2)  # (S, n, 2D, rank)
        return (signed @ factors).square().sum(-1) + FLOOR * d.square().mean(-1)
