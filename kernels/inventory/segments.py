"""The order of least cost under weights of any sign, in Numba: one walk over the segments between demands.

With a negative weight the cost is not convex, so a slope of zero says nothing about the rest. On a segment
the cost is a quadratic: its least point is an end or, where it is convex, the point of slope zero.
"""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", nogil=True)
def lowest_orders(weights, demand, costs, out):
    """Write the first order of least cost in [0, last demand] of every row; return the first bad row or -1.

    Bad are rows whose cost is not finite: a weight is not, or it is too large.

    Args:
        weights: (rows, K), one of any sign for each demand.
        demand: (K,), the possible demands, increasing.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        out: (rows,), written.
    """
    c0, q0, cb, qb, ch, qh = costs
    for row in range(weights.shape[0]):
        slope, curvature = c0, q0
        for k in range(demand.shape[0]):
            slope -= weights[row, k] * (cb + qb * demand[k])
            curvature += weights[row, k] * qb
        best, lowest = 0.0, 0.0
        left, height = 0.0, 0.0  # the height is above the cost of no order
        for k in range(demand.shape[0]):
            length = demand[k] - left
            if slope < 0.0 and -slope < curvature * length:
                step = -slope / curvature
                if height + 0.5 * slope * step < lowest:
                    best, lowest = left + step, height + 0.5 * slope * step
            height += (slope + 0.5 * curvature * length) * length
            if height < lowest:
                best, lowest = demand[k], height
            slope += curvature * length + weights[row, k] * (cb + ch)
            curvature += weights[row, k] * (qh - qb)
            left = demand[k]
        if not (np.isfinite(height) and np.isfinite(lowest)):
            return row
        out[row] = best
    return -1
