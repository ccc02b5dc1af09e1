"""What a grid and its costs must look like, and the errors when they do not."""

import operator
from typing import Any

import numpy as np

from .._shared.arrays import Array, require_finite, to_numpy


def grid(height: int, width: int) -> tuple[int, int]:
    """Return height and width as integers of at least one, and two nodes or more."""
    try:
        size = operator.index(height), operator.index(width)
    except TypeError:
        raise TypeError(f"expected an integer height and width, got {height!r} and {width!r}.") from None
    if min(size) < 1 or size == (1, 1):
        raise ValueError(
            f"expected a grid of height >= 1 and width >= 1 with two nodes or more, "
            f"got {size[0]} x {size[1]}; a single node has no arc."
        )
    return size


def n_arcs(height: int, width: int) -> int:
    """Return how many arcs a checked grid has."""
    return (height - 1) * width + height * (width - 1)


def check_shape(array: Any, height: int, width: int, name: str) -> None:
    """Require one entry per arc in the last dimension.

    Args:
        array: costs or a path (..., arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
        name: what error messages call the array.
    """
    count, shape = n_arcs(height, width), tuple(np.shape(array))
    if shape[-1:] != (count,):
        raise ValueError(
            f"expected {name} of shape (..., {count}), one entry per arc of a {height} x {width} grid, "
            f"got {shape}."
        )


def check_pair(first: Any, second: Any, first_name: str, second_name: str) -> None:
    """Require the same number of arcs, at least one, of both.

    Args:
        first: an array (..., arcs).
        second: another array (..., arcs).
        first_name: what error messages call the first array.
        second_name: what error messages call the second array.
    """
    shapes = tuple(np.shape(first)), tuple(np.shape(second))
    if not (shapes[0] and shapes[1] and shapes[0][-1] == shapes[1][-1] > 0):
        raise ValueError(
            f"expected {first_name} and {second_name} of shape (..., arcs), got {shapes[0]} and {shapes[1]}."
        )


def costs(values: Array, height: int, width: int, name: str) -> np.ndarray:
    """Return costs (..., arcs) as contiguous float64; the kernels check the values on their way.

    Args:
        values: costs (..., arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
        name: what error messages call the array.
    """
    check_shape(values, height, width, name)
    return to_numpy(values, name)


def explain(values: np.ndarray, name: str) -> None:
    """Raise for the first row with a cost that is not finite, or with costs too large to add."""
    finite = np.isfinite(values)
    if not finite.all():
        *row, arc = (int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(
            f"expected finite {name}, got {values[(*row, arc)]} at row {tuple(row)}, arc {arc} "
            f"({int((~finite).sum())} such entries); clean or clip {name} first."
        )
    with np.errstate(over="ignore"):
        bad = np.isinf(np.abs(values).sum(-1))
    if bad.any():
        row = [int(i) for i in np.argwhere(bad)[0]]
        raise ValueError(
            f"expected {name} with sums below {np.finfo(np.float64).max:.2g}, got entries up to "
            f"{np.abs(values[tuple(row)]).max():.2g} at row {tuple(row)}; scale {name} down first."
        )


def explain_path(values: np.ndarray) -> None:
    """Raise for the first entry of a path that is not finite."""
    require_finite(values, "path")
