"""The linear relaxation in Numba: by ratio in one dimension, by the simplex method in several.

max vᵀz, Wz ≤ c, 0 ≤ z ≤ 1. The simplex keeps the upper bounds out of its table: a variable waits at 0 or 1,
and a step ends when a basic variable or the moving one reaches a bound. The table has one row a dimension,
so a step costs a few hundred operations. Its dual prices also bound the branch and bound.
"""

import numpy as np
from numba import njit

_ZERO = 1e-11  # of a table entry; weights are divided by their capacity, values by the largest
# Both in steps for each column. After the first the lowest improving column enters, which cannot cycle.
_BLAND_AFTER = 10
_STOP_AFTER = 50


@njit(cache=True, error_model="numpy", nogil=True)
def fill_by_ratio(values, weights, capacity, out):
    """Write the optimal z of every row for one dimension: by value per weight, of equal ones the first.

    Args:
        values: (rows, n), values of the items.
        weights: (n,), weights of the items.
        capacity: how much weight fits.
        out: (rows, n), written.
    """
    behind = np.empty(weights.shape[0])
    for row in range(values.shape[0]):
        for item in range(weights.shape[0]):
            # A weight of zero gives infinity and comes first.
            behind[item] = -values[row, item] / weights[item] if values[row, item] > 0.0 else np.inf
        left = capacity
        out[row] = 0.0
        for item in np.argsort(behind, kind="mergesort"):
            if values[row, item] > 0.0:
                part = 1.0 if weights[item] <= left else left / weights[item]
                out[row, item] = part
                left = max(0.0, left - part * weights[item])


@njit(cache=True, error_model="numpy", nogil=True)
def _start(values, weights, table, gain, basis, at_one):
    """Begin at the empty knapsack, where all slacks are basic."""
    n_dims, n_items = weights.shape
    for j in range(n_items + n_dims):
        gain[j] = values[j] if j < n_items else 0.0
        at_one[j] = False
        for k in range(n_dims):
            table[k, j] = weights[k, j] if j < n_items else 0.0
    for k in range(n_dims):
        table[k, n_items + k] = 1.0
        basis[k] = n_items + k


@njit(cache=True, error_model="numpy", nogil=True)
def _entering(gain, at_one, take_first):
    best, column = _ZERO, -1
    for j in range(gain.shape[0]):
        improvement = -gain[j] if at_one[j] else gain[j]
        if improvement > best:
            best, column = improvement, j
            if take_first:
                break
    return column


@njit(cache=True, error_model="numpy", nogil=True)
def _leaving(table, basis, level, column, direction, n_items):
    """Return the length of the step, the row that stops it (-1: the moving variable itself), and where."""
    step, row, to_one = (1.0 if column < n_items else np.inf), -1, False
    for k in range(table.shape[0]):
        slope = table[k, column] * direction
        if slope > _ZERO and level[k] / slope < step:
            step, row, to_one = level[k] / slope, k, False
        elif slope < -_ZERO and basis[k] < n_items and (level[k] - 1.0) / slope < step:
            step, row, to_one = (level[k] - 1.0) / slope, k, True
    return max(0.0, step), row, to_one


@njit(cache=True, error_model="numpy", nogil=True)
def _pivot(table, gain, row, column):
    n_columns = gain.shape[0]
    pivot = table[row, column]
    for j in range(n_columns):
        table[row, j] /= pivot
    for k in range(table.shape[0]):
        factor = table[k, column]
        if k != row and factor != 0.0:
            for j in range(n_columns):
                table[k, j] -= factor * table[row, j]
    factor = gain[column]
    for j in range(n_columns):
        gain[j] -= factor * table[row, j]


@njit(cache=True, error_model="numpy", nogil=True)
def _simplex(n_items, table, gain, basis, level, at_one):
    n_columns = gain.shape[0]
    for n_steps in range(_STOP_AFTER * n_columns):
        column = _entering(gain, at_one, n_steps > _BLAND_AFTER * n_columns)
        if column < 0:
            return
        direction = -1.0 if at_one[column] else 1.0
        step, row, to_one = _leaving(table, basis, level, column, direction, n_items)
        for k in range(level.shape[0]):
            level[k] -= table[k, column] * direction * step
        if row < 0:
            at_one[column] = not at_one[column]
            continue
        at_one[basis[row]] = to_one
        level[row] = step if direction > 0.0 else 1.0 - step
        basis[row] = column
        at_one[column] = False
        _pivot(table, gain, row, column)


@njit(cache=True, error_model="numpy", nogil=True)
def _gap(values, weights, capacity, z, prices):
    """Return how much above the value of z the bound by prices is, relatively; infinity if z does not fit."""
    value, bound = 0.0, 0.0
    for k in range(capacity.shape[0]):
        load = 0.0
        for item in range(z.shape[0]):
            load += weights[k, item] * z[item]
        if not load <= capacity[k] + 1e-9:
            return np.inf
        bound += prices[k] * capacity[k]
    for item in range(z.shape[0]):
        worth = values[item]
        for k in range(capacity.shape[0]):
            worth -= weights[k, item] * prices[k]
        bound += max(0.0, worth)
        value += values[item] * z[item] if z[item] > 0.0 else 0.0
    return (bound - value) / max(1.0, value)


@njit(cache=True, error_model="numpy", nogil=True)
def solve_rows(values, weights, capacity, start, stop, z, prices, gaps):
    """Write an optimal vertex, the dual prices and the relative gap between both for rows [start, stop).

    Args:
        values: (rows, n); items without a positive value are never taken.
        weights: (d, n), weights of the items in each dimension.
        capacity: (d,), the capacities.
        start: first row to solve.
        stop: row after the last one to solve.
        z: (rows, n), written: the optimal vertex.
        prices: (rows, d), written: the dual prices, non-negative.
        gaps: (rows,), written: infinity where z does not fit.
    """
    n_dims, n_items = weights.shape
    table, gain = np.empty((n_dims, n_items + n_dims)), np.empty(n_items + n_dims)
    basis, at_one = np.empty(n_dims, np.int64), np.empty(n_items + n_dims, np.bool_)
    unit = np.where(capacity > 0.0, capacity, 1.0)
    shares, room = weights / unit.reshape(-1, 1), capacity / unit
    scaled, level = np.empty(n_items), np.empty(n_dims)
    for row in range(start, stop):
        largest = 0.0
        for item in range(n_items):
            largest = max(largest, values[row, item])
        for item in range(n_items):
            scaled[item] = values[row, item] / largest if values[row, item] > 0.0 else -np.inf
        level[:] = room
        _start(scaled, shares, table, gain, basis, at_one)
        _simplex(n_items, table, gain, basis, level, at_one)
        for item in range(n_items):
            z[row, item] = 1.0 if at_one[item] else 0.0
        for k in range(n_dims):
            if basis[k] < n_items:
                z[row, basis[k]] = min(1.0, max(0.0, level[k]))
            prices[row, k] = -gain[n_items + k] if gain[n_items + k] < 0.0 else 0.0
        gaps[row] = _gap(scaled, shares, room, z[row], prices[row])
        for k in range(n_dims):
            price = prices[row, k] * (largest / unit[k])
            prices[row, k] = price if price < np.inf else 0.0  # any price bounds, an infinite one does not
