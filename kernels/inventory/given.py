"""What an inventory instance must look like, and the errors when it does not."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .._shared.arrays import Array, is_single, require_finite, to_numpy

Costs = tuple[float, float, float, float, float, float]


def parameters(costs: Sequence[float], demand: Sequence[float]) -> tuple[Costs, np.ndarray]:
    """Return six non-negative costs and the strictly increasing demands (K,) as float64."""
    return _parameters(tuple(map(float, costs)), tuple(map(float, demand)))


# Checked once a pair: a call with a single row takes 20 µs, and these checks would be half of it.
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
    return (c0, q0, cb, qb, ch, qh), levels


def sum_tolerance(*probabilities: Array) -> float:
    """Return how far a row's sum may be from one: what a softmax in the coarsest given precision leaves."""
    return 1e-4 if any(is_single(p) for p in probabilities) else 1e-6


def check_shape(p: Any, levels: np.ndarray, name: str) -> None:
    """Require one probability a demand in the last dimension."""
    shape = tuple(np.shape(p))
    if shape[-1:] != levels.shape:
        raise ValueError(
            f"expected {name} of shape (..., {len(levels)}), one probability a demand, got {shape}."
        )


def rows(p: Array, levels: np.ndarray, name: str) -> np.ndarray:
    """Return p (..., K) as contiguous float64; the kernels check the values on their way."""
    values = to_numpy(p, name)
    check_shape(values, levels, name)
    return values


def explain(p: np.ndarray, name: str, tolerance: float) -> None:
    """Raise for the first row that is no probability vector; only a failing batch pays for the search."""
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


def explain_orders(z: np.ndarray) -> None:
    """Raise for the first order that is negative or not finite."""
    require_finite(z, "z")
    if (z < 0).any():
        row = tuple(int(i) for i in np.argwhere(z < 0)[0])
        raise ValueError(f"expected orders z >= 0, got {z[row]} at index {row}; clip z at zero first.")
