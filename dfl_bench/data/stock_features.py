"""Twenty-eight features of a stock from its past returns and volumes."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

HORIZONS = (5, 10, 20, 40, 60)
N_LAGS = 10
HISTORY = max(HORIZONS)  # days a feature looks back, today included

FEATURE_NAMES = (
    *(f"return_lag_{k}" for k in range(N_LAGS)),  # lag 0 is today's return
    *(f"mean_return_{h}" for h in HORIZONS),
    *(f"volatility_{h}" for h in HORIZONS),
    *(f"relative_volume_{h}" for h in HORIZONS),  # today's log volume above its mean of h days
    "volume_change",
    "volume_volatility_20",
    "drawdown_60",  # log price below its highest of 60 days
)


def stock_features(returns: np.ndarray, volumes: np.ndarray) -> np.ndarray:
    """Return (T - HISTORY + 1, N, 28): row i describes day i + HISTORY - 1 by that day and the days before.

    `returns` (T, N) are simple daily returns, `volumes` (T, N) are shares traded. No row sees a later day.
    """
    log_volume = np.log(np.maximum(volumes, 1.0))
    past = sliding_window_view(returns, HISTORY, axis=0)  # (rows, N, HISTORY), today last
    traded = sliding_window_view(log_volume, HISTORY, axis=0)
    price = np.log1p(np.maximum(past, -0.99)).cumsum(-1)
    columns = [past[..., -1 - k] for k in range(N_LAGS)]
    columns += [past[..., -h:].mean(-1) for h in HORIZONS]
    columns += [past[..., -h:].std(-1) for h in HORIZONS]
    columns += [traded[..., -1] - traded[..., -h:].mean(-1) for h in HORIZONS]
    columns += [traded[..., -1] - traded[..., -2]]
    columns += [traded[..., -20:].std(-1)]
    columns += [price[..., -1] - price.max(-1)]
    return np.stack(columns, axis=-1)


def correlation(days: np.ndarray) -> np.ndarray:
    """Return the correlation matrices (..., N, N) of returns (..., N, days).

    A stock that did not move is uncorrelated with every other.
    """
    centred = days - days.mean(-1, keepdims=True)
    norm = np.sqrt((centred**2).sum(-1, keepdims=True))
    unit = centred / np.where(norm > 0, norm, 1.0)
    matrix = unit @ unit.swapaxes(-1, -2)
    matrix = (matrix + matrix.swapaxes(-1, -2)) / 2
    stocks = np.arange(days.shape[-2])
    matrix[..., stocks, stocks] = 1.0
    return matrix
