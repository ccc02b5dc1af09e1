"""The Euclidean projection onto the probability simplex, for NumPy and torch alike."""

from typing import Any

from ..contracts.arrays import namespace

# A sum this close to one is rounding: such rows are left as they are, so that projecting changes nothing
# that was admissible before.
_SUM_TOLERANCE = 1e-9


def project_simplex(v: Any) -> Any:
    """Return the nearest point to v (..., D) with entries >= 0 that sum to one.

    The point is max(v - t, 0). Of all (sum of the k largest entries - 1) / k, the largest is t, so no sorted
    copy is needed: every entry names the set of entries at least as large as itself.
    """
    if bool((v >= 0).all()) and bool((abs(v.sum(-1) - 1) <= _SUM_TOLERANCE).all()):
        return v
    return nearest_in_simplex(v)


def nearest_in_simplex(v: Any) -> Any:
    """Return the same for rows of which none is looked at first, so that no device is asked."""
    at_least = v[..., None, :] >= v[..., :, None]
    sums = (at_least * v[..., None, :]).sum(-1)
    threshold = namespace(v).amax((sums - 1) / at_least.sum(-1), -1)
    return (v - threshold[..., None]).clip(0)
