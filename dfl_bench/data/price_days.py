"""Prices as whole days: one row for each day, one entry for each slot, which is an hour or half an hour."""

from typing import NamedTuple

import numpy as np


class PriceDays(NamedTuple):
    """Days in order of time: features (N, slots, F), the price of every slot (N, slots), and the dates (N,).

    `left_out` are the dates of days in which something is missing.
    """

    dates: np.ndarray
    features: np.ndarray
    prices: np.ndarray
    left_out: np.ndarray


def whole_days(dates: np.ndarray, slots: np.ndarray, columns: np.ndarray, n_slots: int) -> PriceDays:
    """Sort rows into days, and leave out the days that do not have every number of every slot exactly once.

    A day on which clocks change has a slot too few, or a slot twice; it is left out like any other.

    Args:
        dates: the day of each row.
        slots: the slot of each row, 0 to n_slots - 1.
        columns: features of each row, and the price as the last column; NaN where a number is missing.
        n_slots: how many slots a day has.
    """
    days, row_day = np.unique(dates, return_inverse=True)
    count = np.zeros((len(days), n_slots), dtype=int)
    np.add.at(count, (row_day, slots), 1)
    table = np.full((len(days), n_slots, columns.shape[-1]), np.nan)
    table[row_day, slots] = columns
    whole = (count == 1).all(1) & np.isfinite(table).all((1, 2))
    return PriceDays(days[whole], table[whole, :, :-1], table[whole, :, -1], days[~whole])
