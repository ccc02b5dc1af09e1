"""Compare the S&P 500 prices with a second source: ``python -m dfl_bench.studies.cross_check ARCHIVE``.

ARCHIVE is the source archive of cvxportfolio 1.5.1, which holds 431 stocks of 2007-2016 from the paper's own
source (Quandl WIKI). It has to be supplied: pip runs the set-up code of a source archive even to download it.
"""

import argparse
import tarfile
from pathlib import Path

import numpy as np
import pandas as pd

from ..data import sp500
from ..data.cache import sha256
from ..errors import DataError

ARCHIVE_SHA256 = "d62b3663da9634d92fdfbe78f31bbfbdd6313237d7600d6a86adf4862d1a9378"
_RETURNS = "cvxportfolio-1.5.1/examples/paper_examples/returns.csv.gz"


def read_returns(archive: Path, expected: str = ARCHIVE_SHA256) -> pd.DataFrame:
    """Return the second source's daily returns, days by tickers; nothing in the archive is run."""
    found = sha256(archive)
    if found != expected:
        raise DataError(
            f"expected {archive} with sha256 {expected}, got {found}; download cvxportfolio 1.5.1."
        )
    with tarfile.open(archive) as tar:
        member = tar.extractfile(_RETURNS)
        assert member is not None
        return pd.read_csv(member, compression="gzip", index_col=0, parse_dates=True)


def correlations(first: pd.DataFrame, second: pd.DataFrame) -> pd.Series:
    """Return the correlation of daily returns of every stock, over the days both sources have."""
    first, second = first.align(second, join="inner")
    return first.corrwith(second).dropna()


def main() -> None:
    """Print how well the two sources agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("archive", type=Path)
    table = sp500.WHEEL.load()
    close = pd.DataFrame(table["close"], pd.DatetimeIndex(table["dates"]), table["tickers"])
    found = correlations(close.pct_change().iloc[1:], read_returns(parser.parse_args().archive))
    quantiles = np.quantile(found, [0.0, 0.05, 0.5])
    print(f"{len(found)} stocks in both; correlation of daily returns: lowest {quantiles[0]:.4f}, ", end="")
    print(f"5 % quantile {quantiles[1]:.4f}, median {quantiles[2]:.4f}")


if __name__ == "__main__":
    main()
