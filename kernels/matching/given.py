"""What an assignment instance must look like, and the errors when it does not."""

from typing import Any

import numpy as np

from .._shared.arrays import Array, require_finite, to_numpy


def check_shape(array: Any, name: str) -> int:
    """Return n of (..., n, n), at least one."""
    shape = tuple(np.shape(array))
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ValueError(
            f"expected {name} of shape (..., n, n), one row and one column per item, got {shape}; "
            "add rows or columns of equal entries to make it square."
        )
    if shape[-1] == 0:
        raise ValueError(f"expected {name} of one item or more, got shape {shape}.")
    return shape[-1]


def check_pair(first: Any, second: Any, first_name: str, second_name: str) -> int:
    """Return n of two arrays (..., n, n).

    Args:
        first: an array (..., n, n).
        second: another array (..., n, n).
        first_name: what error messages call the first array.
        second_name: what error messages call the second array.
    """
    n, other = check_shape(first, first_name), check_shape(second, second_name)
    if n != other:
        raise ValueError(
            f"expected {first_name} and {second_name} of the same size, got {n} x {n} and {other} x {other}."
        )
    return n


def costs(values: Array, name: str) -> np.ndarray:
    """Return costs (..., n, n) as contiguous float64; the kernels check the values on their way."""
    check_shape(values, name)
    return to_numpy(values, name)


def limit(n: int) -> float:
    """Return how large the costs of an instance may be together, so that no price of a column overflows."""
    return float(np.finfo(np.float64).max) / (8 * n)


def explain(values: np.ndarray, name: str) -> None:
    """Raise for the first instance with a cost that is not finite, or with costs too large to add."""
    finite = np.isfinite(values)
    if not finite.all():
        *row, i, j = (int(k) for k in np.argwhere(~finite)[0])
        raise ValueError(
            f"expected finite {name}, got {values[(*row, i, j)]} at row {tuple(row)}, entry ({i}, {j}) "
            f"({int((~finite).sum())} such entries); clean or clip {name} first."
        )
    with np.errstate(over="ignore"):
        bad = ~(np.abs(values).sum((-2, -1)) < limit(values.shape[-1]))
    if bad.any():
        row = [int(i) for i in np.argwhere(bad)[0]]
        raise ValueError(
            f"expected {name} with sums below {limit(values.shape[-1]):.2g}, got entries up to "
            f"{np.abs(values[tuple(row)]).max():.2g} at row {tuple(row)}; scale {name} down first."
        )


def explain_matching(values: np.ndarray) -> None:
    """Raise for the first entry of a matching that is not finite."""
    require_finite(values, "matching")
