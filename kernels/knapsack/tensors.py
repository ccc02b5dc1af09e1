"""Knapsacks on tensors of any device: the mathematics of the Numba kernels, vectorised over rows.

Nothing here reads a value on the host; weights are Python integers, loops have lengths known from shapes.
"""

import torch
from torch import Tensor

from .rounding import LIMIT

_CHUNK = 1 << 27  # bytes of the largest temporary, one for every row, item and capacity


def is_valid(values: Tensor) -> Tensor:
    """Return a 0-d bool tensor: no NaN and nothing too large."""
    return (values.abs() <= LIMIT).all()


def rounded(values: Tensor, fits: Tensor) -> Tensor:
    """Return values (N, n) on the grid of `rounding`, -inf for what is never taken; fits (n,) is bool."""
    n_items = values.shape[-1]
    reach = 2.0 * n_items * torch.where(fits, values, 0.0).clamp(min=0).amax(-1, keepdim=True)
    power = torch.where(reach > 0, reach / torch.frexp(reach).mantissa, 1.0)
    on_grid = (values + power) - power
    return torch.where(fits & (on_grid > 0), on_grid, -torch.inf)


def best_items(values: Tensor, steps: list[int], n_steps: int) -> Tensor:
    """Return 0/1 (N, n) by dynamic programming over the capacity; values (N, n) are rounded.

    Args:
        values: (N, n), rounded, -inf for what is never taken.
        steps: the weights of the n items in whole steps.
        n_steps: the capacity in the same steps.
    """
    n_at_once = max(1, _CHUNK // (len(steps) * (n_steps + 1)))
    if len(values) > n_at_once:
        return torch.cat([best_items(rows, steps, n_steps) for rows in values.split(n_at_once)])
    best = torch.zeros_like(values[:, :1]).repeat(1, n_steps + 1)
    taken = [torch.zeros_like(best, dtype=torch.bool)] * len(steps)
    for item in range(len(steps) - 1, -1, -1):
        weight = steps[item]
        with_item = best[:, : n_steps + 1 - weight] + values[:, item : item + 1]
        without = best[:, weight:]
        never = torch.zeros_like(best[:, :weight], dtype=torch.bool)
        taken[item] = torch.cat([never, with_item >= without], 1)
        best = torch.cat([best[:, :weight], torch.maximum(with_item, without)], 1)
    return _trace(taken, steps, n_steps, values)


def _trace(taken: list[Tensor], steps: list[int], n_steps: int, values: Tensor) -> Tensor:
    left = torch.full_like(values[:, :1], n_steps, dtype=torch.int64)
    items = []
    for weight, where in zip(steps, taken, strict=True):
        item = where.gather(1, left)
        items.append(item)
        left = left - weight * item
    return torch.cat(items, 1).to(values.dtype)


def relaxed(values: Tensor, weights: Tensor, capacity: float) -> Tensor:
    """Return the optimum (..., n) for one dimension: by value per weight, of equal ones the first.

    Args:
        values: values of the items (..., n).
        weights: weights of the items (n,).
        capacity: how much weight fits.
    """
    positive = values > 0
    ratio = torch.where(positive, values / weights, -torch.inf)
    order = torch.sort(ratio, dim=-1, descending=True, stable=True).indices
    # Items without value stay behind all others, so their weights change no sum that counts.
    sorted_weights = weights.expand_as(values).gather(-1, order)
    before = sorted_weights.cumsum(-1) - sorted_weights
    left = (capacity - before).clamp(min=0)
    part = torch.where(sorted_weights <= left, 1.0, left / sorted_weights)
    return torch.where(positive, torch.zeros_like(values).scatter(-1, order, part), 0.0)


def value(items: Tensor, values: Tensor) -> Tensor:
    """Return Σ_i items_i values_i: (..., n), (..., n) -> (...)."""
    return (items * values).sum(-1)
