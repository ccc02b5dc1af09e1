"""The knapsack by HiGHS, as SciPy gives it."""

import numpy as np


def values_by_milp(
    values: np.ndarray, weights: np.ndarray, capacity: np.ndarray, gap: float | None = None
) -> np.ndarray:
    """Return the largest value (rows,) for values (rows, n), one integer program per row.

    Args:
        values: (rows, n).
        weights: (d, n).
        capacity: (d,).
        gap: how far from optimal an answer may be, as a share; None is SciPy's default, 1e-4.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp

    room, whole = LinearConstraint(weights, -np.inf, capacity), np.ones(values.shape[1])
    options = {} if gap is None else {"mip_rel_gap": gap}
    solved = [
        milp(-row, constraints=room, integrality=whole, bounds=Bounds(0, 1), options=options)
        for row in values
    ]
    return np.array([-found.fun for found in solved])
