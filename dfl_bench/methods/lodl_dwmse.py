"""LODL-DWMSE: a squared error for every training instance that weighs too much and too little apart."""

import numpy as np
import torch
from torch import Tensor

from lcgln.ensemble.layers import uniform

from .. import methods
from .lodl_wmse import LEAST, LODLWMSE


@methods.register("lodl-dwmse", version=1, family="learned loss")
class LODLDWMSE(LODLWMSE):
    """Locally optimized decision losses, directed weighted squared error: two weights per entry."""

    def start(self, rng: np.random.Generator, n: int, n_targets: int) -> Tensor:
        """A weight for each sign of the error of each entry."""
        return uniform(rng, (n, 2, n_targets), LEAST, 1.0 + LEAST)

    def form(self, parameters: Tensor, d: Tensor) -> Tensor:
        """Return the directed weighted squared error."""
        return directed_error(parameters, d)


def directed_error(weights: Tensor, d: Tensor) -> Tensor:
    """Return (1/D) Σ_i w_i d_i², where w_i is of the sign of d_i.

    Args:
        weights: (..., 2, D), first those of d_i < 0, then those of d_i > 0.
        d: differences between prediction and outcome (..., k, D).

    Returns:
        Losses (..., k).
    """
    below, above = weights.unsqueeze(-3).unbind(-2)  # (..., 1, D) each
    return (torch.where(d > 0.0, above, below) * d.square()).mean(-1)
