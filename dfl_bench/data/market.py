"""Daily returns and volumes of some stocks, with the features of `stock_features`."""

from typing import NamedTuple

import numpy as np

from .stock_days import StockDays, past_and_future
from .stock_features import HISTORY, stock_features


class Market(NamedTuple):
    """Simple daily returns and traded volumes, both (days, stocks), days ascending.

    `expected` is the mean of each return given the day before. It is known for generated markets only.
    """

    returns: np.ndarray
    volumes: np.ndarray
    expected: np.ndarray | None = None

    @property
    def n_stocks(self) -> int:
        """How many stocks there are."""
        return self.returns.shape[1]

    def n_days(self, window: int) -> int:
        """Return how many days there are whose features and next `window` returns are known."""
        return max(len(self.returns) - (HISTORY - 1) - window, 0)

    def days(self, stocks: np.ndarray, rows: slice, window: int) -> StockDays:
        """Return some of these days.

        Args:
            stocks: which stocks, by number.
            rows: from which to which of the days.
            window: how many returns before and after each day.
        """
        n = rows.stop - rows.start
        used = slice(rows.start, rows.stop + HISTORY - 1 + window)
        # take, not [:, stocks]: that leaves the days of a stock side by side, and sums round differently.
        returns, volumes = (table[used].take(stocks, axis=1) for table in (self.returns, self.volumes))
        features = stock_features(returns, volumes)[:n]
        return StockDays(features, *past_and_future(returns, HISTORY - 1, n, window))
