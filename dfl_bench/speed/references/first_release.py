"""The training loop of `pfl` on inventory as the first release had it: layers, autograd, one optimizer call.

Kept so that the loop of today can be compared with it in one run. One seed, written as the batch of one that
it was: every parameter and every loss has a leading dimension of 1.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor, nn


class Layer(nn.Module):
    """An affine map with the initial distribution of torch.nn.Linear, drawn by NumPy."""

    def __init__(self, n_in: int, n_out: int, rng: np.random.Generator) -> None:
        super().__init__()
        bound = n_in**-0.5
        self.weight = nn.Parameter(torch.from_numpy(rng.uniform(-bound, bound, (1, n_out, n_in))))
        self.bias = nn.Parameter(torch.from_numpy(rng.uniform(-bound, bound, (1, 1, n_out))))

    def forward(self, x: Tensor) -> Tensor:
        """Map (1, rows, n_in) to (1, rows, n_out)."""
        return nn.functional.linear(x[0], self.weight[0], self.bias[0, 0]).unsqueeze(0)


class Predictor(nn.Module):
    """One hidden ReLU layer and a softmax."""

    def __init__(self, widths: tuple[int, int, int], rng: np.random.Generator) -> None:
        super().__init__()
        self.hidden, self.output = (Layer(n_in, n_out, rng) for n_in, n_out in pairwise(widths))
        self.scale: Tensor
        self.register_buffer("scale", torch.ones(1, dtype=torch.float64))

    def forward(self, x: Tensor) -> Tensor:
        """Map (1, rows, features) to probabilities (1, rows, demands)."""
        inner = x.shape[1:-1]
        raw = self.output(torch.relu(self.hidden(x.flatten(1, -2))))
        return (raw.softmax(-1) * self.scale[:, None, None]).unflatten(1, inner)


def fit(
    network: nn.Module, x: Tensor, y: Tensor, validate: Callable[[], Tensor], steps: int, rate: float
) -> Tensor:
    """Minimise the negative log-likelihood of all rows in place; return the regret before and after, (2, 1).

    Args:
        network: the predictor.
        x: features (1, rows, features).
        y: one-hot outcomes (1, rows, demands).
        validate: the mean regret on the validation rows, (1,).
        steps: how many.
        rate: the learning rate.
    """
    optimizer = torch.optim.AdamW(list(network.parameters()), lr=rate, weight_decay=0.0, fused=True)
    with torch.no_grad():
        before = validate()
    for _ in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = -(y * network(x).clamp_min(1e-300).log()).sum(-1)
        loss.mean(-1).sum().backward()
        optimizer.step()
    with torch.no_grad():
        return torch.stack([before, validate()])
