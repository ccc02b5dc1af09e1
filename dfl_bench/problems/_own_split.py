"""How a user's rows are divided: by shares, drawn for every seed or in order, or by row numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..contracts.seeding import rng_for
from ..contracts.split import Split

SHARES = (0.6, 0.2, 0.2)
PARTS = ("train", "val", "test")
EXPECTED = (
    "expected split to be three shares such as (0.6, 0.2, 0.2), 'chronological', "
    "('chronological', 0.6, 0.2, 0.2), or three arrays of row numbers"
)


@dataclass(frozen=True, slots=True, eq=False)
class Division:
    """Three shares of the rows, or the row numbers of three parts."""

    shares: tuple[float, ...] | None = SHARES
    chronological: bool = False
    indices: tuple[np.ndarray, ...] | None = None

    @classmethod
    def read(cls, split: Any, n: int) -> "Division":
        """Return the division that a user has asked for, of n rows."""
        if isinstance(split, str):
            split = (split, *SHARES)
        if isinstance(split, dict):
            if set(split) != set(PARTS):
                raise ValueError(
                    f"expected split to have the keys train, val and test, got {', '.join(map(str, split))}."
                )
            split = tuple(split[part] for part in PARTS)
        if isinstance(split, tuple | list) and len(split) == 4 and split[0] == "chronological":
            return cls(_shares(split[1:], n), chronological=True)
        if not isinstance(split, tuple | list) or len(split) != 3:
            raise ValueError(f"{EXPECTED}, got {split!r}.")
        if all(np.ndim(part) == 0 for part in split):
            return cls(_shares(split, n))
        return cls(None, indices=_indices(split, n))

    def parts(self, rows: Split, seed: int) -> list[np.ndarray]:
        """Return the row numbers of the three parts."""
        if self.indices is not None:
            return list(self.indices)
        assert self.shares is not None
        return self._cut(rows, seed, self.shares)

    def without_test(self, rows: Split, seed: int) -> list[np.ndarray]:
        """Return the row numbers of two parts that hold all rows: test rows join those to train on."""
        if self.indices is not None:
            train, val, test = self.indices
            return [np.concatenate([train, test]), val]
        assert self.shares is not None
        return self._cut(rows, seed, (self.shares[0] + self.shares[2], self.shares[1]))

    def _cut(self, rows: Split, seed: int, shares: tuple[float, ...]) -> list[np.ndarray]:
        n = len(rows)
        if self.chronological:
            return _cut(np.arange(n), shares)
        # Rows that are equal stay together: a test row must not be a training row, too.
        flat = np.concatenate([rows.x.reshape(n, -1), rows.y.reshape(n, -1)], axis=1)
        _, group = np.unique(flat, axis=0, return_inverse=True)
        first = np.full(group.max() + 1, n)
        np.minimum.at(first, group, np.arange(n))  # groups in the order of the rows, not of their values
        drawn = rng_for("own rows", "split", seed=seed).permutation(n)
        order = np.lexsort((np.arange(n), drawn[first[group]]))
        return _cut(order, shares, group[order])


def _cut(order: np.ndarray, shares: tuple[float, ...], group: np.ndarray | None = None) -> list[np.ndarray]:
    """Cut rows at shares of their number; where a cut would part equal rows, behind the last of them."""
    cuts = np.round(np.cumsum(shares[:-1]) * len(order)).astype(int)
    if group is not None:
        ends = np.append(np.flatnonzero(np.diff(group)) + 1, len(group))  # where another group begins
        cuts = np.array([0 if cut == 0 else ends[np.searchsorted(ends, cut)] for cut in cuts])
    return np.split(order, cuts)


def _shares(given: Any, n: int) -> tuple[float, ...]:
    shares = tuple(float(share) for share in given)
    if not all(share > 0 for share in shares) or abs(sum(shares) - 1.0) > 1e-9:
        raise ValueError(f"expected positive shares for train, val and test that sum to 1, got {shares}.")
    if min(len(part) for part in _cut(np.arange(n), shares)) == 0:
        raise ValueError(f"expected at least one row in each part, got {n} rows to divide into {shares}.")
    return shares


def _indices(given: Any, n: int) -> tuple[np.ndarray, ...]:
    parts = []
    for name, rows in zip(PARTS, given, strict=True):
        numbers = np.asarray(rows)
        if numbers.dtype == bool and numbers.shape == (n,):
            numbers = np.flatnonzero(numbers)
        if numbers.ndim != 1 or numbers.dtype.kind not in "iu" or not len(numbers):
            raise ValueError(f"expected split to have row numbers for {name}, got {rows!r}; {EXPECTED}.")
        if len(wrong := numbers[(numbers < 0) | (numbers >= n)]):
            raise ValueError(f"expected row numbers from 0 to {n - 1} in split, got {wrong[0]} in {name}.")
        parts.append(numbers)
    seen: dict[int, str] = {}
    for name, numbers in zip(PARTS, parts, strict=True):
        for number in numbers.tolist():
            if number in seen:
                where = "twice" if seen[number] == name else f"in {seen[number]}, too"
                raise ValueError(
                    f"the split overlaps: row {number} of {name} is {where}; give every row to one part."
                )
            seen[number] = name
    return tuple(parts)
