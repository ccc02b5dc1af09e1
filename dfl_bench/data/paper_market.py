"""Daily closes of some stocks, with the 28 features of the LODL code; volumes are none of them.

The features are those that Shah et al. (2022) took over from Wang et al. (2020): today's return and the ten
before it, changes over four spans, rolling means and variances, the close. Windows are in rows, that is in
trading days: 365 rows are about a year and a half.
"""

from typing import NamedTuple

import numpy as np

from .stock_days import StockDays, past_and_future

N_LAGS = 10
CHANGES = (365, 120, 30, 7)
RETURNS_WINDOW = 7
CLOSE_WINDOWS = (365, 120, 30, 7, 3)
BEFORE = max(CHANGES)  # rows before a day that its features look at

FEATURE_NAMES = (
    "return",
    *(f"return_lag_{k}" for k in range(1, N_LAGS + 1)),
    *(f"change_{h}" for h in CHANGES),
    f"return_mean_{RETURNS_WINDOW}",
    f"return_variance_{RETURNS_WINDOW}",
    *(f"close_{name}_{h}" for h in CLOSE_WINDOWS for name in ("mean", "variance")),
    "close",
)


class PaperMarket(NamedTuple):
    """Adjusted closes (days, stocks), days ascending."""

    close: np.ndarray

    @property
    def n_stocks(self) -> int:
        """How many stocks there are."""
        return self.close.shape[1]

    def n_days(self, window: int) -> int:
        """Return how many days there are whose features and next `window` returns are known."""
        return max(len(self.close) - BEFORE - window, 0)

    def days(self, stocks: np.ndarray, rows: slice, window: int) -> StockDays:
        """Return some of these days.

        Args:
            stocks: which stocks, by number.
            rows: from which to which of the days.
            window: how many returns before and after each day.
        """
        n = rows.stop - rows.start
        close = self.close[rows.start : rows.stop + BEFORE + window].take(stocks, axis=1)
        returns = close[1:] / close[:-1] - 1
        features = paper_features(close[: BEFORE + n])
        return StockDays(features, *past_and_future(returns, BEFORE - 1, n, window))


def paper_features(close: np.ndarray) -> np.ndarray:
    """Return (T - BEFORE, N, 28): row i describes day i + BEFORE by that day and the days before.

    `close` (T, N) are adjusted closes. No row sees a later day.
    """
    n = len(close) - BEFORE
    returns = close[1:] / close[:-1] - 1
    columns = [returns[len(returns) - n - k :][:n] for k in range(N_LAGS + 1)]
    columns += [close[BEFORE:] / close[BEFORE - h :][:n] - 1 for h in CHANGES]
    columns += _mean_and_variance(returns, RETURNS_WINDOW, n)
    for h in CLOSE_WINDOWS:
        columns += _mean_and_variance(close, h, n)
    columns.append(close[BEFORE:])
    return np.stack(columns, axis=-1)


def _mean_and_variance(table: np.ndarray, window: int, n: int) -> list[np.ndarray]:
    """Mean and sample variance of the last `window` rows, for each of the last n rows."""
    # One pass over the whole table for each row of the window: a view of all windows is ten times slower.
    first = len(table) - n - window + 1
    shifted = [table[first + k :][:n] for k in range(window)]
    mean, square = np.zeros_like(shifted[0]), np.zeros_like(shifted[0])
    for rows in shifted:
        mean += rows
    mean /= window
    # Deviations from the mean of the window itself: sums of squares would cancel where a close hardly moves.
    for rows in shifted:
        square += (rows - mean) ** 2
    return [mean, square / (window - 1)]
