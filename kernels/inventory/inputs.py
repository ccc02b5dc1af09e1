"""What the inputs of the inventory kernel must look like, and the errors when they do not."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .._shared.arrays import Array, is_single, require_finite, to_numpy

Costs = tuple[float, float, float, float, float, float]

# A factor of two below the largest float64 leaves room for the order in which a cost is summed.
LARGEST_COST = float(np.finfo(np.float64).max) / 2


def parameters(costs: Sequence[float], demand: Sequence[float]) -> tuple[Costs, np.ndarray]:
    """Return six non-negative costs and the strictly increasing demands (K,) as float64."""
    return _parameters(tuple(map(float, costs)), tuple(map(float, demand)))


# Each pair is checked once: a call with a single row takes 20 µs, and these checks would be half of it.
@lru_cache(maxsize=64)
def _parameters(costs: tuple[float, ...], demand: tuple[float, ...]) -> tuple[Costs, np.ndarray]:
    if len(costs) != 6 or not all(0.0 <= c < np.inf for c in costs):
        raise ValueError(
            f"expected six finite non-negative costs (c0, q0, cb, qb, ch, qh), got {costs}; "
            "a negative cost can make the problem unbounded or non-convex."
        )
    levels = np.array(demand)
    require_finite(levels, "demand")
    if not len(levels) or levels[0] < 0 or (np.diff(levels) <= 0).any():
        raise ValueError(
            f"expected strictly increasing non-negative demands, at least one, got {demand}; "
            "sort them and merge duplicates by adding their probabilities."
        )
    c0, q0, cb, qb, ch, qh = costs
    top = demand[-1]
    # No order is above the last demand, so no cost of an order is above this one.
    largest = (c0 + cb + ch) * top + (0.5 * (q0 + qb + qh) * top) * top
    if not largest <= LARGEST_COST:
        raise ValueError(
            f"expected costs and demands whose largest total cost is at most {LARGEST_COST:.2g}, "
            f"got {largest:g} for costs {costs} and the largest demand {top:g}; use larger units."
        )
    return (c0, q0, cb, qb, ch, qh), levels


def sum_tolerance(*probabilities: Array) -> float:
    """Return how far the sum of a row may be from one: the rounding of a softmax in the lowest precision."""
    return 1e-4 if any(is_single(p) for p in probabilities) else 1e-6


def check_shape(p: Any, levels: np.ndarray, name: str) -> None:
    """Require a last dimension with one probability for each demand.

    Args:
        p: array or tensor.
        levels: demands (K,).
        name: what the error calls p.
    """
    shape = tuple(np.shape(p))
    if shape[-1:] != levels.shape:
        raise ValueError(
            f"expected {name} of shape (..., {len(levels)}), one number for each demand, got {shape}."
        )


def rows(p: Array, levels: np.ndarray, name: str) -> np.ndarray:
    """Return p (..., K) as contiguous float64. The kernels check the values while they compute.

    Args:
        p: array or tensor on the CPU.
        levels: demands (K,).
        name: what the error calls p.
    """
    values = to_numpy(p, name)
    check_shape(values, levels, name)
    return values


def explain(p: np.ndarray, name: str, tolerance: float) -> None:
    """Raise for the first row that is not a probability vector. Only a failing batch pays for the search.

    Args:
        p: probabilities (..., K).
        name: what the error calls them.
        tolerance: how far the sum of a row may be from one.
    """
    require_finite(p, name)
    total = p.sum(-1)
    bad = (p < 0).any(-1) | ~(abs(total - 1) <= tolerance)
    if bad.any():
        row = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"expected rows of {name} to be probabilities (non-negative, sum within {tolerance:g} of one), "
            f"got {np.array2string(p[row], threshold=8)} with sum {total[row]:.9g} at row {row} "
            f"({int(bad.sum())} such rows); project {name} onto the simplex first."
        )


def explain_weights(weights: np.ndarray) -> None:
    """Raise for weights (..., K) under which the cost of an order is not finite."""
    require_finite(weights, "weights")
    raise ValueError(
        f"expected weights under which float64 can hold the cost of an order, got weights up to "
        f"{np.abs(weights).max():g}; scale them down."
    )


def explain_costs(z: np.ndarray, costs: np.ndarray) -> None:
    """Raise for the first of the costs (...) of orders z that is too large for float64."""
    if not (finite := np.isfinite(costs)).all():
        row = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(
            f"expected orders z whose cost float64 can hold, "
            f"got z = {np.broadcast_to(z, costs.shape)[row]:g} at row {row}; clip z or use larger units."
        )


def explain_orders(z: np.ndarray) -> None:
    """Raise for the first order that is negative or not finite."""
    require_finite(z, "z")
    if (z < 0).any():
        row = tuple(int(i) for i in np.argwhere(z < 0)[0])
        raise ValueError(f"expected orders z >= 0, got {z[row]} at index {row}; clip z at zero first.")
