"""Which items to pack: exact 0/1 knapsacks of one or more dimensions, their relaxation, values and regret.

max Σ_i values_i z_i, Σ_i weights_ki z_i ≤ capacity_k for every dimension k, z_i ∈ {0, 1}.
Weights (n,) or (d, n) and capacity, a number or (d,), are shared by all rows of values (..., n).

Two rules hold for every method and device. A load may exceed its capacity by one part in 10⁹, so that decimal
weights that fill it exactly fit. Values are compared after rounding to a grid of about 10⁻¹⁵ n of the row's
largest (see `rounding`); items whose rounded value is not positive are never taken, and of decisions with
equal value the one that takes the first item on which they differ is returned.
Functions take NumPy arrays or torch tensors, compute in float64 and return the kind of the values.
"""

import math
from typing import Any, Literal

import numpy as np

from .._shared.arrays import Array, broadcast_rows, giver, is_tensor, require_finite, to_numpy, wants_torch
from .._shared.threads import n_chunks
from ..errors import SolverError
from . import branch, dynamic, given, relaxation, sums

Method = Literal["auto", "dynamic", "branch"]

TABLE_LIMIT = 4_000_000
"""Up to this many entries (items × capacity) "auto" means dynamic programming: 32 MB, about a millisecond."""
NODE_LIMIT = 50_000_000
"""Branch and bound gives up on a row after this many nodes, up to a few seconds."""

# Table entries of all rows, 100 ms with one thread. Two threads on busy cores: at 20 ms up to twice slower.
_THREADED_FROM = 500_000_000
# Rows of branch and bound: as long, at the size of 32 items and two dimensions.
_THREADED_FROM_ROWS = 20_000


def best_items(values: Array, weights: Array, capacity: Array | float, *, method: Method = "auto") -> Array:
    """Return the most valuable items that fit, exactly: values (..., n) -> 0/1 (..., n).

    Args:
        values: (..., n), any finite numbers; items without a positive value are never taken.
        weights: (n,) or (d, n), non-negative.
        capacity: one number, or (d,).
        method: "dynamic" programming over the capacity needs one dimension and integer weights, and is the
            only one on a device; "branch" and bound takes everything; "auto" is "dynamic" where it can be.
            All give the same decisions.

    Raises:
        SolverError: branch and bound did not finish within NODE_LIMIT nodes; the rows are named.
    """
    return _solve(values, weights, capacity, method, "values")


def worst_items(values: Array, weights: Array, capacity: Array | float, *, method: Method = "auto") -> Array:
    """Return the least valuable decision: only items of negative value, and none where all values are ≥ 0.

    Args:
        values: (..., n).
        weights: as in `best_items`.
        capacity: as in `best_items`.
        method: as in `best_items`.
    """
    negative = -values if is_tensor(values) else -to_numpy(values, "values")
    return giver(values)(_solve(negative, weights, capacity, method, "-values"))


def value(items: Array, values: Array) -> Array:
    """Return Σ_i items_i values_i of decisions (..., n), also fractional ones; leading shapes broadcast."""
    given.check_items(items, values, "items", "values")
    if wants_torch(items, values):
        from . import device

        return device.value(items, values)
    z, v = to_numpy(items, "items"), to_numpy(values, "values")
    require_finite(z, "items")
    given.check_values(v, "values")
    return giver(items, values)(_values(z, v))


def regret(values_hat: Array, values: Array, weights: Array, capacity: Array | float) -> Array:
    """Return the value lost by packing the best items for values_hat instead of those for values.

    Args:
        values_hat: predicted values (..., n).
        values: true values (..., n); leading dimensions broadcast.
        weights: as in `best_items`.
        capacity: as in `best_items`.

    Returns:
        Regrets of the broadcast leading shape. Every distinct prediction and label is solved once.
    """
    given.check_items(values_hat, values, "values_hat", "values")
    broadcast_rows(values_hat=tuple(np.shape(values_hat))[:-1], values=tuple(np.shape(values))[:-1])
    chosen = _solve(values_hat, weights, capacity, "auto", "values_hat")
    best = _solve(values, weights, capacity, "auto", "values")
    give = giver(values_hat, values)
    if wants_torch(values_hat, values):
        from . import device

        return give(device.shortfall(chosen, best, values))
    v = to_numpy(values, "values")
    best_value, reached = _values(to_numpy(best, "best"), v), _values(to_numpy(chosen, "chosen"), v)
    return give(best_value - reached)


def relaxed(values: Array, weights: Array, capacity: Array | float) -> Array:
    """Return an optimal z (..., n) of the linear relaxation, 0 ≤ z ≤ 1, with the capacity kept strictly.

    One dimension: by value per weight, of equal ratios the lowest index first. Several: a vertex found by the
    simplex method and proven by its dual prices; rows it cannot prove to 10⁻⁹ are left to HiGHS (SciPy).

    Args:
        values: (..., n).
        weights: as in `best_items`.
        capacity: as in `best_items`.
    """
    sack = given.knapsack(weights, capacity, given.n_items(values, "values"))
    give, values = giver(values), _detached(values)
    if wants_torch(values):
        from . import device

        return give(device.relaxed(values, sack))  # type: ignore[arg-type]
    v = to_numpy(values, "values")
    given.check_values(v, "values")
    z = np.empty(v.shape)
    rows, out = v.reshape(-1, v.shape[-1]), z.reshape(-1, v.shape[-1])
    if len(sack.capacity) == 1:
        relaxation.fill_by_ratio(rows, sack.weights[0], sack.capacity[0], out)
        return give(z)
    gaps = np.empty(len(rows))
    prices = np.empty((len(rows), len(sack.capacity)))
    relaxation.solve_rows(rows, sack.weights, sack.capacity, 0, len(rows), out, prices, gaps)
    for row in np.flatnonzero(~(gaps <= 1e-9)):
        out[row] = _by_highs(rows[row], sack, int(row))
    return give(z)


def _solve(values: Array, weights: Array, capacity: Array | float, method: str, name: str) -> Array:
    sack = given.knapsack(weights, capacity, given.n_items(values, name))
    # A decision has no gradient, so only the device decides here.
    give, values = giver(values), _detached(values)
    used = _method(method, sack, wants_torch(values))
    if wants_torch(values):
        from . import device

        return give(device.best_items(values, sack, name))  # type: ignore[arg-type]
    v = to_numpy(values, name)
    rows = given.rounded(v, sack, name)
    items = np.empty(rows.shape)
    if used == "dynamic":
        _fill(rows, sack, items)
    else:
        _search(rows, sack, items, v.shape[:-1])
    return give(items.reshape(v.shape))


def _method(method: str, sack: given.Knapsack, on_device: bool) -> str:
    if method not in ("auto", "dynamic", "branch"):
        raise ValueError(f'expected method "auto", "dynamic" or "branch", got {method!r}.')
    n_dims, n_items = sack.weights.shape
    if sack.steps is None and (method == "dynamic" or on_device):
        what = "fractional weights" if n_dims == 1 else f"{n_dims} dimensions"
        advice = "pass values.cpu()" if on_device else 'ask for method="branch"'
        raise ValueError(
            f"expected one dimension and integer weights for dynamic programming, got {what}; "
            f"branch and bound takes them on the CPU: {advice}."
        )
    if method == "branch" and on_device:
        raise ValueError('branch and bound runs on the CPU: pass values.cpu(), or ask for method="dynamic".')
    if method != "auto" or on_device:
        return "dynamic" if on_device else method
    small = sack.steps is not None and (n_items + 1) * (sack.n_steps + 1) <= TABLE_LIMIT
    return "dynamic" if small else "branch"


def _fill(rows: np.ndarray, sack: given.Knapsack, items: np.ndarray) -> None:
    if (chunks := n_chunks(rows.size * (sack.n_steps + 1), _THREADED_FROM)) > 1:
        dynamic.fill_rows_threaded(rows, sack.steps, sack.n_steps, chunks, items)
    else:
        dynamic.fill_rows(rows, sack.steps, sack.n_steps, 0, len(rows), items)


def _search(rows: np.ndarray, sack: given.Knapsack, items: np.ndarray, shape: tuple[int, ...]) -> None:
    prices, gaps = np.empty((len(rows), len(sack.room))), np.empty(len(rows))
    weights = np.ascontiguousarray(sack.loads.T)
    relaxation.solve_rows(rows, weights, sack.room, 0, len(rows), items, prices, gaps)
    nodes = np.empty(len(rows), np.int64)
    if (chunks := n_chunks(len(rows), _THREADED_FROM_ROWS)) > 1:
        branch.search_rows_threaded(rows, prices, sack.loads, sack.room, NODE_LIMIT, chunks, items, nodes)
    else:
        branch.search_rows(rows, prices, sack.loads, sack.room, NODE_LIMIT, 0, len(rows), items, nodes)
    unsolved = np.flatnonzero(nodes >= NODE_LIMIT)
    if unsolved.size:
        named = ", ".join(str(tuple(map(int, np.unravel_index(row, shape)))) for row in unsolved[:5])
        raise SolverError(
            f"branch and bound stopped after {NODE_LIMIT} nodes on {unsolved.size} of {nodes.size} rows "
            f"({named}{', ...' if unsolved.size > 5 else ''}); use fewer items or dimensions, or integer "
            f'weights in one dimension and method="dynamic".'
        )


def _values(items: np.ndarray, values: np.ndarray) -> np.ndarray:
    shape, (rows_items, rows_values) = broadcast_rows(items=items.shape[:-1], values=values.shape[:-1])
    out, n = np.empty(math.prod(shape)), values.shape[-1]
    sums.sum_rows(items.reshape(-1, n), values.reshape(-1, n), rows_items, rows_values, out)
    return out.reshape(shape)


def _by_highs(values: np.ndarray, sack: given.Knapsack, row: int) -> np.ndarray:
    from scipy.optimize import linprog

    found = linprog(-values, A_ub=sack.weights, b_ub=sack.capacity, bounds=(0, 1), method="highs")
    if not found.success:
        raise SolverError(f"neither simplex nor HiGHS solved the relaxation of row {row}: {found.message}")
    return found.x


def _detached(array: Any) -> Any:
    return array.detach() if is_tensor(array) else array
