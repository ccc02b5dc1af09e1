"""What a knapsack must look like, and the errors when it does not."""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .._shared.arrays import Array, is_tensor, require_finite, to_numpy
from . import rounding

SLACK = 1e-9
"""By this share a load may exceed its capacity: decimal weights that fill it exactly have to fit."""


class Knapsack(NamedTuple):
    """Weights and capacities of one or more dimensions, as given and as the exact algorithms use them."""

    weights: np.ndarray
    """(d, n) as given."""
    capacity: np.ndarray
    """(d,) as given."""
    loads: np.ndarray
    """(n, d), rounded so that sums are exact."""
    room: np.ndarray
    """(d,), capacity and slack."""
    fits: np.ndarray
    """(n,), which items fit alone."""
    steps: np.ndarray | None
    """(n,), integer weights without common divisor, 0 where an item does not fit; None if not whole."""
    n_steps: int
    """The capacity in the same unit, never more than all items together."""


def knapsack(weights: Array, capacity: Array | float, n_items: int) -> Knapsack:
    """Return the checked knapsack for values of n_items items.

    Args:
        weights: (n,) or (d, n), non-negative.
        capacity: a number, or (d,), non-negative.
        n_items: the last dimension of the values.
    """
    for name, given in (("weights", weights), ("capacity", capacity)):
        if is_tensor(given) and given.device.type != "cpu":  # type: ignore[union-attr]
            raise ValueError(
                f"expected {name} on the CPU, got {given.device}; "  # type: ignore[union-attr]
                f"all rows share them and they shape the computation: pass {name}.cpu()."
            )
    w, c = to_numpy(weights, "weights"), to_numpy(capacity, "capacity")  # type: ignore[arg-type]
    if w.ndim not in (1, 2) or w.shape[-1] != n_items or not w.size:
        raise ValueError(
            f"expected weights of shape ({n_items},) or (dimensions, {n_items}), at least one dimension and "
            f"one weight for each of the {n_items} values, got {w.shape}."
        )
    n_dims = 1 if w.ndim == 1 else len(w)
    if c.ndim > 1 or c.size not in ((1,) if c.ndim == 0 else (n_dims,)):
        raise ValueError(f"expected capacity as one number or of shape ({n_dims},), got {c.shape}.")
    c = np.full(n_dims, c)
    return _checked(w.tobytes(), c.tobytes(), n_dims)


# Checked once: a call with a single row takes a few microseconds, and the checks would take fifty.
@lru_cache(maxsize=64)
def _checked(weight_bytes: bytes, capacity_bytes: bytes, n_dims: int) -> Knapsack:
    # Copies, because neither torch nor a kernel compiled for plain arrays takes read-only ones.
    capacity = np.frombuffer(capacity_bytes).copy()
    weights = np.frombuffer(weight_bytes).copy().reshape(n_dims, -1)
    for name, array in (("weights", weights), ("capacity", capacity)):
        require_finite(array, name)
        if (array < 0).any():
            where = tuple(int(i) for i in np.argwhere(array < 0)[0])
            raise ValueError(f"expected {name} >= 0, got {array[where]} at index {where}.")
    loads, room = _rounded(weights, capacity)
    fits = np.all(loads <= room, axis=1)
    if not fits.any():
        raise ValueError(
            f"expected at least one item that fits, got weights of at least {_shown(weights.min(1))} against "
            f"capacity {_shown(capacity)}; only the empty knapsack is left, so nothing can be decided."
        )
    steps, n_steps = _in_steps(weights[0], room[0], fits) if n_dims == 1 else (None, 0)
    return Knapsack(weights, capacity, loads, room, fits, steps, n_steps)


def _rounded(weights: np.ndarray, capacity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return loads (n, d) and room (d,) on grids fine enough to mean the same and coarse enough to add up."""
    # More room than all items need means the same and would only coarsen the grid.
    room = np.minimum(capacity, weights.sum(1)) * (1 + SLACK)
    _, exponent = np.frexp(2.0 * weights.shape[1] * room)
    power = np.where(room > 0, np.ldexp(1.0, exponent), 1.0)
    # What does not fit is never added; clipped, it cannot overflow either.
    clipped = np.minimum(weights.T, 2 * room + 1)
    return (clipped + power) - power, (room + power) - power


def _in_steps(weights: np.ndarray, room: float, fits: np.ndarray) -> tuple[np.ndarray | None, int]:
    usable = np.where(fits, weights, 0.0)
    if (usable != np.rint(usable)).any() or usable.sum() >= 2**53:
        return None, 0
    steps = usable.astype(np.int64)
    unit = max(1, int(np.gcd.reduce(steps)))
    return steps // unit, int(min(np.floor(room), usable.sum())) // unit


def _shown(numbers: np.ndarray) -> str:
    return np.array2string(numbers, threshold=8)


def n_items(values: Any, name: str) -> int:
    """Return the last dimension of values (..., n)."""
    shape = tuple(np.shape(values))
    if not shape or not shape[-1]:
        raise ValueError(f"expected {name} of shape (..., items) with at least one item, got {shape}.")
    return shape[-1]


def check_items(items: Any, values: Any, name: str, name_values: str) -> None:
    """Require the same last dimension of items and values.

    Args:
        items: decisions (..., n).
        values: values (..., n).
        name: what error messages call the items.
        name_values: what error messages call the values.
    """
    n = n_items(values, name_values)
    if tuple(np.shape(items))[-1:] != (n,):
        raise ValueError(
            f"expected {name} of shape (..., {n}) like {name_values}, got {tuple(np.shape(items))}."
        )


def rounded(values: np.ndarray, sack: Knapsack, name: str) -> np.ndarray:
    """Return values (..., n) as rows on the grid of `rounding`.

    Args:
        values: values (..., n).
        sack: the knapsack; it says which items fit.
        name: what error messages call the values.
    """
    flat = values.reshape(-1, values.shape[-1])
    out = np.empty(flat.shape)
    if rounding.round_rows(flat, sack.fits, out) >= 0:
        check_values(values, name)
    return out


def check_values(values: np.ndarray, name: str) -> None:
    """Raise for the first value that is not finite or too large to be added up."""
    require_finite(values, name)
    if (abs(values) > rounding.LIMIT).any():
        where = tuple(int(i) for i in np.argwhere(abs(values) > rounding.LIMIT)[0])
        raise ValueError(
            f"expected {name} between ±{rounding.LIMIT:g}, got {values[where]} at index {where}; "
            f"sums would overflow: divide {name} by a constant, decisions stay the same."
        )
