"""Hourly electricity prices of Spain, 2015-2018, with day-ahead forecasts, from a wheel that is only read.

The wheel is MIT; no licence is stated for the data in it, so each user fetches it and the project does not
pass it on. Times in the file are UTC; a day is a day in Spain.
"""

from datetime import date
from typing import BinaryIO

import numpy as np

from .price_days import PriceDays, whole_days
from .wheel import Wheel

# What is known a day before: forecasts that were published then, and the price of the day-ahead market.
FORECASTS = {
    "wind_forecast": "forecast wind onshore day ahead",
    "solar_forecast": "forecast solar day ahead",
    "load_forecast": "total load forecast",
    "day_ahead_price": "price day ahead",
}
PRICE = "price actual"

FEATURE_NAMES = (
    "holiday",
    "day_of_week",  # Monday is 0
    "month",
    *(f"{wave}_{turns}" for turns in ("day", "half_day") for wave in ("sine", "cosine")),  # of the hour
    *FORECASTS,
)

# Holidays of the whole country, month and day; Good Friday moves.
_HOLIDAYS = {(1, 1), (1, 6), (5, 1), (8, 15), (10, 12), (11, 1), (12, 6), (12, 8), (12, 25)}
_GOOD_FRIDAYS = {date(2015, 4, 3), date(2016, 3, 25), date(2017, 4, 14), date(2018, 3, 30)}


def read_tables(file: BinaryIO) -> dict[str, np.ndarray]:
    """Return the time of each hour in UTC, its forecasts and its price, each (T,)."""
    import pandas as pd

    table = pd.read_csv(file, usecols=["time", *FORECASTS.values(), PRICE])
    named = {name: table[column].to_numpy(np.float64) for name, column in FORECASTS.items()}
    time = pd.to_datetime(table["time"]).to_numpy().astype("datetime64[h]")
    return {"time": time, **named, "price": table[PRICE].to_numpy(np.float64)}


WHEEL = Wheel(
    name="spanish-prices",
    holds="Spanish electricity prices",
    requirement="deepts-forecasting==0.1.2",
    sha256="f912bd8883c33bde35014f5a28059d80d03cf735b6b79f249a713e77a54b681e",
    files=("deepts_forecasting/datasets/data/energy_dataset.csv",),
    tables=read_tables,
    otherwise="use the problem knapsack, which needs no data",
)


def load() -> PriceDays:
    """Return the days of 24 hours from the cache: features (N, 24, 11) and prices in euros a MWh (N, 24)."""
    return to_days(WHEEL.load())


def to_days(table: dict[str, np.ndarray]) -> PriceDays:
    """Return tables of hours as days; features of a day use nothing that was not known a day before."""
    local = spanish_time(table["time"])
    days = local.astype("datetime64[D]")
    hours = (local - days).astype(int)
    forecasts = [table[name] for name in FORECASTS]
    columns = np.stack([*_calendar(days), *_waves(hours), *forecasts, table["price"]], axis=-1)
    return whole_days(days, hours, columns, 24)


def spanish_time(utc: np.ndarray) -> np.ndarray:
    """Return hours on the clocks of Madrid: two hours ahead of UTC in summer time, else one.

    Summer time is from 01:00 UTC on the last Sunday of March to the same hour of that of October.
    """
    years = utc.astype("datetime64[Y]")
    summer = (utc >= _last_sunday(years, 3)) & (utc < _last_sunday(years, 10))
    return utc + np.where(summer, 2, 1).astype("timedelta64[h]")


def _last_sunday(years: np.ndarray, month: int) -> np.ndarray:
    next_month = (years.astype("datetime64[M]") + month).astype("datetime64[D]")
    last_day = next_month - 1
    return (last_day - _days_since_sunday(last_day)).astype("datetime64[h]") + 1


def _days_since_sunday(days: np.ndarray) -> np.ndarray:
    return (days.astype(int) + 4) % 7  # 1970-01-01 was a Thursday


def _calendar(days: np.ndarray) -> list[np.ndarray]:
    dates = days.astype(object)
    holiday = [(d.month, d.day) in _HOLIDAYS or d in _GOOD_FRIDAYS for d in dates]
    numbers = [holiday, [d.weekday() for d in dates], [d.month for d in dates]]
    return [np.array(column, dtype=np.float64) for column in numbers]


def _waves(hours: np.ndarray) -> list[np.ndarray]:
    angle = 2 * np.pi * hours / 24
    return [wave(turns * angle) for turns in (1, 2) for wave in (np.sin, np.cos)]
