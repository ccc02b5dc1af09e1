"""What the inputs of the budget kernel must look like, and the errors when they do not."""

import operator
from typing import Any

import numpy as np

from .._shared.arrays import Array, to_numpy
from . import compiled

SLACK = 1e-6
"""A projection done in float32 misses the bounds by this much at most."""


def check_shapes(ctr: Any, weights: Any) -> tuple[int, int]:
    """Return (W, U) of click rates (..., W, U) after matching weights (..., U) to them."""
    shape = tuple(np.shape(ctr))
    if len(shape) < 2:
        raise ValueError(f"expected ctr of shape (..., websites, users), got {shape}.")
    if weights is not None and tuple(np.shape(weights))[-1:] != shape[-1:]:
        raise ValueError(
            f"expected weights of shape ({shape[-1]},) or (..., {shape[-1]}), one for each user, "
            f"got {tuple(np.shape(weights))}."
        )
    return shape[-2], shape[-1]


def check_budget(budget: int, n_sites: int) -> int:
    """Return the budget as an int from 1 to n_sites - 1."""
    try:
        size = operator.index(budget)
    except TypeError:
        raise TypeError(f"expected an integer budget, got {budget!r}.") from None
    if not 1 <= size < n_sites:
        raise ValueError(f"expected 1 <= budget < {n_sites} websites, got {size}; nothing is left to choose.")
    return size


def present(*arrays: Any) -> list[Any]:
    """Return the arrays that were inputs."""
    return [a for a in arrays if a is not None]


def rates(ctr: Array, name: str = "ctr") -> np.ndarray:
    """Return click rates as float64, all inside [0, 1]."""
    values = to_numpy(ctr, name)
    require_within(values, name, 0.0, 1.0, f"clip {name} to [0, 1] first")
    return values


def user_weights(weights: Array | None, n_users: int) -> np.ndarray:
    """Return weights (..., U) as float64, finite and non-negative; ones by default."""
    if weights is None:
        return np.ones(n_users)
    values = to_numpy(weights, "weights")
    require_within(values, "weights", 0.0, np.finfo(np.float64).max, "clip weights at zero first")
    return values


def decisions(z: Array, n_sites: int, name: str = "z") -> np.ndarray:
    """Return decisions (..., W) as float64, inside [0, 1] up to SLACK.

    Args:
        z: array or tensor on the CPU.
        n_sites: W.
        name: what the error calls z.
    """
    values = to_numpy(z, name)
    check_decisions(values, n_sites, name)
    require_within(values, name, -SLACK, 1.0 + SLACK, "project it first, see budget.project")
    return values


def check_decisions(z: Any, n_sites: int, name: str = "z") -> None:
    """Require a last dimension with one entry for each website.

    Args:
        z: array or tensor.
        n_sites: W.
        name: what the error calls z.
    """
    if tuple(np.shape(z))[-1:] != (n_sites,):
        raise ValueError(
            f"expected {name} of shape (..., {n_sites}), one entry for each website, "
            f"got {tuple(np.shape(z))}."
        )


def require_within(values: np.ndarray, name: str, low: float, high: float, advice: str) -> None:
    """Raise with the first entry that is NaN or outside [low, high].

    Args:
        values: what to check.
        name: what the error calls it.
        low: smallest value that is allowed.
        high: largest value that is allowed.
        advice: what to do about it, the end of the message.
    """
    flat = compiled.first_outside(values.reshape(-1), low, high)
    if flat >= 0:
        where = tuple(int(i) for i in np.unravel_index(flat, values.shape))
        wanted = f"in [{low:g}, {high:g}]" if high < 2 else "finite and >= 0"
        raise ValueError(f"expected {name} {wanted}, got {values[where]} at index {where}; {advice}.")
