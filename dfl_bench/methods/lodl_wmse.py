"""LODL-WMSE: a weighted squared error for every training instance."""

import numpy as np
from torch import Tensor

from lcgln.ensemble.layers import uniform

from .. import methods
from ._lodl import LODL

LEAST = 1e-3  # no weight is below this


@methods.register("lodl-wmse", version=1, family="learned loss")
class LODLWMSE(LODL):
    """Locally optimized decision losses, weighted squared error: one weight per entry of an outcome."""

    def start(self, rng: np.random.Generator, n: int, n_targets: int) -> Tensor:
        """One weight for each entry."""
        return uniform(rng, (n, n_targets), LEAST, 1.0 + LEAST)

    def admit(self, parameters: Tensor) -> Tensor:
        """Weights are positive."""
        return parameters.clamp_min(LEAST)

    def form(self, parameters: Tensor, d: Tensor) -> Tensor:
        """Return the weighted squared error."""
        return weighted_error(parameters, d)


def weighted_error(weights: Tensor, d: Tensor) -> Tensor:
    """Return (1/D) Σ_i w_i d_i² for weights (..., D) and differences d (..., k, D), shape (..., k)."""
    return (weights.unsqueeze(-2) * d.square()).mean(-1)
