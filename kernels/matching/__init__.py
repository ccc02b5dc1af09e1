"""The cheapest assignment of n rows to n columns, exact up to rounding.

Costs (..., n, n) are any real numbers. Of equal matchings the first is taken, on every device: the first row
has the lowest column that it has in any of them, then the second row, and so on. Matchings are equal when
their costs differ by rounding only, 1e-12 of the largest cost that is paid.
Functions take NumPy arrays or torch tensors, compute in float64 and return the same kind.
"""

import math
from typing import Any

import numpy as np

from .._shared.arrays import (
    EACH_ITS_OWN,
    Array,
    broadcast_rows,
    giver,
    is_tensor,
    to_numpy,
    wants_torch,
)
from .._shared.threads import n_chunks
from . import compiled, given, payments

# Entries of all instances. Two threads on two busy cores: five times slower at 250,000, even from here on.
_THREADED_FROM = 2_000_000


def best_matching(costs: Array) -> Array:
    """Return the matching of smallest cost: costs (..., n, n) -> 0/1 (..., n, n)."""
    return _matching(costs, 1.0)


def worst_matching(costs: Array) -> Array:
    """Return the matching of largest cost: costs (..., n, n) -> 0/1 (..., n, n)."""
    return _matching(costs, -1.0)


def best_columns(costs: Array) -> Array:
    """Return `best_matching` as the column of every row: costs (..., n, n) -> integers (..., n)."""
    costs = _detached(costs)
    if wants_torch(costs):
        from . import device

        return device.columns(costs, 1.0)
    values = given.costs(costs, "costs")
    chosen = _columns(values, "costs").reshape(values.shape[:-1])
    if not is_tensor(costs):
        return chosen
    import torch

    return torch.from_numpy(chosen)


def cost(matching: Array, costs: Array) -> Array:
    """Return Σ matching × costs of (..., n, n), fractional matchings too; leading dimensions broadcast."""
    given.check_pair(matching, costs, "matching", "costs")
    if wants_torch(matching, costs):
        from . import device

        return device.cost(matching, costs)
    shares, prices = to_numpy(matching, "matching"), to_numpy(costs, "costs")
    broadcast_rows(matching=shares.shape[:-2], costs=prices.shape[:-2])
    out = np.einsum("...ij,...ij->...", shares, prices)
    if not np.isfinite(out).all():
        given.explain(prices, "costs")
        given.explain_matching(shares)
    return giver(matching, costs)(np.asarray(out))


def optimal_cost(costs: Array) -> Array:
    """Return the cost of the best matching: (..., n, n) -> (...).

    With a tensor in an autograd graph, backward gives the matching.
    """
    if wants_torch(costs):
        from . import device

        return device.optimal_cost(costs)
    values = given.costs(costs, "costs")
    chosen = _columns(values, "costs")
    out = np.empty(len(chosen))
    payments.payments(chosen, _flat(values), EACH_ITS_OWN, EACH_ITS_OWN, out)
    return giver(costs)(out.reshape(values.shape[:-2]))


def regret(costs_hat: Array, costs: Array) -> Array:
    """Return what the best matching for costs_hat costs under costs, beyond the optimum.

    Args:
        costs_hat: predicted costs (..., n, n).
        costs: true costs (..., n, n); leading dimensions broadcast.

    Returns:
        Regrets of the broadcast leading shape, zero where both matchings are the same.
    """
    given.check_pair(costs_hat, costs, "costs_hat", "costs")
    if wants_torch(costs_hat, costs):
        from . import device

        return device.regret(costs_hat, costs)
    hats, truths = given.costs(costs_hat, "costs_hat"), given.costs(costs, "costs")
    shape, (rows_hat, rows) = broadcast_rows(costs_hat=hats.shape[:-2], costs=truths.shape[:-2])
    # Every distinct prediction and label is solved once, however often the other side repeats it.
    chosen, best = _columns(hats, "costs_hat"), _columns(truths, "costs")
    paid, optimum, flat = np.empty(math.prod(shape)), np.empty(math.prod(shape)), _flat(truths)
    payments.payments(chosen, flat, rows_hat, rows, paid)
    payments.payments(best, flat, rows, rows, optimum)
    return giver(costs_hat, costs)((paid - optimum).reshape(shape))


def _matching(costs: Any, sign: float) -> Array:
    give = giver(costs)
    # A matching has no gradient, so only the device decides here.
    costs = _detached(costs)
    if wants_torch(costs):
        from . import device

        return give(device.matching(costs, sign))
    values = given.costs(costs, "costs")
    out = np.empty(values.shape)
    payments.mark(_columns(values, "costs", sign), _flat(out))
    return give(out)


def _columns(values: np.ndarray, name: str, sign: float = 1.0) -> np.ndarray:
    """Return the column of every row in the best matching of sign × values, (instances, n)."""
    flat, limit = _flat(values if sign > 0 else -values), given.limit(values.shape[-1])
    out = np.empty(flat.shape[:2], np.int64)
    if (chunks := n_chunks(flat.size, _THREADED_FROM)) > 1:
        bad = compiled.matchings_threaded(flat, limit, chunks, out)
    else:
        bad = compiled.matchings(flat, limit, 0, len(flat), out)
    if bad >= 0:
        given.explain(values, name)
    return out


def _flat(values: np.ndarray) -> np.ndarray:
    return values.reshape(math.prod(values.shape[:-2]), *values.shape[-2:])


def _detached(array: Any) -> Any:
    return array.detach() if is_tensor(array) else array
