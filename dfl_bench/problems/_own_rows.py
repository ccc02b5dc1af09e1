"""A user's arrays, or the columns of a table, as the rows of a problem; what cannot be is named by row."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..contracts.settings import did_you_mean
from ..contracts.split import Split

ADVICE = "drop the row, or fill the gap"


def read_rows(x: Any, y: Any, context: Mapping[str, Any] | None, frame: Any = None) -> Split:
    """Return features, outcomes and context as arrays of float64 with one row for each instance.

    Args:
        x: features (n, F), (n,), or (n, parts, F); with a frame, names of columns.
        y: outcomes (n, D) or (n,); with a frame, names of columns.
        context: what belongs to each instance, by name; with a frame, a name of columns for each.
        frame: a pandas table, or None.
    """
    given = {"x": x, "y": y} | {f"context[{name!r}]": values for name, values in (context or {}).items()}
    if frame is not None:
        given = {label: _columns(frame, names, label) for label, names in given.items()}
    arrays = {label: _array(values, label) for label, values in given.items()}
    lengths = {label: len(values) for label, values in arrays.items()}
    if len(set(lengths.values())) > 1:
        found = ", ".join(f"{length} in {label}" for label, length in lengths.items())
        raise ValueError(f"expected as many rows everywhere, got {found}; rows are instances.")
    rows = Split(arrays.pop("x"), arrays.pop("y"), dict(zip(context or {}, arrays.values(), strict=True)))
    return _shaped(rows)


def _columns(frame: Any, names: Any, label: str) -> Any:
    known = list(frame.columns)
    for name in [names] if isinstance(names, str) else names:
        if name not in known:
            hint = did_you_mean(str(name), map(str, known))
            raise ValueError(
                f"{label}: the frame has no column {name!r}.{hint} It has {', '.join(map(str, known))}."
            )
    return frame[names if isinstance(names, str) else list(names)]


def _array(values: Any, label: str) -> np.ndarray:
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            array = array.astype(np.float64)
    except (ValueError, TypeError) as error:
        raise ValueError(f"expected numbers in {label}, {_ragged(values, error)}") from error
    array = np.array(array, dtype=np.float64)
    if array.ndim == 0:
        raise ValueError(f"expected rows in {label}, got the single number {array}.")
    finite = np.isfinite(array.reshape(len(array), -1)).all(1) if array.size else np.ones(len(array), bool)
    if not finite.all():
        bad = np.flatnonzero(~finite)
        raise ValueError(
            f"expected finite numbers in {label}, got NaN or infinity in row {bad[0]}"
            f"{f' and {len(bad) - 1} more' if len(bad) > 1 else ''}: {ADVICE}."
        )
    return array


def _ragged(values: Any, error: Exception) -> str:
    """Which row differs from the first, if that is what is wrong."""
    if isinstance(values, Sequence):
        shapes = [np.shape(row) if not isinstance(row, Sequence) else (len(row),) for row in values]
        for row, shape in enumerate(shapes):
            if shape != shapes[0]:
                return (
                    f"got rows of different lengths: row 0 has shape {shapes[0]}, row {row} has {shape}; "
                    "make them alike."
                )
    return f"got something else: {error}."


def _shaped(rows: Split) -> Split:
    x = rows.x[:, None] if rows.x.ndim == 1 else rows.x
    y = rows.y[:, None] if rows.y.ndim == 1 else rows.y
    if not x.size or not y.size:
        raise ValueError(
            f"expected at least one row and column, got x of shape {x.shape} and y of shape {y.shape}."
        )
    shared = x.ndim == 3 and y.shape == x.shape[:2]
    if not (x.ndim == 2 and y.ndim == 2) and not shared:
        raise ValueError(
            "expected x (n, features) with y (n, outcomes), or x (n, parts, features) with y (n, parts), "
            "got "
            f"x of shape {x.shape} and y of shape {y.shape}; reshape them, and undo it inside your functions."
        )
    return Split(x, y, rows.context)
