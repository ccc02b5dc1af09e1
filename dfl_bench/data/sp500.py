"""Daily prices of the S&P 500 from a wheel that is read and never installed, as two markets.

One has prices and volumes of 2006-2021. The other has closes of 2004-2016, the years of the LCGLN and LODL
papers, from another source than theirs.

The data has no stated licence, so each user fetches it and the project does not pass it on. Its stocks are
those of 2021 and of 2017: companies that failed before are missing, which makes the past look better than it
was.
"""

from typing import BinaryIO

import numpy as np

from .market import Market
from .paper_market import PaperMarket
from .wheel import Wheel

# Of 2006-2021: unadjusted corporate actions, or poor agreement with a second source.
EXCLUDED = frozenset("CB CAG COP DD DHR DOV DXC FIS IR JCI MRO VTR WMB WY".split())


PAPER_YEARS = ("2004", "2016")  # the first and the last


def read_tables(prices: BinaryIO, volumes: BinaryIO, paper_prices: BinaryIO) -> dict[str, np.ndarray]:
    """Return dates (T,), tickers (N,), close and volume (T, N) of the stocks that are fully observed.

    Args:
        prices: closes of 2006-2021, a CSV.
        volumes: shares traded on these days.
        paper_prices: closes of 2003-2017; tables of the paper's years begin with "paper_".
    """
    return {**_recent_tables(prices, volumes), **_paper_tables(paper_prices)}


def _paper_tables(prices: BinaryIO) -> dict[str, np.ndarray]:
    import pandas as pd

    close = pd.read_csv(prices, index_col=0, parse_dates=True).sort_index()
    close = close.loc[slice(*PAPER_YEARS)].dropna(how="all").dropna(axis=1)
    return {
        "paper_dates": close.index.to_numpy().astype("datetime64[D]"),
        "paper_tickers": np.array(close.columns, dtype=str),
        "paper_close": close.to_numpy(np.float64),
    }


def _recent_tables(prices: BinaryIO, volumes: BinaryIO) -> dict[str, np.ndarray]:
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
        "portfolio_backtester/data/sp500-0317.csv",
    ),
    edition=2,
    tables=read_tables,
    otherwise="use the problem portfolio-synthetic, which needs no data",
)


def load() -> Market:
    """Return 2006-2021 from the cache: all days and stocks, except the first day, which has no return."""
    table = WHEEL.load("close", "volume")
    close = table["close"]
    return Market(close[1:] / close[:-1] - 1, table["volume"][1:])


def load_paper() -> PaperMarket:
    """Return 2004-2016 from the cache."""
    return PaperMarket(WHEEL.load("paper_close")["paper_close"])
