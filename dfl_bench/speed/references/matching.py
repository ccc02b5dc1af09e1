"""Assignments by SciPy, one after the other."""

import numpy as np


def assign_by_scipy(costs: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return rows and columns of the cheapest assignment of each of costs (rows, n, n)."""
    from scipy.optimize import linear_sum_assignment

    return [linear_sum_assignment(matrix) for matrix in costs]
