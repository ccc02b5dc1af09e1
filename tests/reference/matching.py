"""Assignments in plain Python: all permutations, and SciPy's solver where they are too many."""

from itertools import permutations

import numpy as np
from scipy.optimize import linear_sum_assignment


def pay(columns, costs):
    return sum(costs[i, j] for i, j in enumerate(columns))


def optimum(costs):
    if len(costs) <= 6:
        return min(pay(columns, costs) for columns in permutations(range(len(costs))))
    return pay(linear_sum_assignment(costs)[1], costs)


def best_columns(costs):
    """The first cheapest permutation in lexicographic order; sums that differ by rounding are equal."""
    values = {columns: pay(columns, costs) for columns in permutations(range(len(costs)))}
    bar = min(values.values()) + 1e-12 * np.abs(costs).max()
    return np.array(next(columns for columns, value in values.items() if value <= bar))


def best_columns_of_many(costs):
    """The same for more rows of whole numbers: one after the other takes the lowest column it can have."""
    n, least = len(costs), optimum(costs)
    rest, columns, paid = list(range(n)), [], 0
    for i in range(n):
        for j in rest:
            others = costs[np.ix_(range(i + 1, n), [k for k in rest if k != j])]
            if paid + costs[i, j] + others[linear_sum_assignment(others)].sum() == least:
                break
        paid += costs[i, j]
        columns.append(j)
        rest.remove(j)
    return np.array(columns)
