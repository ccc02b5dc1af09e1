"""Dynamic programming over the capacity: one dimension, integer weights.

best[i, c] is the largest value of items i, i + 1, … within capacity c. The table is filled from the last item
to the first, so that the way back meets the items in their order and ties go to the lowest index.
Only a band of it is needed: with C the capacity, c ≥ C minus the weights before i (nothing else has been
used), and c ≤ the weights from i on (more room does not help). That is half of the table where half fits.
"""

import numpy as np
from numba import njit, prange


@njit(cache=True, error_model="numpy", nogil=True)
def _band(weights, capacity, low, high):
    """Fill the first and last capacity that each item needs."""
    n_items = weights.shape[0]
    before, behind = 0, 0
    high[n_items] = 0
    for item in range(n_items):
        low[item] = max(0, capacity - before)
        before += weights[item]
    for item in range(n_items - 1, -1, -1):
        behind += weights[item]
        high[item] = min(capacity, behind)


@njit(cache=True, error_model="numpy", nogil=True)
def _fill(values, weights, low, high, best):
    # Unsigned indices: signed ones could count from the end, and the last loop would not be vectorised.
    # Slices instead of indices would cost as much as that loop.
    one = np.uint64(1)
    for item in range(weights.shape[0] - 1, -1, -1):
        row, behind = np.uint64(item), np.uint64(item + 1)
        value, weight = values[item], np.uint64(weights[item])
        start, stop = np.uint64(low[item]), np.uint64(high[item]) + one
        full = np.uint64(high[item + 1])
        for c in range(full + one, stop):
            best[behind, c] = best[behind, full]
        first = max(start, weight)
        for c in range(start, min(first, stop)):
            best[row, c] = best[behind, c]
        for c in range(first, stop):
            taken, without = best[behind, c - weight] + value, best[behind, c]
            best[row, c] = taken if taken > without else without


@njit(cache=True, error_model="numpy", nogil=True)
def _trace(values, weights, capacity, high, best, items):
    left = capacity
    for item in range(weights.shape[0]):
        left = min(left, high[item])
        weight = weights[item]
        taken = weight <= left and best[item + 1, left - weight] + values[item] >= best[item + 1, left]
        items[item] = 1.0 if taken else 0.0
        if taken:
            left -= weight


@njit(cache=True, error_model="numpy", nogil=True)
def fill_rows(values, weights, capacity, start, stop, items):
    """Write the best 0/1 items of every row of [start, stop); values are rounded, weights integers.

    Args:
        values: (rows, n), rounded, -inf for what is never taken.
        weights: (n,), non-negative integers.
        capacity: an integer, how much weight fits.
        start: first row to solve.
        stop: row after the last one to solve.
        items: (rows, n), written.
    """
    n_items = weights.shape[0]
    low, high = np.empty(n_items, np.int64), np.empty(n_items + 1, np.int64)
    _band(weights, capacity, low, high)
    best = np.zeros((n_items + 1, capacity + 1))
    for row in range(start, stop):
        _fill(values[row], weights, low, high, best)
        _trace(values[row], weights, capacity, high, best, items[row])


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def fill_rows_threaded(values, weights, capacity, n_chunks, items):
    """Run `fill_rows` on chunks of rows: the same bits, sooner.

    Args:
        values: (rows, n), rounded, -inf for what is never taken.
        weights: (n,), non-negative integers.
        capacity: an integer, how much weight fits.
        n_chunks: how many parts the rows are cut into.
        items: (rows, n), written.
    """
    n_rows = values.shape[0]
    for chunk in prange(n_chunks):
        start, stop = n_rows * chunk // n_chunks, n_rows * (chunk + 1) // n_chunks
        fill_rows(values, weights, capacity, start, stop, items)
