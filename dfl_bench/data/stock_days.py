"""Days on which money is divided: what is known of every stock, and its returns before and after."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


@dataclass(frozen=True, slots=True)
class StockDays:
    """Days in order of time: features (D, N, F), and the returns of some days on either side of each.

    `past` (D, N, window) are the returns up to the day itself, oldest first; None where they are not known.
    `future` (D, N, window) are those of the days after it, the next day first.
    """

    features: np.ndarray
    past: np.ndarray | None
    future: np.ndarray

    @property
    def target(self) -> np.ndarray:
        """The returns of the next day, (D, N)."""
        return self.future[..., 0].copy()  # of a view that cannot be written to

    def __getitem__(self, rows: slice) -> "StockDays":
        past = None if self.past is None else self.past[rows]
        return StockDays(self.features[rows], past, self.future[rows])


class StockMarket(Protocol):
    """Some stocks, and the days on which all their features, past and future returns are known."""

    @property
    def n_stocks(self) -> int:
        """How many stocks there are."""

    def n_days(self, window: int) -> int:
        """Return how many days there are whose features and next `window` returns are known."""

    def days(self, stocks: np.ndarray, rows: slice, window: int) -> StockDays:
        """Return some of these days.

        Args:
            stocks: which stocks, by number.
            rows: from which to which of the days.
            window: how many returns before and after each day.
        """


def past_and_future(returns: np.ndarray, first: int, n: int, window: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the returns up to each of n days and those after it, both (n, N, window).

    Args:
        returns: daily returns (T, N).
        first: the first of the days.
        n: how many days.
        window: how many returns before and after each.
    """
    if window > first + 1:
        raise ValueError(
            f"expected window to be at most {first + 1}, as far as features look back, got {window}."
        )
    windows = sliding_window_view(returns, window, axis=0)
    return windows[first - window + 1 :][:n], windows[first + 1 :][:n]
