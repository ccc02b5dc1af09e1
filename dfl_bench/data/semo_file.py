"""Half-hourly electricity prices of Ireland, 2011-2013, supplied by the user: the data of the literature.

Two files are known by their hash: the prices (a CSV of the ICON challenge) and what the predopt suite made of
them (an archive of arrays). Features are the same in both, to the last bit.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import DataError
from .cache import sha256
from .price_days import PriceDays, whole_days

PRICES_SHA256 = "af3d93dc63d797ead51a390ff3a1bab2d64a1f682617269a7757b242a2526ca2"
VALUES_SHA256 = "7b512a53d6568af4a5c9b4d600086dc7acf49903d67bd434a05ce55bd828e07e"
SLOTS = 48

# CO2Intensity follows the errors of the wind forecast: it was measured, and so these features look ahead.
FEATURE_NAMES = (
    "HolidayFlag",
    "DayOfWeek",  # Monday is 0
    "WeekOfYear",
    "Month",
    "ForecastWindProduction",
    "SystemLoadEA",  # the load forecast
    "SMPEA",  # the price forecast
    "CO2Intensity",
)
PRICE = "SMPEP2"
_COLUMNS = ("DateTime", "PeriodOfDay", *FEATURE_NAMES, PRICE)
_EXPECTED = "expected semo_electricity.csv, a CSV with its columns, or predopt_knapsack.npz"

# Of the predopt suite, one weight for each half-hour; they sum to 240. Its y is price × (weight + noise),
# with noise uniform in [-1, 1], and 0 for the three negative prices.
WEIGHTS = np.array([int(digit) for digit in "533557737733537377553553773755737335753537575537"])


class ValueDays(NamedTuple):
    """Days of the predopt suite in order of time: features (789, 48, 8), noisy values (789, 48)."""

    features: np.ndarray
    values: np.ndarray


def describe(path: Path) -> str:
    """Return what a file is by its hash, in words for the provenance of a result."""
    known = {
        PRICES_SHA256: "the Irish prices of the literature",
        VALUES_SHA256: "the Irish prices with the noisy values of the predopt suite",
    }
    return known.get(sha256(path), "not a file of the literature") if path.is_file() else "missing"


def load_semo(path: str | Path) -> PriceDays | ValueDays:
    """Return the days of a file; which of the two kinds, its content says.

    In the known file of prices, days with a missing number are left out as the predopt suite did (three of
    792). In every other file a missing number is an error.

    Raises:
        DataError: there is no such file, or it holds anything else.
    """
    path = Path(path)
    if not path.is_file():
        raise DataError(f"no file {path}; {_EXPECTED}, or data='spanish' for the fetched prices.")
    digest = sha256(path)
    if digest == VALUES_SHA256:
        return _values(path)
    table = _table(path)
    if digest == PRICES_SHA256:
        return _days(table.assign(CO2Intensity=_filled(table["CO2Intensity"].to_numpy())))
    days = _days(table)
    if len(days.left_out):
        raise DataError(
            f"expected every number of {SLOTS} slots on each day in {path}, got a missing or repeated one on "
            f"{days.left_out[0]}{_others(len(days.left_out) - 1)}; complete these days or leave them out."
        )
    return days


def _values(path: Path) -> ValueDays:
    with np.load(path, allow_pickle=False) as file:
        # The first column is the number of the day.
        features = np.concatenate([file["X_1gtrain"], file["X_1gtest"]])[:, 1:]
        values = np.concatenate([file["y_train"], file["y_test"]])
    return ValueDays(features.reshape(-1, SLOTS, features.shape[-1]), values.reshape(-1, SLOTS))


def _table(path: Path) -> Any:
    """Return the columns that are used, as numbers; the date of each row is its index."""
    import pandas as pd

    try:
        table = pd.read_csv(path, usecols=list(_COLUMNS), na_values="?", compression=None)
        table.index = pd.to_datetime(table.pop("DateTime"), format="%d/%m/%Y %H:%M")
        table = table.astype(np.float64)
    except ValueError as error:  # pandas raises it for bytes, columns, dates and numbers that are not right
        raise DataError(f"{_EXPECTED} at {path}; not loaded: {error}.") from error
    if not table["PeriodOfDay"].isin(range(SLOTS)).all() or table.index.hasnans or table.empty:
        raise DataError(f"expected dates, and PeriodOfDay from 0 to {SLOTS - 1} in {path}, got others.")
    return table


def _days(table: Any) -> PriceDays:
    dates = table.index.to_numpy().astype("datetime64[D]")
    columns = table[[*FEATURE_NAMES, PRICE]].to_numpy()
    return whole_days(dates, table["PeriodOfDay"].to_numpy().astype(int), columns, SLOTS)


def _filled(column: np.ndarray) -> np.ndarray:
    """Return a column with a straight line where numbers are missing or, which cannot be, zero."""
    known = np.flatnonzero(np.isfinite(column) & (column != 0))
    return np.interp(np.arange(len(column)), known, column[known])


def _others(count: int) -> str:
    return f" and {count} other days" if count > 1 else " and another day" if count else ""
