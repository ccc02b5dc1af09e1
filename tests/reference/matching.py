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
    """The only cheapest permutation, or None where there are several."""
    values = {columns: pay(columns, costs) for columns in permutations(range(len(costs)))}
    least = min(values.values())
    cheapest = [columns for columns, value in values.items() if value <= least + 1e-9]
    return np.array(cheapest[0]) if len(cheapest) == 1 else None
