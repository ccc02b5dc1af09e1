"""Inventory kernels in Numba: rows in transposed blocks, so that inner loops run over rows and vectorise.

Row by row the branches and divisions cost 33 ns a decision; LANES rows at a time, the same sums cost 10 ns.

On the segment between two neighbouring demands the derivative of the expected cost is
c0 + q0 z + push(z) − pull(z), where push is the expected marginal cost of stock and pull that of shortage.
Both are sums of non-negative terms, accumulated from their own end: a tail without mass pulls exactly zero.
"""

import numpy as np
from numba import njit, prange

LANES = 64  # rows a block: 5 demands × 64 rows × 3 arrays stay in the first-level cache


@njit(cache=True, error_model="numpy", nogil=True)
def _load(p, rows, start, width, block):
    for lane in range(width):
        row = rows[start + lane] if rows.shape[0] else start + lane  # an empty map: every row is its own
        for k in range(p.shape[1]):
            block[k, lane] = p[row, k]


@njit(cache=True, error_model="numpy", nogil=True)
def _pull(block, width, demand, costs, tolerance, pulls, tails):
    """Fill pull and tail mass at the left end of every segment; return the first bad lane or -1."""
    _, _, cb, qb, _, _ = costs
    n_demands = demand.shape[0]
    lowest = np.zeros(width)
    pulls[n_demands, :width] = 0.0
    tails[n_demands, :width] = 0.0
    for k in range(n_demands - 1, -1, -1):
        length = demand[k] - (demand[k - 1] if k > 0 else 0.0)
        by_tail, by_mass = qb * length, cb + qb * length
        mass, pull, tail = block[k], pulls[k], tails[k]
        next_pull, next_tail = pulls[k + 1], tails[k + 1]
        for lane in range(width):
            lowest[lane] = lowest[lane] if mass[lane] >= lowest[lane] else mass[lane]
            pull[lane] = next_pull[lane] + by_tail * next_tail[lane] + by_mass * mass[lane]
            tail[lane] = next_tail[lane] + mass[lane]
    total = tails[0]
    n_bad = 0
    for lane in range(width):
        # A NaN or an infinity always reaches the total, whatever the comparison above made of it.
        n_bad += not (lowest[lane] >= 0.0 and abs(total[lane] - 1.0) <= tolerance)
    if n_bad:
        for lane in range(width):
            if not (lowest[lane] >= 0.0 and abs(total[lane] - 1.0) <= tolerance):
                return lane
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def _order(block, width, demand, costs, pulls, tails, out):
    """Write the smallest minimizer of every lane; it never lies beyond the last demand."""
    c0, q0, _, qb, ch, qh = costs
    head, push = np.zeros(width), np.zeros(width)
    out[:width] = 0.0
    left = 0.0
    for k in range(demand.shape[0]):
        length = demand[k] - left
        ordering, by_head = c0 + q0 * left, qh * length
        mass, pull, tail = block[k], pulls[k], tails[k]
        for lane in range(width):
            gain = pull[lane] - push[lane] - ordering
            # Without curvature the step is infinite and ends at the kink.
            step = gain / (q0 + qb * tail[lane] + qh * head[lane])
            step = step if step < length else length
            out[lane] = left + step if gain > 0.0 else out[lane]
            push[lane] += by_head * head[lane] + ch * mass[lane]
            head[lane] += mass[lane]
        left = demand[k]


@njit(cache=True, error_model="numpy", nogil=True)
def _cost(z, block, width, demand, costs, out):
    c0, q0, cb, qb, ch, qh = costs
    for lane in range(width):
        out[lane] = z[lane] * (c0 + 0.5 * q0 * z[lane])
    for k in range(demand.shape[0]):
        level, mass = demand[k], block[k]
        for lane in range(width):
            short = level - z[lane]
            over = -short if short < 0.0 else 0.0
            short = short if short > 0.0 else 0.0
            out[lane] += mass[lane] * ((cb + 0.5 * qb * short) * short + (ch + 0.5 * qh * over) * over)


@njit(cache=True, error_model="numpy", nogil=True)
def orders(p, rows, demand, costs, tolerance, start, stop, out):
    """Write the order of every row of [start, stop); return the first bad row or -1."""
    n_demands = demand.shape[0]
    block = np.empty((n_demands, LANES))
    pulls, tails = np.empty((n_demands + 1, LANES)), np.empty((n_demands + 1, LANES))
    for first in range(start, stop, LANES):
        width = min(LANES, stop - first)
        _load(p, rows, first, width, block)
        bad = _pull(block, width, demand, costs, tolerance, pulls, tails)
        if bad >= 0:
            return first + bad
        _order(block, width, demand, costs, pulls, tails, out[first : first + width])
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def regrets(p, y, rows_p, rows_y, demand, costs, tolerance, start, stop, out):
    """Write the regret of every row of [start, stop), both optima found on the way; return as `orders`."""
    n_demands = demand.shape[0]
    block = np.empty((n_demands, LANES))
    pulls, tails = np.empty((n_demands + 1, LANES)), np.empty((n_demands + 1, LANES))
    z, best, best_cost = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for first in range(start, stop, LANES):
        width = min(LANES, stop - first)
        _load(p, rows_p, first, width, block)
        bad = _pull(block, width, demand, costs, tolerance, pulls, tails)
        if bad >= 0:
            return first + bad
        _order(block, width, demand, costs, pulls, tails, z)
        _load(y, rows_y, first, width, block)
        bad = _pull(block, width, demand, costs, tolerance, pulls, tails)
        if bad >= 0:
            return first + bad
        _order(block, width, demand, costs, pulls, tails, best)
        regret = out[first : first + width]
        _cost(z, block, width, demand, costs, regret)
        _cost(best, block, width, demand, costs, best_cost)
        for lane in range(width):
            regret[lane] -= best_cost[lane]
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def expected_costs(z, p, rows_z, rows_p, demand, costs, tolerance, out):
    """Write the expected cost of every row; return as `orders`, a negative or non-finite z being bad too."""
    n_demands = demand.shape[0]
    block = np.empty((n_demands, LANES))
    pulls, tails = np.empty((n_demands + 1, LANES)), np.empty((n_demands + 1, LANES))
    level = np.empty(LANES)
    for first in range(0, out.shape[0], LANES):
        width = min(LANES, out.shape[0] - first)
        _load(p, rows_p, first, width, block)
        bad = _pull(block, width, demand, costs, tolerance, pulls, tails)
        if bad >= 0:
            return first + bad
        for lane in range(width):
            level[lane] = z[rows_z[first + lane] if rows_z.shape[0] else first + lane]
            if not (0.0 <= level[lane] < np.inf):
                return first + lane
        _cost(level, block, width, demand, costs, out[first : first + width])
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def derivatives(p, z, demand, costs, out):
    """Write ∂z/∂p of every row: −(marginal cost of a demand) / curvature, zero on a kink and at zero."""
    _, q0, cb, qb, ch, qh = costs
    for row in range(p.shape[0]):
        curvature = q0
        smooth = z[row] > 0.0
        for k in range(demand.shape[0]):
            smooth &= z[row] != demand[k]
            curvature += p[row, k] * (qb if z[row] < demand[k] else qh)
        for k in range(demand.shape[0]):
            gap = demand[k] - z[row]
            marginal = -cb - qb * gap if gap > 0.0 else ch - qh * gap
            out[row, k] = -marginal / curvature if smooth else 0.0


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def orders_threaded(p, rows, demand, costs, tolerance, n_chunks, out):
    """Run `orders` on chunks of rows, one a thread at a time: the same bits, sooner."""
    bad = np.empty(n_chunks, np.int64)
    for chunk in prange(n_chunks):
        start, stop = out.shape[0] * chunk // n_chunks, out.shape[0] * (chunk + 1) // n_chunks
        bad[chunk] = orders(p, rows, demand, costs, tolerance, start, stop, out)
    for chunk in range(n_chunks):
        if bad[chunk] >= 0:
            return bad[chunk]
    return -1


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def regrets_threaded(p, y, rows_p, rows_y, demand, costs, tolerance, n_chunks, out):
    """Run `regrets` on chunks of rows, as `orders_threaded` does."""
    bad = np.empty(n_chunks, np.int64)
    for chunk in prange(n_chunks):
        start, stop = out.shape[0] * chunk // n_chunks, out.shape[0] * (chunk + 1) // n_chunks
        bad[chunk] = regrets(p, y, rows_p, rows_y, demand, costs, tolerance, start, stop, out)
    for chunk in range(n_chunks):
        if bad[chunk] >= 0:
            return bad[chunk]
    return -1
