"""LODL-DQ: a directed quadratic for every training instance."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from kernels.directed import directed_quadratics
from lcgln.ensemble.batches import take
from lcgln.ensemble.layers import uniform

from .. import methods
from ..contracts.search_space import Range
from ._lodl import LODL, QuadraticConfig, by_kernel

LARGEST = 10.0  # an entry of a factor


@dataclass(frozen=True, slots=True, kw_only=True)
class LODLDQConfig(QuadraticConfig):
    """The published class has a little squared error, so that no direction is quite flat."""

    mse_weight: float = 1e-3


@methods.register("lodl-dq", version=2, family="learned loss")
class LODLDQ(LODL):
    """Locally optimized decision losses, directed quadratic: one loss per instance (Shah et al. 2022)."""

    Config = LODLDQConfig
    search = {**LODL.search, "mse_weight": Range(1e-4, 10.0)}

    def start(self, rng: np.random.Generator, n: int, n_targets: int) -> Tensor:
        """Four factors (D, D), one for each pair of signs."""
        return uniform(rng, (n, 2 * n_targets, 2 * n_targets), 0.0, 1.0 / n_targets**2)

    def admit(self, parameters: Tensor) -> Tensor:
        """Factors are zero above their diagonals, and their entries are bounded."""
        size = parameters.shape[-1] // 2
        lower = torch.ones(size, size, dtype=parameters.dtype, device=parameters.device).tril().tile(2, 2)
        return parameters.clamp(-LARGEST, LARGEST) * lower

    def form(self, parameters: Tensor, d: Tensor) -> Tensor:
        """Return the directed quadratic."""
        return directed_quadratic(parameters, d, self.config.mse_weight)

    def at_one_point(self, parameters: Tensor, rows: Tensor | None, d: Tensor) -> Tensor:
        """Return the same at one point for each instance, by a kernel."""
        return at_one_point(parameters, rows, d, self.config.mse_weight)


def directed_quadratic(factors: Tensor, d: Tensor, mse_weight: float) -> Tensor:
    """Return Σ_j (Σ_i d_i L_ij)² + a·mean(d²) with L_ij chosen by the signs of d_i and d_j.

    The factors (..., 2D, 2D) hold four matrices: rows 0…D−1 serve negative d_i, the rest positive ones, and
    columns likewise for d_j. Splitting d by sign turns the choice by i into a sum, so that one matrix product
    gives both candidates of every column, of which the sign of d_j takes one.

    Args:
        factors: (..., 2D, 2D).
        d: differences between prediction and outcome (..., k, D), in units of their spread.
        mse_weight: a, the weight of the mean squared difference.
    """
    signed = torch.cat([d.clamp_max(0.0), d.clamp_min(0.0)], dim=-1)
    negative, positive = (signed @ factors).chunk(2, dim=-1)
    chosen = torch.where(d > 0.0, positive, negative)
    return chosen.square().sum(-1) + mse_weight * d.square().mean(-1)


def at_one_point(factors: Tensor, rows: Tensor | None, d: Tensor, mse_weight: float) -> Tensor:
    """Return the quadratics of some instances, rows (1, n), at one d each, (1, n, D): what a step asks for.

    The factors are constants by now, so on a CPU a kernel reads only what the signs choose.

    Args:
        factors: (1, N, 2D, 2D), one for each instance.
        rows: instances (1, n), or None for all of them.
        d: differences between prediction and outcome (1, n, D), in units of their spread.
        mse_weight: a, the weight of the mean squared difference.
    """
    if d.device.type != "cpu":
        return directed_quadratic(take(factors, rows), d.unsqueeze(2), mse_weight).squeeze(2)
    index = torch.arange(d.shape[1]) if rows is None else rows[0]
    value = by_kernel(lambda points: directed_quadratics(factors[0].numpy(), index.numpy(), points), d)
    return value + mse_weight * d.square().mean(-1)
