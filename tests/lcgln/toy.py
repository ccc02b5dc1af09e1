"""A decision problem of the reader's own: how much to brew, when too little costs thrice too much."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn


class Rows(NamedTuple):
    x: Tensor
    y: Tensor


def cost(z: Tensor, y: Tensor) -> Tensor:
    return 3.0 * (y - z).clamp_min(0.0).sum(-1) + (z - y).clamp_min(0.0).sum(-1)


def regret(y_hat: Tensor, rows: Rows) -> Tensor:
    return cost(y_hat, rows.y)  # the best decision is the outcome itself and costs nothing


def rows(n: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 3))
    y = np.stack([x[:, 0] + rng.exponential(size=n), x[:, 1] - x[:, 2] + rng.exponential(size=n)], axis=1)
    return Rows(torch.from_numpy(x), torch.from_numpy(y))


def predictor(seed: int) -> nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)).double()


def samples(rows: Rows, k: int, seed: int) -> tuple[Tensor, Tensor]:
    """Predictions around the truth, (k, n, 2), the truth first, with their regrets (k, n)."""
    rng = np.random.default_rng(seed)
    noise = torch.from_numpy(rng.standard_normal((k, *rows.y.shape)))
    noise[0] = 0.0
    y_hat = rows.y + noise
    return y_hat, regret(y_hat, rows)
