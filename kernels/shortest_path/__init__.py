"""Shortest paths on a grid from the top left node to the bottom right one, by steps to the right or down.

Costs (..., arcs) are any real numbers, one per arc, in this order: for every grid row its arcs to the right,
then its arcs down to the next row. Of equal paths the one is taken that goes right where they part: at every
node the way leads right unless going down is cheaper, with costs added from the last arc backwards.
Functions take NumPy arrays or torch tensors, compute in float64 and return the same kind.
"""

import math
from typing import Any

import numpy as np

from .._shared.arrays import Array, broadcast_rows, giver, is_tensor, to_numpy, wants_torch
from .._shared.threads import n_chunks
from . import compiled, given

# Arcs of all rows. Two threads on two busy cores: twice as slow at 4 million, even from here on.
_THREADED_FROM = 20_000_000


def n_arcs(height: int, width: int) -> int:
    """Return how many arcs a grid of height x width nodes has."""
    return given.n_arcs(*given.grid(height, width))


def arcs(height: int, width: int) -> np.ndarray:
    """Return the nodes (from, to) of every arc, (arcs, 2); nodes are numbered row by row from zero."""
    height, width = given.grid(height, width)
    nodes = np.arange(height * width).reshape(height, width)
    pairs: list[np.ndarray] = []
    for i in range(height):
        pairs.append(np.stack([nodes[i, :-1], nodes[i, 1:]], -1))
        if i + 1 < height:
            pairs.append(np.stack([nodes[i], nodes[i + 1]], -1))
    return np.concatenate(pairs)


def best_path(costs: Array, height: int, width: int) -> Array:
    """Return the path of smallest cost as zeros and ones.

    Args:
        costs: (..., arcs), any real numbers.
        height: grid rows.
        width: grid columns.

    Returns:
        (..., arcs), 1 on the arcs of the path; of equal paths the one that goes right where they part.
    """
    return _path(costs, height, width, 1.0)


def worst_path(costs: Array, height: int, width: int) -> Array:
    """Return the path of largest cost as zeros and ones.

    Args:
        costs: (..., arcs), any real numbers.
        height: grid rows.
        width: grid columns.

    Returns:
        As `best_path` of the negated costs.
    """
    return _path(costs, height, width, -1.0)


def cost(path: Array, costs: Array) -> Array:
    """Return Σ path × costs of (..., arcs), for fractional paths too; leading dimensions broadcast."""
    given.check_pair(path, costs, "path", "costs")
    if wants_torch(path, costs):
        from . import device

        return device.cost(path, costs)
    shares, prices = to_numpy(path, "path"), to_numpy(costs, "costs")
    shape, (rows_path, rows) = broadcast_rows(path=shares.shape[:-1], costs=prices.shape[:-1])
    out = np.empty(math.prod(shape))
    compiled.payments(_flat(shares), _flat(prices), rows_path, rows, out)
    if not np.isfinite(out).all():
        given.explain(prices, "costs")
        given.explain_path(shares)
    return giver(path, costs)(out.reshape(shape))


def optimal_cost(costs: Array, height: int, width: int) -> Array:
    """Return the cost of the best path, without the path.

    Args:
        costs: (..., arcs), any real numbers.
        height: grid rows.
        width: grid columns.

    Returns:
        (...). With a tensor in an autograd graph, backward gives the path.
    """
    height, width = given.grid(height, width)
    if wants_torch(costs):
        from . import device

        return device.optimal_cost(costs, height, width)
    values = given.costs(costs, height, width, "costs")
    out = np.empty(math.prod(values.shape[:-1]))
    if compiled.optima(_flat(values), height, width, 0, len(out), out) >= 0:
        given.explain(values, "costs")
    return giver(costs)(out.reshape(values.shape[:-1]))


def regret(costs_hat: Array, costs: Array, height: int, width: int) -> Array:
    """Return what the best path for costs_hat costs under costs, beyond the optimum.

    Args:
        costs_hat: predicted costs (..., arcs).
        costs: true costs (..., arcs); leading dimensions broadcast.
        height: grid rows.
        width: grid columns.

    Returns:
        Regrets of the broadcast leading shape, never negative, and zero where both paths are the same.
    """
    height, width = given.grid(height, width)
    if wants_torch(costs_hat, costs):
        from . import device

        return device.regret(costs_hat, costs, height, width)
    hats = given.costs(costs_hat, height, width, "costs_hat")
    truths = given.costs(costs, height, width, "costs")
    shape, (rows_hat, rows) = broadcast_rows(costs_hat=hats.shape[:-1], costs=truths.shape[:-1])
    out = np.empty(math.prod(shape))
    flat_hats, flat = _flat(hats), _flat(truths)
    if (chunks := n_chunks(len(out) * flat.shape[1], _THREADED_FROM)) > 1:
        bad = compiled.regrets_threaded(flat_hats, flat, rows_hat, rows, height, width, chunks, out)
    else:
        bad = compiled.regrets(flat_hats, flat, rows_hat, rows, height, width, 0, len(out), out)
    if bad >= 0:
        given.explain(hats, "costs_hat")
        given.explain(truths, "costs")
    return giver(costs_hat, costs)(out.reshape(shape))


def _path(costs: Any, height: int, width: int, sign: float) -> Array:
    height, width = given.grid(height, width)
    give = giver(costs)
    # A path has no gradient, so only the device decides here.
    costs = costs.detach() if is_tensor(costs) else costs
    if wants_torch(costs):
        from . import device

        return give(device.path(costs, height, width, sign))
    values = given.costs(costs, height, width, "costs")
    out, flat = np.empty(values.shape), _flat(values)
    if (chunks := n_chunks(values.size, _THREADED_FROM)) > 1:
        bad = compiled.paths_threaded(flat, height, width, sign, chunks, _flat(out))
    else:
        bad = compiled.paths(flat, height, width, sign, 0, len(flat), _flat(out))
    if bad >= 0:
        given.explain(values, "costs")
    return give(out)


def _flat(values: np.ndarray) -> np.ndarray:
    # The number of rows is spelled out: -1 is not known for an empty batch.
    return values.reshape(math.prod(values.shape[:-1]), values.shape[-1])
