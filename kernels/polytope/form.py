"""A polytope made ready once for all costs: no redundant rows, a point inside, entries by column."""

from typing import NamedTuple

import numpy as np

from . import presolve


class Program(NamedTuple):
    """The constraints as the compiled kernels read them.

    M z = right in the first n_equal of m rows, M z ≤ right in the others, and 0 ≤ z ≤ upper. The entries of M
    that are not zero come column by column: those of column j are starts[j] to starts[j + 1] of entries, and
    their rows are in rows.
    """

    starts: np.ndarray
    rows: np.ndarray
    entries: np.ndarray
    right: np.ndarray
    upper: np.ndarray
    bounded: np.ndarray
    """The entries of z whose upper bound is finite."""
    inside: np.ndarray
    """(n,), a decision with room to all inequalities."""
    n_equal: int


class Form(NamedTuple):
    """A polytope without redundant rows, as it was given and in units that suit a solver."""

    given: Program
    scaled: Program
    """Rows have length one, and decisions are divided by `unit`."""
    unit: float
    """The size of decisions."""


def prepare(
    equal: tuple[np.ndarray, np.ndarray], at_most: tuple[np.ndarray, np.ndarray], upper: np.ndarray
) -> Form:
    """Return the form of {A z = b, G z ≤ h, 0 ≤ z ≤ upper}.

    Args:
        equal: A (rows, n) and b (rows,), finite; rows may repeat each other.
        at_most: G (rows, n) and h (rows,), finite.
        upper: (n,), positive or infinite.

    Raises:
        ValueError: no decision exists, or none that keeps away from all inequalities.
    """
    kept, used = presolve.independent(*equal), presolve.not_empty(*at_most)
    rows = np.vstack([equal[0][kept], at_most[0][used]])
    right = np.concatenate([equal[1][kept], at_most[1][used]])
    lengths = np.linalg.norm(rows, axis=1)
    short, near = rows / lengths[:, None], right / lengths
    inside = presolve.point_inside(short, near, len(kept), upper, used)
    unit = float(inside.max())
    given = _program(rows, right, upper, inside, len(kept))
    return Form(given, _program(short, near / unit, upper / unit, inside / unit, len(kept)), unit)


def _program(
    rows: np.ndarray, right: np.ndarray, upper: np.ndarray, inside: np.ndarray, n_equal: int
) -> Program:
    column, row = (np.ascontiguousarray(part) for part in np.nonzero(rows.T))  # one layout, one compilation
    starts = np.searchsorted(column, np.arange(len(upper) + 1))
    bounded = np.flatnonzero(np.isfinite(upper))
    return Program(starts, row, rows[row, column], right, upper, bounded, inside, n_equal)


def dense(program: Program) -> np.ndarray:
    """Return M (m, n)."""
    rows = np.zeros((len(program.right), len(program.upper)))
    rows[program.rows, np.repeat(np.arange(len(program.upper)), np.diff(program.starts))] = program.entries
    return rows
