"""Cheapest assignments in Numba: column reduction, reduction transfer, row reduction, then augmenting paths.

The steps are those of Jonker and Volgenant (1987), with one short row reduction. Prices v of the columns are
kept; a matching is optimal when every row holds a column where its c − v is least. Reductions assign most
rows and read them once or twice; every row that is left finds the cheapest alternating path to a free column.
A last step is ours: the prices tell all matchings of the same cost, and the first of them is taken.
"""

import numpy as np
from numba import njit, prange

FREE = -1
TIE = 1e-12
"""Closer numbers are equal, relative to the two prices in them and to the largest cost that is paid."""


@njit(cache=True, error_model="numpy", nogil=True)
def _reduce_columns(c, v, column_of, row_of, counts):
    """Price every column at its cheapest row; a row that is cheapest for some takes the first of them."""
    n = c.shape[0]
    for j in range(n):
        v[j] = c[0, j]
        row_of[j] = 0
    for i in range(1, n):
        for j in range(n):
            if c[i, j] < v[j]:
                v[j] = c[i, j]
                row_of[j] = i
    for i in range(n):
        column_of[i] = FREE
        counts[i] = 0
    for j in range(n):
        i = row_of[j]
        counts[i] += 1
        if counts[i] == 1:
            column_of[i] = j
        else:
            row_of[j] = FREE


@njit(cache=True, error_model="numpy", nogil=True)
def _transfer(c, v, column_of, counts, free):
    """Lower the price of a column whose row has no other until the row's next best is as good.

    Return how many rows are free and list them.
    """
    n, n_free = c.shape[0], 0
    for i in range(n):
        if counts[i] == 0:
            free[n_free] = i
            n_free += 1
        elif counts[i] == 1:
            mine, least = column_of[i], np.inf
            for j in range(n):
                slack = c[i, j] - v[j]
                if slack < least and j != mine:
                    least = slack
            if n > 1:
                v[mine] -= least
    return n_free


@njit(cache=True, error_model="numpy", nogil=True)
def _two_least(c, v, i):
    """Return the least c − v of row i, its column, the second least and its column."""
    least, second = np.inf, np.inf
    j_least, j_second = 0, 0
    for j in range(c.shape[0]):
        slack = c[i, j] - v[j]
        if slack < second:
            if slack < least:
                second, j_second = least, j_least
                least, j_least = slack, j
            else:
                second, j_second = slack, j
    return least, j_least, second, j_second


@njit(cache=True, error_model="numpy", nogil=True)
def _reduce_rows(c, v, column_of, row_of, free, n_free):
    """Give free rows their best column, at a price that leaves the second best as good; return who is left.

    A row that loses its column is left to an augmenting path at once: another try costs more than it saves,
    and rows that want the same columns could lower prices by next to nothing for ever.
    """
    n_left = 0
    for k in range(n_free):
        i = free[k]
        least, j, second, j_second = _two_least(c, v, i)
        loser = row_of[j]
        if second > least:
            v[j] -= second - least
        elif loser != FREE:
            j = j_second
            loser = row_of[j]
        column_of[i], row_of[j] = j, i
        if loser != FREE:
            column_of[loser] = FREE
            free[n_left] = loser
            n_left += 1
    return n_left


# fastmath: without "nnan" and "nsz" a least number is not searched for in vector registers. Costs are checked
# to be finite before; infinity is kept.
@njit(cache=True, error_model="numpy", nogil=True, fastmath={"nnan", "nsz"})
def _least(values):
    least = np.inf
    for j in range(values.shape[0]):
        least = min(least, values[j])
    return least


@njit(cache=True, error_model="numpy", nogil=True)
def _nearest(reach, row_of):
    """Return the least distance and its column, a free one if there is, of equal ones the first."""
    least, nearest = _least(reach), FREE
    for j in range(reach.shape[0]):
        if reach[j] == least:
            if row_of[j] == FREE:
                return least, j
            if nearest == FREE:
                nearest = j
    return least, nearest


@njit(cache=True, error_model="numpy", nogil=True)
def _scan(c, i, slack, price, reach, through):
    for j in range(reach.shape[0]):
        distance = c[i, j] - price[j] - slack
        closer = distance < reach[j]
        reach[j] = distance if closer else reach[j]
        through[j] = i if closer else through[j]


@njit(cache=True, error_model="numpy", nogil=True)
def _augment(c, v, column_of, row_of, start, price, reach, through, scanned, at):
    """Assign row start by the cheapest alternating path to a free column, and update the prices on the way.

    A scanned column is at infinite distance and has the price −∞, so that no later scan brings it closer.
    """
    n, n_scanned = c.shape[0], 0
    for j in range(n):
        price[j], reach[j] = v[j], np.inf
    _scan(c, start, 0.0, price, reach, through)
    while True:
        least, end = _nearest(reach, row_of)
        i = row_of[end]
        if i == FREE:
            break
        scanned[n_scanned], at[n_scanned] = end, least
        n_scanned += 1
        price[end], reach[end] = -np.inf, np.inf
        _scan(c, i, c[i, end] - v[end] - least, price, reach, through)
    for k in range(n_scanned):
        v[scanned[k]] += at[k] - least
    while True:
        i = through[end]
        row_of[end] = i
        end, column_of[i] = column_of[i], end
        if i == start:
            return


@njit(cache=True, error_model="numpy", nogil=True)
def _list_equals(c, v, column_of, upper, begin, equals):
    """List for every row the columns where its c − v is least: equals[begin[i] : begin[i + 1]], rising.

    The cheapest matchings are those in which every row has one of these columns, whatever the prices.
    """
    n, n_equals, paid = c.shape[0], 0, 0.0
    for j in range(n):
        upper[j] = v[j] + TIE * abs(v[j])
        paid = max(paid, abs(c[j, column_of[j]]))
    for i in range(n):
        begin[i] = n_equals
        least = c[i, column_of[i]] - v[column_of[i]]
        bar = least + TIE * (abs(least) + paid)
        for j in range(n):
            # Written always, counted if equal: a branch here would cost more than all the rest of this step.
            equals[n_equals] = j
            n_equals += c[i, j] - upper[j] <= bar
    begin[n] = n_equals


@njit(cache=True, error_model="numpy", nogil=True)
def _find_way(row_of, begin, equals, i, start, seen, queue, before):
    """Return a row that can take the column of row i when row start must give up its own, or FREE.

    Between them are rows after i, each of which can take the column of the next; before leads back to start.
    Rows that were seen for the same i lead nowhere.
    """
    n_done, n_queued = 0, 1
    queue[0], seen[start], before[start] = start, i, FREE
    while n_done < n_queued:
        row = queue[n_done]
        n_done += 1
        for k in range(begin[row], begin[row + 1]):
            owner = row_of[equals[k]]
            if owner == i:
                return row
            if owner > i and seen[owner] != i:
                seen[owner], before[owner] = i, row
                queue[n_queued] = owner
                n_queued += 1
    return FREE


@njit(cache=True, error_model="numpy", nogil=True)
def _take_first(column_of, row_of, begin, equals, seen, queue, before):
    """Change to the first of the cheapest matchings: row after row takes the lowest column it can have."""
    n = column_of.shape[0]
    for i in range(n):
        seen[i] = FREE
    for i in range(n):
        for k in range(begin[i], begin[i + 1]):
            j, mine = equals[k], column_of[i]
            if j >= mine:
                break
            owner = row_of[j]
            if owner < i or seen[owner] == i:
                continue
            row = _find_way(row_of, begin, equals, i, owner, seen, queue, before)
            if row == FREE:
                continue
            while row != FREE:
                row_of[mine] = row
                mine, column_of[row] = column_of[row], mine
                row = before[row]
            column_of[i], row_of[j] = j, i
            break


# fastmath: "reassoc" lets the sum run in vector registers. NaN and infinity are kept: they are looked for.
@njit(cache=True, error_model="numpy", nogil=True, fastmath={"reassoc"})
def _mass(values):
    total = 0.0
    for k in range(values.shape[0]):
        total += abs(values[k])
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def matchings(costs, limit, start, stop, columns):
    """Write the column of every row of the instances [start, stop).

    Return the first instance whose costs are not finite or add up to limit or more, or -1.

    Args:
        costs: (instances, n, n), one row and one column for each item.
        limit: the costs of an instance must add up to less, in absolute value.
        start: first instance to solve.
        stop: instance after the last one to solve.
        columns: (instances, n), written: the column of each row.
    """
    n = costs.shape[1]
    v, price, reach, at = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    row_of, counts, free = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    through, scanned = np.empty(n, np.int64), np.empty(n, np.int64)
    begin, equals = np.empty(n + 1, np.int64), np.empty(n * n + 1, np.int64)
    for instance in range(start, stop):
        c, column_of = costs[instance], columns[instance]
        if not _mass(c.reshape(-1)) < limit:
            return instance
        _reduce_columns(c, v, column_of, row_of, counts)
        n_free = _transfer(c, v, column_of, counts, free)
        n_free = _reduce_rows(c, v, column_of, row_of, free, n_free)
        for k in range(n_free):
            _augment(c, v, column_of, row_of, free[k], price, reach, through, scanned, at)
        _list_equals(c, v, column_of, price, begin, equals)
        _take_first(column_of, row_of, begin, equals, counts, scanned, through)
    return -1


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def matchings_threaded(costs, limit, n_chunks, columns):
    """Run `matchings` on chunks of instances, one chunk per thread at a time: the same bits, sooner.

    Args:
        costs: (instances, n, n), one row and one column for each item.
        limit: the costs of an instance must add up to less, in absolute value.
        n_chunks: how many parts the instances are cut into.
        columns: (instances, n), written: the column of each row.
    """
    bad, n_rows = np.empty(n_chunks, np.int64), columns.shape[0]
    for chunk in prange(n_chunks):
        start, stop = n_rows * chunk // n_chunks, n_rows * (chunk + 1) // n_chunks
        bad[chunk] = matchings(costs, limit, start, stop, columns)
    for chunk in range(n_chunks):
        if bad[chunk] >= 0:
            return bad[chunk]
    return -1
