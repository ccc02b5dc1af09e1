"""LODL-Quad: a quadratic of low rank for every training instance."""

from dataclasses import dataclass

import numpy as np
from torch import Tensor

from lcgln.ensemble.layers import uniform

from .. import methods
from ..contracts.search_space import Choice, Range
from ._lodl import LODL, QuadraticConfig

LARGEST = 100.0  # an entry of a factor


@dataclass(frozen=True, slots=True, kw_only=True)
class LODLQuadConfig(QuadraticConfig):
    """The published command line has rank 20 and no squared error beside the quadratic."""

    rank: int = 20


@methods.register("lodl-quad", version=1, family="learned loss")
class LODLQuad(LODL):
    """Locally optimized decision losses, quadratic: entries of an outcome have effects on each other."""

    Config = LODLQuadConfig
    search = {**LODL.search, "rank": Choice((2, 5, 20)), "mse_weight": Range(1e-4, 10.0)}

    def start(self, rng: np.random.Generator, n: int, n_targets: int) -> Tensor:
        """One factor (D, rank)."""
        return uniform(rng, (n, n_targets, self.config.rank), 0.0, 1.0 / n_targets**2)

    def admit(self, parameters: Tensor) -> Tensor:
        """A factor is zero above its diagonal, and its entries are bounded."""
        return parameters.clamp(-LARGEST, LARGEST).tril()

    def form(self, parameters: Tensor, d: Tensor) -> Tensor:
        """Return the quadratic."""
        return quadratic(parameters, d, self.config.mse_weight)


def quadratic(factors: Tensor, d: Tensor, mse_weight: float) -> Tensor:
    """Return ‖dᵀL‖² + a·mean(d²).

    Args:
        factors: L (..., D, rank).
        d: differences between prediction and outcome (..., k, D).
        mse_weight: a.

    Returns:
        Losses (..., k).
    """
    return (d @ factors).square().sum(-1) + mse_weight * d.square().mean(-1)
