"""A user's functions on rows, with errors that name the row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DflBenchError

Arrays = list[np.ndarray]  # what a function is given, each (m, ...), rows first


class CallError(DflBenchError):
    """A user's function raised, or gave back what cannot be used."""


@dataclass(frozen=True, slots=True)
class RowFunction:
    """A function of rows, or of one row where it is not vectorized, that is always called with rows."""

    label: str  # "decide", "cost" or "worst"
    function: Callable[..., Any]
    vectorized: bool
    gives_number: bool = False  # one number for each row

    def __call__(
        self, arrays: Arrays, context: Mapping[str, np.ndarray], numbers: np.ndarray | None = None
    ) -> np.ndarray:
        """Return an array with one row for each row given.

        Args:
            arrays: what comes first, each (m, ...).
            context: what comes last, by name, where there is any.
            numbers: what errors call the rows, (m,); None: 0, 1, ...
        """
        n = len(arrays[0])
        names = np.arange(n) if numbers is None else numbers
        found = self._all(arrays, context, names) if self.vectorized else self._each(arrays, context, names)
        if found.shape[:1] != (n,) or (self.gives_number and found.shape != (n,)):
            raise CallError(self._wrong_shape(found, n))
        finite = np.isfinite(found.reshape(n, -1)).all(1)
        if not finite.all():
            row = int(np.flatnonzero(~finite)[0])
            raise CallError(
                f"{self.label} gave NaN or infinity for row {names[row]} ({_shown(arrays, row)}); {_ADVICE}."
            )
        return found

    def _all(self, arrays: Arrays, context: Mapping[str, np.ndarray], names: np.ndarray) -> np.ndarray:
        try:
            return _numbers(self.function(*arrays, *_last(context)))
        except Exception as error:
            raise CallError(self._explained(arrays, context, names, error)) from error

    def _each(self, arrays: Arrays, context: Mapping[str, np.ndarray], names: np.ndarray) -> np.ndarray:
        found: list[np.ndarray] = []
        for row, name in enumerate(names):
            try:
                value = _numbers(self.function(*_row(arrays, row), *_last(context, row)))
            except Exception as error:
                raise CallError(self._raised(arrays, row, name, error)) from error
            if found and value.shape != found[0].shape:
                raise CallError(
                    f"{self.label} returned shape {value.shape} for row {name} and {found[0].shape} for row "
                    f"{names[0]}; expected the same shape for every row."
                )
            found.append(value)
        return np.stack(found) if found else np.empty((0,))

    def _explained(
        self, arrays: Arrays, context: Mapping[str, np.ndarray], names: np.ndarray, error: Exception
    ) -> str:
        """Find the row that a call with many rows failed at: the first that fails alone."""
        for row in range(len(arrays[0])):
            one = slice(row, row + 1)
            try:
                self.function(*(a[one] for a in arrays), *_last({k: v[one] for k, v in context.items()}))
            except Exception as alone:
                return self._raised(arrays, row, names[row], alone)
        return (
            f"{self.label} raised {type(error).__name__} for {len(names)} rows at once, though it takes "
            "each of "
            f"them alone: {error}. Let it work on rows (axis=-1), or pass vectorized=False."
        )

    def _raised(self, arrays: Arrays, row: int, name: int, error: Exception) -> str:
        if isinstance(error, CallError):
            return f"{self.label}, row {name} ({_shown(arrays, row)}): {error}"
        return f"{self.label} raised {type(error).__name__} for row {name} ({_shown(arrays, row)}): {error}"

    def _wrong_shape(self, found: np.ndarray, n: int) -> str:
        expected = (
            f"({n},), one number for each row" if self.gives_number else f"({n}, ...), one for each row"
        )
        hint = "sum over axis=-1" if self.gives_number and found.ndim > 1 else "work on axis=-1"
        advice = (
            f"{hint}, or pass vectorized=False to be called with one row at a time"
            if self.vectorized
            else ("return a number" if self.gives_number else "return an array")
        )
        return f"{self.label} returned shape {found.shape} for {n} rows; expected {expected}: {advice}."

    def check_rows_apart(self, arrays: Arrays, context: Mapping[str, np.ndarray]) -> None:
        """Raise where a row's result depends on which other rows are beside it."""
        if not self.vectorized or len(arrays[0]) < 2:
            return
        together = self(arrays, context)
        for row in range(len(arrays[0])):
            one = slice(row, row + 1)
            alone = self([a[one] for a in arrays], {k: v[one] for k, v in context.items()})
            if alone.shape[1:] != together.shape[1:] or not np.allclose(
                alone[0], together[row], rtol=1e-6, atol=1e-9
            ):
                raise CallError(
                    f"{self.label} gives row {row} another result alone than beside other rows: expected "
                    "every row "
                    "by itself. Work on axis=-1, or pass vectorized=False."
                )


_ADVICE = "expected finite numbers: check its input there, or bound predictions with bounds=(low, high)"


def _numbers(value: Any) -> np.ndarray:
    if value is None:
        raise TypeError("it returned None; does it end in a `return`?")
    return np.asarray(value, dtype=np.float64)


def _row(arrays: Arrays, row: int) -> list[Any]:
    return [a[row] for a in arrays]


def _last(context: Mapping[str, np.ndarray], row: int | None = None) -> list[Any]:
    if not context:
        return []
    return [dict(context) if row is None else {name: values[row] for name, values in context.items()}]


def _shown(arrays: Arrays, row: int) -> str:
    with np.printoptions(precision=4, threshold=6, edgeitems=2):
        return ", ".join(str(a[row]) for a in arrays)
