"""Shortest paths in Numba: LANES rows of the batch in step, so that inner loops run over rows and vectorise.

Slices and calls inside these loops would cost more than the sums: every loop reads its arrays by index.
Arcs of one grid row, from its start: width − 1 to the right, then width down. The cost still to pay is
computed from the last node backwards, one grid row after the other; the paths are walked from the first node.
A sum never grows when one of its terms shrinks, in floating point too: no path costs less than the optimum
found here, as long as its arcs are added from the last one backwards.
"""

import numpy as np
from numba import njit, prange

LANES = 64  # loops over fewer rows are unrolled before they are vectorised, and gain nothing


@njit(cache=True, error_model="numpy", nogil=True)
def _row(rows, i):
    """Follow a row map of `broadcast_rows`; an empty one means that every row is its own."""
    return rows[i] if rows.shape[0] else i


# fastmath: "reassoc" lets the sum run in vector registers. NaN and infinity are kept: they are looked for.
@njit(cache=True, error_model="numpy", nogil=True, fastmath={"reassoc"})
def _mass(costs):
    total = 0.0
    for k in range(costs.shape[0]):
        total += abs(costs[k])
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def _first_bad(costs, rows, first, count):
    """Return the first of count rows with a cost, or a sum of costs, that is not finite, else -1.

    Reading all arcs in order also brings them into the cache, before they are read across.
    """
    if rows.shape[0] == 0 and _mass(costs[first : first + count].reshape(-1)) < np.inf:
        return -1
    for row in range(first, first + count):
        if not _mass(costs[_row(rows, row)]) < np.inf:
            return row
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def _border(costs, arc, is_last, sign, to_go):
    """Update the costs to go where there is one way only: the last column, or all of the last grid row."""
    last = to_go.shape[0] - 1
    if is_last:
        for lane in range(LANES):
            to_go[last, lane] = 0.0
        for j in range(last - 1, -1, -1):
            for lane in range(LANES):
                to_go[j, lane] = sign * costs[lane, arc + j] + to_go[j + 1, lane]
    else:
        for lane in range(LANES):
            to_go[last, lane] = sign * costs[lane, arc + 2 * last] + to_go[last, lane]


@njit(cache=True, error_model="numpy", nogil=True)
def _choose(costs, arc, is_last, sign, to_go, down, slot):
    """Turn the costs to go of the grid row below into those of this one; note who goes down, from slot on."""
    last = to_go.shape[0] - 1
    _border(costs, arc, is_last, sign, to_go)
    if is_last:
        return
    for j in range(last - 1, -1, -1):
        for lane in range(LANES):
            by_right = sign * costs[lane, arc + j] + to_go[j + 1, lane]
            by_down = sign * costs[lane, arc + last + j] + to_go[j, lane]
            down[slot + j, lane] = by_down < by_right
            to_go[j, lane] = by_down if by_down < by_right else by_right


@njit(cache=True, error_model="numpy", nogil=True)
def _follow(costs, arc, is_last, paid, down):
    """As `_choose`, the same sums in the same order, for ways that were chosen before."""
    last = paid.shape[0] - 1
    _border(costs, arc, is_last, 1.0, paid)
    if is_last:
        return
    for j in range(last - 1, -1, -1):
        for lane in range(LANES):
            by_right = costs[lane, arc + j] + paid[j + 1, lane]
            by_down = costs[lane, arc + last + j] + paid[j, lane]
            paid[j, lane] = by_down if down[j, lane] else by_right


@njit(cache=True, error_model="numpy", nogil=True)
def _block(costs, rows, first, count, spare):
    """Return LANES rows from first on: a view, or spare filled with them where they are mapped or too few."""
    if rows.shape[0] == 0 and count == LANES:
        return costs[first : first + LANES]
    for lane in range(count):
        spare[lane] = costs[_row(rows, first + lane)]
    return spare


@njit(cache=True, error_model="numpy", nogil=True)
def _walk(down, width, n_steps, out):
    """Write the 0/1 arcs of every row from where its path goes down.

    The state is the number of the arc to the right; the arc down comes `width − 1` later, and the next grid
    row starts twice as far. Unsigned numbers, because signed ones would be checked for counting from the end.
    """
    flat = out.reshape(-1)
    for k in range(flat.shape[0]):
        flat[k] = 0.0
    n_arcs, one, reach = np.uint64(out.shape[1]), np.uint64(1), np.uint64(width - 1)
    for lane in range(np.uint64(out.shape[0])):
        start, at = n_arcs * np.uint64(lane), np.uint64(0)
        for _ in range(n_steps):
            skip = reach * np.uint64(down[at, lane])
            flat[start + at + skip] = 1.0
            at += one + skip + skip


@njit(cache=True, error_model="numpy", nogil=True)
def paths(costs, height, width, sign, start, stop, out):
    """Write the path of each row of [start, stop), the longest for sign -1; return a bad row or -1.

    Args:
        costs: (rows, arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
        sign: 1 for the shortest path, -1 for the longest.
        start: first row to solve.
        stop: row after the last one to solve.
        out: (rows, arcs), written: zeros and ones.
    """
    stride, own = 2 * width - 1, np.empty(0, np.int64)
    to_go, spare = np.empty((width, LANES)), np.zeros((LANES, costs.shape[1]))
    down = np.zeros((height * stride, LANES), np.uint8)
    for i in range(height - 1):
        down[i * stride + width - 1] = 1
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        bad = _first_bad(costs, own, first, count)
        if bad >= 0:
            return bad
        block = _block(costs, own, first, count, spare)
        for i in range(height - 1, -1, -1):
            _choose(block, i * stride, i == height - 1, sign, to_go, down, i * stride)
        _walk(down, width, height + width - 2, out[first : first + count])
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def optima(costs, height, width, start, stop, out):
    """Write the cost of the shortest path of every row of [start, stop); return as `paths`.

    Args:
        costs: (rows, arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
        start: first row to solve.
        stop: row after the last one to solve.
        out: (rows,), written.
    """
    stride, own = 2 * width - 1, np.empty(0, np.int64)
    to_go, spare = np.empty((width, LANES)), np.zeros((LANES, costs.shape[1]))
    unused = np.empty((width, LANES), np.uint8)
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        bad = _first_bad(costs, own, first, count)
        if bad >= 0:
            return bad
        block = _block(costs, own, first, count, spare)
        for i in range(height - 1, -1, -1):
            _choose(block, i * stride, i == height - 1, 1.0, to_go, unused, 0)
        out[first : first + count] = to_go[0, :count]
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def regrets(costs_hat, costs, rows_hat, rows, height, width, start, stop, out):
    """Write what the path of costs_hat pays under costs beyond the optimum; return as `paths`.

    Args:
        costs_hat: (n, arcs), predicted costs.
        costs: (n, arcs), true costs.
        rows_hat: (rows,), the row of costs_hat that each result uses, or empty if every row uses its own.
        rows: (rows,), the row of costs that each result uses, or empty if every row uses its own.
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
        start: first row to solve.
        stop: row after the last one to solve.
        out: (rows,), written.
    """
    stride, n_arcs = 2 * width - 1, costs.shape[1]
    to_go, paid, best = np.empty((width, LANES)), np.empty((width, LANES)), np.empty((width, LANES))
    down, unused = np.empty((width, LANES), np.uint8), np.empty((width, LANES), np.uint8)
    spare_hat, spare = np.zeros((LANES, n_arcs)), np.zeros((LANES, n_arcs))
    for first in range(start, stop, LANES):
        count = min(LANES, stop - first)
        bad = max(_first_bad(costs_hat, rows_hat, first, count), _first_bad(costs, rows, first, count))
        if bad >= 0:
            return bad
        block_hat = _block(costs_hat, rows_hat, first, count, spare_hat)
        block = _block(costs, rows, first, count, spare)
        for i in range(height - 1, -1, -1):
            arc, is_last = i * stride, i == height - 1
            _choose(block_hat, arc, is_last, 1.0, to_go, down, 0)
            _follow(block, arc, is_last, paid, down)
            _choose(block, arc, is_last, 1.0, best, unused, 0)
        for lane in range(count):
            out[first + lane] = paid[0, lane] - best[0, lane]
    return -1


@njit(cache=True, error_model="numpy", nogil=True)
def payments(path, costs, rows_path, rows, out):
    """Write Σ path × costs of every row, from the last arc backwards: on a path, the sum of `optima`.

    Args:
        path: (n, arcs), the share of each arc; zeros and ones on a path.
        costs: (n, arcs), what each arc costs.
        rows_path: (rows,), the row of path that each result uses, or empty if every row uses its own.
        rows: (rows,), the row of costs that each result uses, or empty if every row uses its own.
        out: (rows,), written.
    """
    for row in range(out.shape[0]):
        share, price = path[_row(rows_path, row)], costs[_row(rows, row)]
        total = 0.0
        for k in range(share.shape[0] - 1, -1, -1):
            total += share[k] * price[k]
        out[row] = total


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def paths_threaded(costs, height, width, sign, n_chunks, out):
    """Run `paths` on chunks of rows, one chunk per thread at a time: the same bits, sooner.

    Args:
        costs: (rows, arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
        sign: 1 for the shortest path, -1 for the longest.
        n_chunks: how many parts the rows are cut into.
        out: (rows, arcs), written: zeros and ones.
    """
    bad, n_rows = np.empty(n_chunks, np.int64), out.shape[0]
    for chunk in prange(n_chunks):
        start, stop = n_rows * chunk // n_chunks, n_rows * (chunk + 1) // n_chunks
        bad[chunk] = paths(costs, height, width, sign, start, stop, out)
    for chunk in range(n_chunks):
        if bad[chunk] >= 0:
            return bad[chunk]
    return -1


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def regrets_threaded(costs_hat, costs, rows_hat, rows, height, width, n_chunks, out):
    """Run `regrets` on chunks of rows, as `paths_threaded` does.

    Args:
        costs_hat: (n, arcs), predicted costs.
        costs: (n, arcs), true costs.
        rows_hat: (rows,), the row of costs_hat that each result uses, or empty if every row uses its own.
        rows: (rows,), the row of costs that each result uses, or empty if every row uses its own.
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
        n_chunks: how many parts the rows are cut into.
        out: (rows,), written.
    """
    bad, n_rows = np.empty(n_chunks, np.int64), out.shape[0]
    for chunk in prange(n_chunks):
        start, stop = n_rows * chunk // n_chunks, n_rows * (chunk + 1) // n_chunks
        bad[chunk] = regrets(costs_hat, costs, rows_hat, rows, height, width, start, stop, out)
    for chunk in range(n_chunks):
        if bad[chunk] >= 0:
            return bad[chunk]
    return -1
