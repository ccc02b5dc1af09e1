"""Inventory kernels in Numba: rows in transposed blocks, so that inner loops run over rows and vectorise.

Row by row, branches and divisions cost 33 ns per decision; with LANES rows at a time the same sums cost 6 ns.

On the segment between two neighbouring demands the derivative of the expected cost is
c0 + q0 z + push(z) − pull(z), where push is the expected marginal cost of stock and pull that of shortage.
Both are sums of non-negative terms, each summed from its own end: a tail without mass pulls exactly zero.

Arguments: p and y (n, K) and z (n,), each with its own number of rows n and its row map of `broadcast_rows`;
demand (K,); costs, six numbers; tolerance, how far the sum of a row may be from one; out, the results.
"""

import numpy as np
from numba import njit, prange

LANES = 64  # rows per block: 5 demands × 64 rows × 5 quantities stay in the first-level cache

# One flat array holds all of a block, demand after demand, at distances known when compiling: loops over
# rows of several arrays would not be vectorised, because the compiler cannot tell that they do not overlap.
MASS, PULL, TAIL, PUSH, HEAD, NEXT = (i * LANES for i in range(6))


@njit(cache=True, error_model="numpy", nogil=True)
def _load(p, rows, start, width, work):
    n_demands = p.shape[1]
    if rows.shape[0] == 0:  # an empty map: every row stands for itself
        own = p[start : start + width]
        for k in range(n_demands):
            cells = work[k * NEXT : (k + 1) * NEXT]
            for lane in range(width):
                cells[MASS + lane] = own[lane, k]
        return
    for lane in range(width):
        row = rows[start + lane]
        for k in range(n_demands):
            work[k * NEXT + MASS + lane] = p[row, k]


@njit(cache=True, error_model="numpy", nogil=True)
def _pull(work, width, demand, costs, tolerance):
    """Fill pull and tail mass at the left end of every segment; return the first bad lane or -1."""
    _, _, cb, qb, _, _ = costs
    n_demands = demand.shape[0]
    end = work[n_demands * NEXT :]
    for lane in range(width):
        end[PULL + lane] = 0.0
        end[TAIL + lane] = 0.0
    n_bad = 0
    for k in range(n_demands - 1, -1, -1):
        length = demand[k] - (demand[k - 1] if k > 0 else 0.0)
        by_tail, by_mass = qb * length, cb + qb * length
        cells = work[k * NEXT : (k + 2) * NEXT]
        for lane in range(width):
            mass, tail = cells[MASS + lane], cells[NEXT + TAIL + lane]
            cells[PULL + lane] = cells[NEXT + PULL + lane] + by_tail * tail + by_mass * mass
            cells[TAIL + lane] = tail + mass
            n_bad += not (mass >= 0.0)
    for lane in range(width):
        n_bad += not (abs(work[TAIL + lane] - 1.0) <= tolerance)
    return _first_bad(work, width, n_demands, tolerance) if n_bad else -1


@njit(cache=True, error_model="numpy", nogil=True)
def _first_bad(work, width, n_demands, tolerance):
    for lane in range(width):
        # A NaN or an infinity always reaches the total.
        good = abs(work[TAIL + lane] - 1.0) <= tolerance
        for k in range(n_demands):
            good &= work[k * NEXT + MASS + lane] >= 0.0
        if not good:
            return lane
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def _order(work, width, demand, costs, out):
    """Write the smallest minimizer of every lane; it never lies beyond the last demand."""
    c0, q0, _, qb, ch, qh = costs
    for lane in range(width):
        work[PUSH + lane] = 0.0
        work[HEAD + lane] = 0.0
        out[lane] = 0.0
    left = 0.0
    for k in range(demand.shape[0]):
        length = demand[k] - left
        ordering, by_head = c0 + q0 * left, qh * length
        cells = work[k * NEXT : (k + 2) * NEXT]
        for lane in range(width):
            mass, push, head = cells[MASS + lane], cells[PUSH + lane], cells[HEAD + lane]
            gain = cells[PULL + lane] - push - ordering
            # Without curvature the step is infinite and ends at the kink.
            step = gain / (q0 + qb * cells[TAIL + lane] + qh * head)
            step = step if step < length else length
            out[lane] = left + step if gain > 0.0 else out[lane]
            cells[NEXT + PUSH + lane] = push + (by_head * head + ch * mass)
            cells[NEXT + HEAD + lane] = head + mass
        left = demand[k]


@njit(cache=True, error_model="numpy", nogil=True)
def _cost(z, work, width, demand, costs, out):
    c0, q0, cb, qb, ch, qh = costs
    for lane in range(width):
        out[lane] = z[lane] * (c0 + 0.5 * q0 * z[lane])
    for k in range(demand.shape[0]):
        level, cells = demand[k], work[k * NEXT : (k + 1) * NEXT]
        for lane in range(width):
            short = level - z[lane]
            over = -short if short < 0.0 else 0.0
            short = short if short > 0.0 else 0.0
            stage = (cb + 0.5 * qb * short) * short + (ch + 0.5 * qh * over) * over
            out[lane] += cells[MASS + lane] * stage


@njit(cache=True, error_model="numpy", nogil=True)
def orders(p, rows, demand, costs, tolerance, start, stop, out):
    """Write the order of every row of [start, stop); return the first bad row or -1.

    Args:
        p: (n, K), probabilities of the demands.
        rows: (rows,), the row of p that each result uses, or empty if every row uses its own.
        demand: (K,), the possible demands, increasing.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        tolerance: how far the sum of a row may be from one.
        start: first row to solve.
        stop: row after the last one to solve.
        out: (rows,), written.
    """
    work = np.empty((demand.shape[0] + 1) * NEXT)
    for first in range(start, stop, LANES):
        width = min(LANES, stop - first)
        _load(p, rows, first, width, work)
        bad = _pull(work, width, demand, costs, tolerance)
        if bad >= 0:
            return first + bad
        _order(work, width, demand, costs, out[first : first + width])
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def regrets(p, y, rows_p, rows_y, demand, costs, tolerance, start, stop, out):
    """Write the regret of every row of [start, stop), with both optima solved here; return as `orders`.

    Args:
        p: (n, K), predicted probabilities of the demands.
        y: (n, K), true probabilities of the demands.
        rows_p: (rows,), the row of p that each result uses, or empty if every row uses its own.
        rows_y: (rows,), the row of y that each result uses, or empty if every row uses its own.
        demand: (K,), the possible demands, increasing.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        tolerance: how far the sum of a row may be from one.
        start: first row to solve.
        stop: row after the last one to solve.
        out: (rows,), written.
    """
    work = np.empty((demand.shape[0] + 1) * NEXT)
    z, best, best_cost = np.empty(LANES), np.empty(LANES), np.empty(LANES)
    for first in range(start, stop, LANES):
        width = min(LANES, stop - first)
        _load(p, rows_p, first, width, work)
        bad = _pull(work, width, demand, costs, tolerance)
        if bad >= 0:
            return first + bad
        _order(work, width, demand, costs, z)
        _load(y, rows_y, first, width, work)
        bad = _pull(work, width, demand, costs, tolerance)
        if bad >= 0:
            return first + bad
        _order(work, width, demand, costs, best)
        regret = out[first : first + width]
        _cost(z, work, width, demand, costs, regret)
        _cost(best, work, width, demand, costs, best_cost)
        for lane in range(width):
            regret[lane] -= best_cost[lane]
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def expected_costs(z, p, rows_z, rows_p, demand, costs, tolerance, out):
    """Write the expected cost of every row; return the first bad row or -1.

    Bad are probabilities as in `orders`, a negative or non-finite z, and a cost that is not finite.

    Args:
        z: (n,), the orders.
        p: (n, K), probabilities of the demands.
        rows_z: (rows,), the row of z that each result uses, or empty if every row uses its own.
        rows_p: (rows,), the row of p that each result uses, or empty if every row uses its own.
        demand: (K,), the possible demands, increasing.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        tolerance: how far the sum of a row may be from one.
        out: (rows,), written.
    """
    work, level = np.empty((demand.shape[0] + 1) * NEXT), np.empty(LANES)
    for first in range(0, out.shape[0], LANES):
        width = min(LANES, out.shape[0] - first)
        _load(p, rows_p, first, width, work)
        bad = _pull(work, width, demand, costs, tolerance)
        if bad >= 0:
            return first + bad
        for lane in range(width):
            level[lane] = z[rows_z[first + lane] if rows_z.shape[0] else first + lane]
            if not (0.0 <= level[lane] < np.inf):
                return first + lane
        total = out[first : first + width]
        _cost(level, work, width, demand, costs, total)
        n_bad = 0
        for lane in range(width):
            n_bad += not (total[lane] < np.inf)
        for lane in range(width if n_bad else 0):
            if not (total[lane] < np.inf):
                return first + lane
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def derivatives(p, z, demand, costs, out):
    """Write ∂z/∂p of every row: −(marginal cost of a demand) / curvature, zero on a kink and at zero.

    Args:
        p: (rows, K), probabilities of the demands.
        z: (rows,), the best order for each row of p.
        demand: (K,), the possible demands, increasing.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        out: (rows, K), written.
    """
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
    """Run `orders` on chunks of rows in several threads: the same bits, sooner.

    Args:
        p: (n, K), probabilities of the demands.
        rows: (rows,), the row of p that each result uses, or empty if every row uses its own.
        demand: (K,), the possible demands, increasing.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        tolerance: how far the sum of a row may be from one.
        n_chunks: how many parts the rows are cut into.
        out: (rows,), written.
    """
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
    """Run `regrets` on chunks of rows, as `orders_threaded` does.

    Args:
        p: (n, K), predicted probabilities of the demands.
        y: (n, K), true probabilities of the demands.
        rows_p: (rows,), the row of p that each result uses, or empty if every row uses its own.
        rows_y: (rows,), the row of y that each result uses, or empty if every row uses its own.
        demand: (K,), the possible demands, increasing.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        tolerance: how far the sum of a row may be from one.
        n_chunks: how many parts the rows are cut into.
        out: (rows,), written.
    """
    bad = np.empty(n_chunks, np.int64)
    for chunk in prange(n_chunks):
        start, stop = out.shape[0] * chunk // n_chunks, out.shape[0] * (chunk + 1) // n_chunks
        bad[chunk] = regrets(p, y, rows_p, rows_y, demand, costs, tolerance, start, stop, out)
    for chunk in range(n_chunks):
        if bad[chunk] >= 0:
            return bad[chunk]
    return -1
