"""Linear layers for one model, or for S models that train as one batch.

Inputs are (rows, n_in) for one model and (S, rows, n_in) for S, outputs (rows, n_out) and (S, rows, n_out);
parameters too have S first. All operations are elementwise or batched products, so each member computes what
it would compute alone.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

Streams: TypeAlias = np.random.Generator | Sequence[np.random.Generator]
"""One random stream for one model, or S of them for S members."""


def uniform(rngs: Streams, shape: tuple[int, ...], low: float, high: float) -> Tensor:
    """Draw uniform numbers with NumPy, which draws the same for every device.

    Args:
        rngs: one stream, or S of them.
        shape: of one member.
        low: lower end.
        high: upper end.

    Returns:
        float64 of the given shape for one stream, (S, *shape) for S.
    """
    if isinstance(rngs, np.random.Generator):
        return torch.from_numpy(rngs.uniform(low, high, shape))
    return torch.stack([uniform(rng, shape, low, high) for rng in rngs])


class Linear(nn.Module):
    """An affine map of the last axis, with the initial distribution of torch.nn.Linear.

    Args:
        n_in: entries of the last axis of the input.
        n_out: entries of the last axis of the output.
        rngs: one stream, or S of them for S members.
    """

    def __init__(self, n_in: int, n_out: int, rngs: Streams) -> None:
        super().__init__()
        bound = n_in**-0.5
        self.weight = nn.Parameter(uniform(rngs, (n_out, n_in), -bound, bound))
        self.bias = nn.Parameter(uniform(rngs, (1, n_out), -bound, bound))

    def forward(self, x: Tensor) -> Tensor:
        """Map (*batch, rows, n_in) to (*batch, rows, n_out)."""
        if self.weight.ndim == 3 and len(self.weight) == 1:
            # A plain product is twice as fast as a batch of one, and views are cheaper to undo than indexing.
            weight, bias = self.weight.squeeze(0), self.bias.squeeze(0)
            return torch.addmm(bias, x.squeeze(0), weight.t()).unsqueeze(0)
        return x @ self.weight.mT + self.bias


def identity(raw: Tensor) -> Tensor:
    """Return the argument."""
    return raw


class Product(nn.Module):
    """A linear map without bias, whose weights are a function of free parameters.

    Args:
        raw: the parameters, (n_in, n_out) or (S, n_in, n_out).
        weights: from parameters to weights, entry by entry.
    """

    def __init__(self, raw: Tensor, weights: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.raw = nn.Parameter(raw)
        self.weights = weights

    def forward(self, x: Tensor) -> Tensor:
        """Map (*batch, rows, n_in) to (*batch, rows, n_out)."""
        return x @ self.weights(self.raw)


class PositiveLinear(Product):
    """A linear map with weights that cannot be negative: the softplus of free parameters, no bias.

    Args:
        n_in: entries of the last axis of the input.
        n_out: entries of the last axis of the output.
        rngs: one stream, or S of them for S members.
    """

    def __init__(self, n_in: int, n_out: int, rngs: Streams) -> None:
        weight = uniform(rngs, (n_in, n_out), 0.05 / n_in, 2.0 / n_in)
        super().__init__(weight.expm1().log(), nn.functional.softplus)  # the inverse of softplus


class FreeLinear(Product):
    """A linear map without bias, with the initial distribution of torch.nn.Linear.

    Args:
        n_in: entries of the last axis of the input.
        n_out: entries of the last axis of the output.
        rngs: one stream, or S of them for S members.
    """

    def __init__(self, n_in: int, n_out: int, rngs: Streams) -> None:
        bound = n_in**-0.5
        super().__init__(uniform(rngs, (n_in, n_out), -bound, bound), identity)


class MLP(nn.Module):
    """Linear layers with an activation between them, none after the last.

    Args:
        widths: entries of the input, of every hidden layer and of the output.
        rngs: one stream, or S of them for S members.
        activation: elementwise function.
    """

    def __init__(self, widths: Sequence[int], rngs: Streams, activation: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Linear(a, b, rngs) for a, b in pairwise(widths))
        self.activation = activation

    def forward(self, x: Tensor) -> Tensor:
        """Map (*batch, rows, widths[0]) to (*batch, rows, widths[-1])."""
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        return self.layers[-1](x)
