"""What polytopes, costs and settings must look like, and the errors when they do not."""

import math
import operator
from typing import Any

import numpy as np

from .._shared.arrays import Array, is_tensor, require_finite, to_numpy
from ..errors import SolverError
from .outward import Normals


def n_entries(equal: Any, at_most: Any, upper: Any) -> int:
    """Return how many entries z has, from the first of the three that tells.

    Args:
        equal: A and b, or None.
        at_most: G and h, or None.
        upper: a number, (n,) or None.
    """
    shapes = [np.shape(pair[0]) for pair in (equal, at_most) if pair is not None]
    shapes += [np.shape(upper)] if upper is not None and np.ndim(upper) else []
    if not shapes or not shapes[0] or shapes[0][-1] == 0:
        raise ValueError(
            "expected a polytope of one entry or more, but none of equal, at_most, upper has a dimension n."
        )
    return shapes[0][-1]


def rows(pair: tuple[Array, Array] | None, n: int, name: str, letters: str) -> tuple[np.ndarray, np.ndarray]:
    """Return a matrix (rows, n) and right-hand sides (rows,), without rows for None.

    Args:
        pair: both, or None.
        n: entries of z.
        name: what error messages call the pair.
        letters: what they call its two parts.
    """
    if pair is None:
        return np.zeros((0, n)), np.zeros(0)
    matrix, right = (_on_host(part, f"{name} ({letters})") for part in pair)
    if matrix.ndim != 2 or matrix.shape[1] != n or right.shape != (len(matrix),):
        raise ValueError(
            f"expected {name} = ({letters}) of shapes (rows, {n}) and (rows,), "
            f"got {matrix.shape} and {right.shape}."
        )
    require_finite(matrix, f"{letters[0]} of {name}")
    require_finite(right, f"{letters[-1]} of {name}")
    return matrix, right


def upper(bounds: Any, n: int) -> np.ndarray:
    """Return the upper bounds (n,), infinite where there is none."""
    values = _on_host(np.inf if bounds is None else bounds, "upper")
    if values.shape not in ((), (n,)):
        raise ValueError(f"expected upper as one number or of shape ({n},), got {values.shape}.")
    values = np.full(n, values)
    if not (values >= 0).all():
        where = int(np.argmin(values >= 0))
        raise ValueError(f"expected upper >= 0, got {values[where]} at index {where}; z is never negative.")
    return values


def _on_host(part: Any, name: str) -> np.ndarray:
    if is_tensor(part) and part.device.type != "cpu":
        raise ValueError(
            f"expected {name} on the CPU, got {part.device}; all rows share it: pass a CPU tensor."
        )
    return np.array(to_numpy(part, name))


def check_positive(value: float, name: str) -> None:
    """Require a finite number above zero."""
    if not (value > 0 and math.isfinite(value)):
        raise ValueError(f"expected {name} > 0 and finite, got {value}.")


def check_damping(damping: float) -> None:
    """Require a finite number of at least zero."""
    if not (damping >= 0 and math.isfinite(damping)):
        raise ValueError(f"expected damping >= 0 and finite, got {damping}.")


def check_steps(steps: int | None) -> None:
    """Require None or a number of steps."""
    if steps is None:
        return
    try:
        count = operator.index(steps)
    except TypeError:
        raise TypeError(f"expected steps as an integer or None for the exact point, got {steps!r}.") from None
    if count < 0:
        raise ValueError(f"expected steps >= 0, got {count}.")


def check_last(array: Any, n: int, name: str, what: str) -> None:
    """Require (..., n).

    Args:
        array: an array or tensor.
        n: its last dimension.
        name: what error messages call it.
        what: what its last dimension stands for.
    """
    if tuple(np.shape(array))[-1:] != (n,):
        raise ValueError(
            f"expected {name} of shape (..., {n}), one entry per {what}, got {tuple(np.shape(array))}."
        )


def normals(vectors: Any) -> Normals:
    """Return normals as they are, or finite vectors (k, n) as normals."""
    if isinstance(vectors, Normals):
        return vectors
    matrix = _on_host(vectors, "normals")
    if matrix.ndim != 2 or not matrix.size:
        raise ValueError(f"expected normals of shape (k, n), one or more, got {matrix.shape}.")
    require_finite(matrix, "normals")
    return Normals(matrix)


def mask(tight: Any) -> np.ndarray:
    """Return a bool array."""
    values = np.asarray(tight)
    if values.dtype != np.bool_:
        raise TypeError(f"expected bool for tight, got dtype {values.dtype}; compare with 0 first.")
    return values


def require_inside(outside: np.ndarray, tolerance: float) -> None:
    """Raise with the first decisions that miss a constraint; outside has the leading shape of z."""
    if outside.any():
        first = tuple(int(i) for i in np.argwhere(outside)[0])
        raise ValueError(
            f"expected z in the polytope, but {int(outside.sum())} of {outside.size} decisions miss a "
            f"constraint by more than tolerance = {tolerance:g} (first: row {first})."
        )


def require_solved(solved: np.ndarray, failure: str, advice: str) -> None:
    """Raise with the first rows that are not solved.

    Args:
        solved: bool, of the leading shape of the inputs.
        failure: what went wrong.
        advice: what to do.
    """
    if solved.all():
        return
    unsolved = [tuple(int(i) for i in index) for index in np.argwhere(~solved)]
    raise SolverError(
        f"{failure} on {len(unsolved)} of {solved.size} rows ({', '.join(map(str, unsolved[:5]))}"
        f"{', ...' if len(unsolved) > 5 else ''}); {advice}."
    )
