"""The set that decisions are taken from, as linear constraints."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Polytope:
    """All z of n entries with A z = b, G z <= h and 0 <= z <= upper; decisions z are flat, (n,).

    `exact` says whether every vertex is a decision. Otherwise this is a relaxation: the decisions are the
    vertices that are whole numbers, and a best vertex may be a fraction.
    """

    equal: tuple[np.ndarray, np.ndarray] | None = None  # A (rows, n), b (rows,)
    at_most: tuple[np.ndarray, np.ndarray] | None = None  # G (rows, n), h (rows,)
    upper: np.ndarray  # (n,); infinity where there is no bound
    exact: bool = True

    def __len__(self) -> int:
        return len(self.upper)
