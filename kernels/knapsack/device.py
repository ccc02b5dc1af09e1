"""Knapsacks on a device: cast, compute on tensors, and ask once at the end whether all was valid."""

import torch
from torch import Tensor

from .._shared.arrays import Array, broadcast_rows, device_of, giver, require_finite, to_tensor
from ..deferred import require
from . import given, tensors


def best_items(values: Tensor, sack: given.Knapsack, name: str) -> Tensor:
    """As `knapsack.best_items`, by dynamic programming.

    Args:
        values: values (..., n) of the items.
        sack: the checked knapsack, of one dimension and integer weights.
        name: what error messages call the values.
    """
    assert sack.steps is not None
    v = to_tensor(values, name, values.device)
    fits = torch.tensor(sack.fits.tolist(), device=v.device)
    rows = tensors.rounded(v.reshape(-1, v.shape[-1]), fits)
    items = tensors.best_items(rows, sack.steps.tolist(), sack.n_steps)
    require(tensors.is_valid(v), lambda: given.check_values(v.cpu().numpy(), name))
    return items.reshape(v.shape)


def relaxed(values: Tensor, sack: given.Knapsack) -> Tensor:
    """As `knapsack.relaxed`, for one dimension."""
    if len(sack.capacity) > 1:
        raise ValueError(
            f"expected one dimension for a relaxation on {values.device}, got {len(sack.capacity)}; "
            "the simplex method runs on the CPU: pass values.cpu()."
        )
    v = to_tensor(values, "values", values.device)
    weights = to_tensor(sack.weights[0], "weights", v.device)
    z = tensors.relaxed(v, weights, float(sack.capacity[0]))
    require(tensors.is_valid(v), lambda: given.check_values(v.cpu().numpy(), "values"))
    return z


def value(items: Array, values: Array) -> Array:
    """As `knapsack.value`, differentiable."""
    device = device_of(items, values)
    z, v = to_tensor(items, "items", device), to_tensor(values, "values", device)
    broadcast_rows(items=tuple(z.shape[:-1]), values=tuple(v.shape[:-1]))

    def explain() -> None:
        require_finite(z.detach().cpu().numpy(), "items")
        given.check_values(v.detach().cpu().numpy(), "values")

    require(tensors.is_valid(v) & z.isfinite().all(), explain)
    return giver(items, values)(tensors.value(z, v))


def shortfall(chosen: Array, best: Array, values: Array) -> Tensor:
    """Return value(best) − value(chosen) of items (..., n) already solved for, differentiable in values.

    Args:
        chosen: the items to compare (..., n), zeros and ones.
        best: the best items (..., n), zeros and ones.
        values: true values (..., n).
    """
    device = device_of(chosen, best, values)
    v = to_tensor(values, "values", device)
    best_, chosen_ = to_tensor(best, "best", device), to_tensor(chosen, "chosen", device)
    return tensors.value(best_, v) - tensors.value(chosen_, v)
