"""Projected gradient ascent on the multilinear relaxation of the budget problem, in Numba.

Arguments: ctr (n, W, U), weights (n, U) and start (n, W), each with its own number of rows n and its row map
of `broadcast_rows`; total, the sum that z must have; out (rows, W).
"""

import numpy as np
from numba import njit


@njit(cache=True, error_model="numpy", nogil=True)
def _row(rows, i):
    """Follow a row map of `broadcast_rows`; an empty one means that every row stands for itself."""
    return rows[i] if rows.shape[0] else i


@njit(cache=True, error_model="numpy", nogil=True)
def _project_one(z, total, corners, out):
    """Write clip(z − τ, 0, 1) with the τ at which it sums to total, found on sorted corners."""
    n = z.shape[0]
    for i in range(n):
        corners[2 * i, 0], corners[2 * i, 1] = -z[i], 1.0
        corners[2 * i + 1, 0], corners[2 * i + 1, 1] = 1.0 - z[i], -1.0
    # Insertion sort: the vectors are short, and repeated projections leave them nearly sorted.
    for i in range(1, 2 * n):
        key, change = corners[i, 0], corners[i, 1]
        j = i - 1
        while j >= 0 and corners[j, 0] > key:
            corners[j + 1, 0], corners[j + 1, 1] = corners[j, 0], corners[j, 1]
            j -= 1
        corners[j + 1, 0], corners[j + 1, 1] = key, change
    shift, filled, slope = corners[0, 0], 0.0, 0.0
    for i in range(2 * n):
        step = corners[i, 0] - shift
        if filled + slope * step >= total:
            break
        filled += slope * step
        shift = corners[i, 0]
        slope += corners[i, 1]
    if slope > 0.0:
        shift += (total - filled) / slope
    for i in range(n):
        out[i] = min(max(z[i] + shift, 0.0), 1.0)


@njit(cache=True, error_model="numpy", nogil=True)
def projections(z, total, out):
    """Write the Euclidean projection of every row onto {0 ≤ z ≤ 1, Σz = total}.

    Args:
        z: (rows, W), the points to project.
        total: the sum that each result must have.
        out: (rows, W), written.
    """
    corners = np.empty((2 * z.shape[1], 2))
    for row in range(z.shape[0]):
        _project_one(z[row], total, corners, out[row])


@njit(cache=True, error_model="numpy", nogil=True)
def _gradient(rates, z, missed, before, out):
    """Write ∂/∂z_w = Σ_u w_u Y_wu Π_{v≠w} (1 − z_v Y_vu) by products from both ends, without a division."""
    n_sites, n_users = rates.shape
    for site in range(n_sites - 1):
        for u in range(n_users):
            before[site + 1, u] = before[site, u] * (1.0 - z[site] * rates[site, u])
    missed[:] = 1.0
    for site in range(n_sites - 1, -1, -1):
        total = 0.0
        for u in range(n_users):
            total += before[site, u] * rates[site, u] * missed[u]
            missed[u] *= 1.0 - z[site] * rates[site, u]
        out[site] = total


@njit(cache=True, error_model="numpy", nogil=True)
def ascents(ctr, weights, start, rows_ctr, rows_weights, rows_start, total, steps, lr, momentum, out):
    """Write the point reached by every row after projected gradient steps with heavy-ball momentum.

    Args:
        ctr: (n, W, U), click rates.
        weights: (n, U), user weights.
        start: (n, W), the first points; they are projected before the first step.
        rows_ctr: (rows,), the row of ctr that each result uses, or empty if every row uses its own.
        rows_weights: (rows,), the row of weights that each result uses, or empty if every row uses its own.
        rows_start: (rows,), the row of start that each result uses, or empty if every row uses its own.
        total: the sum that each result must have.
        steps: how many gradient steps.
        lr: step size.
        momentum: share of the last step that is repeated.
        out: (rows, W), written.
    """
    _, n_sites, n_users = ctr.shape
    corners, missed, before = np.empty((2 * n_sites, 2)), np.empty(n_users), np.empty((n_sites, n_users))
    slope, velocity = np.empty(n_sites), np.empty(n_sites)
    for row in range(out.shape[0]):
        z = out[row]
        _project_one(start[_row(rows_start, row)], total, corners, z)
        velocity[:] = 0.0
        before[0] = weights[_row(rows_weights, row)]
        for _ in range(steps):
            _gradient(ctr[_row(rows_ctr, row)], z, missed, before, slope)
            for site in range(n_sites):
                velocity[site] = momentum * velocity[site] + slope[site]
                slope[site] = z[site] + lr * velocity[site]
            _project_one(slope, total, corners, z)
