"""The extreme rays of {v ≥ 0, R v = 0} in Numba: the directions along which edges leave a degenerate vertex.

The double description method, one row of R at a time: rays that meet the row stay, and each pair on its two
sides that is adjacent gives the ray between them. Two rays are adjacent if no third one has all its entries
among theirs. The row that makes the fewest pairs is next. A combination has all entries of both its parts, so
rays with many entries can be left out early without losing one with few.
"""

import numpy as np
from numba import njit

ZERO = 1e-9
"""What a row may miss by, for rays whose largest entry is one."""


@njit(cache=True, error_model="numpy", nogil=True)
def _next_row(values, done):
    """Return the row with the fewest pairs of rays on its two sides, -1 if all are done."""
    best, fewest = -1, np.inf
    for i in range(values.shape[1]):
        if not done[i]:
            above, below = 0.0, 0.0
            for k in range(values.shape[0]):
                above += values[k, i] > ZERO
                below += values[k, i] < -ZERO
            if above * below < fewest:
                best, fewest = i, above * below
    return best


@njit(cache=True, error_model="numpy", nogil=True)
def _count(words):
    total = 0
    for word in words:
        while word:
            word &= word - np.uint64(1)
            total += 1
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def _is_adjacent(bits, p, q, both):
    """Return whether no ray beside p and q has all its entries in `both`, those of p and q."""
    for k in range(bits.shape[0]):
        if k != p and k != q:
            inside = True
            for w in range(both.shape[0]):
                inside = inside and not bits[k, w] & ~both[w]
            if inside:
                return False
    return True


@njit(cache=True, error_model="numpy", nogil=True)
def _pairs(values, row, bits, most):
    """Return the pairs (k, 2) of adjacent rays on the two sides of a row that have few entries together."""
    above, below = np.flatnonzero(values[:, row] > ZERO), np.flatnonzero(values[:, row] < -ZERO)
    found, n_found = np.empty((above.shape[0] * below.shape[0], 2), np.int64), 0
    both = np.empty(bits.shape[1], np.uint64)
    for p in above:
        for q in below:
            for w in range(both.shape[0]):
                both[w] = bits[p, w] | bits[q, w]
            if _count(both) <= most and _is_adjacent(bits, p, q, both):
                found[n_found, 0], found[n_found, 1] = p, q
                n_found += 1
    return found[:n_found]


@njit(cache=True, error_model="numpy", nogil=True)
def _meet(values, row, rays, bits, most):
    """Return the rays that meet a row, with what they make of the rows and their entries as bits."""
    pairs = _pairs(values, row, bits, most)
    stay = np.flatnonzero(np.abs(values[:, row]) <= ZERO)
    n, k = stay.shape[0] + pairs.shape[0], stay.shape[0]
    new_values, new_rays = np.empty((n, values.shape[1])), np.empty((n, rays.shape[1]))
    new_bits = np.empty((n, bits.shape[1]), np.uint64)
    new_values[:k], new_rays[:k], new_bits[:k] = values[stay], rays[stay], bits[stay]
    for pair in range(pairs.shape[0]):
        p, q = pairs[pair]
        a, b = -values[q, row], values[p, row]
        new_rays[k] = a * rays[p] + b * rays[q]
        size = new_rays[k].max()
        new_rays[k] /= size
        new_values[k] = (a * values[p] + b * values[q]) / size
        new_values[k, row] = 0.0
        new_bits[k] = bits[p] | bits[q]
        k += 1
    return new_values, new_rays, new_bits


@njit(cache=True, error_model="numpy", nogil=True)
def extreme_rays(rows, most, limit):
    """Return the rays (k, m) of rows (r, m), each with a largest entry of one; none if they exceed the limit.

    Args:
        rows: R, (r, m).
        most: rays with more entries that are not zero are left out.
        limit: how many rays there may be on the way.

    Returns:
        The rays, and whether there were no more than the limit.
    """
    m = rows.shape[1]
    rays, values, done = np.eye(m), rows.T.copy(), np.zeros(rows.shape[0], np.bool_)
    bits = np.zeros((m, (m + 63) // 64), np.uint64)
    for j in range(m):
        bits[j, j // 64] = np.uint64(1) << np.uint64(j % 64)
    for _ in range(rows.shape[0]):
        row = _next_row(values, done)
        done[row] = True
        values, rays, bits = _meet(values, row, rays, bits, most)
        if rays.shape[0] > limit:
            return rays[:0], False
    return rays, True
