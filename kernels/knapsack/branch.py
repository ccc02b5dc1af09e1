"""Exact branch and bound, any number of dimensions.

With prices λ ≥ 0 of the capacities c (those of the linear relaxation), item j is worth r_j = v_j − λᵀw_j, and
no decision exceeds λᵀc + Σ_j max(0, r_j). A decision that does not follow the sign of r_j loses |r_j| of this
bound: items whose |r_j| exceeds the distance to a known decision are settled, the others are the core.
The core is searched twice. First with the largest |r_j| on top, for the best value. Then in the order of the
items, taking before leaving, for the first decision that has this value: that decides ties.
Every node is bounded with a few multiples of λ, because capacities get cheaper or dearer on the way down.

Values and weights are rounded so that their sums are exact. Only bounds suffer rounding; a margin covers it.
"""

import numpy as np
from numba import njit, prange

MULTIPLES = np.array([1.0, 0.7, 1.4])


@njit(cache=True, error_model="numpy", nogil=True)
def _worth(values, loads, prices, item):
    worth = values[item]
    for k in range(prices.shape[0]):
        worth -= prices[k] * loads[item, k]
    return worth


@njit(cache=True, error_model="numpy", nogil=True)
def _bound(values, loads, room, prices, worth):
    """Fill every item's worth; return the bound on all decisions and the margin for rounding in any bound."""
    bound = (prices * room).sum()
    size = bound
    for item in range(values.shape[0]):
        worth[item] = _worth(values, loads, prices, item)
        if values[item] > 0.0:
            bound += max(0.0, worth[item])
            size += 2.0 * values[item] - worth[item]
    # Every bound adds fewer than n + 4 d + 4 terms, of total size below twice `size`.
    n_terms = values.shape[0] + 4 * room.shape[0] + 4
    return bound, 4.0 * np.finfo(np.float64).eps * n_terms * size


@njit(cache=True, error_model="numpy", nogil=True)
def _fits(loads, item, left):
    for k in range(left.shape[0]):
        if loads[item, k] > left[k]:
            return False
    return True


@njit(cache=True, error_model="numpy", nogil=True)
def _sort(order, worth, by_size):
    """Sort items by decreasing worth, or by its size, by insertion: they are few."""
    for i in range(1, order.shape[0]):
        item = order[i]
        key = abs(worth[item]) if by_size else worth[item]
        while i > 0 and key > (abs(worth[order[i - 1]]) if by_size else worth[order[i - 1]]):
            order[i] = order[i - 1]
            i -= 1
        order[i] = item


@njit(cache=True, error_model="numpy", nogil=True)
def _greedy(values, loads, worth, order, left):
    """Return the value of taking whatever fits what is left, by decreasing worth."""
    n_useful, value = 0, 0.0
    for item in range(values.shape[0]):
        if values[item] > 0.0:
            order[n_useful] = item
            n_useful += 1
    _sort(order[:n_useful], worth, False)
    for item in order[:n_useful]:
        if _fits(loads, item, left):
            value += values[item]
            for k in range(left.shape[0]):
                left[k] -= loads[item, k]
    return value


@njit(cache=True, error_model="numpy", nogil=True)
def _settle(values, loads, worth, distance, order, left, items):
    """Decide the items whose worth exceeds the distance; return the number of others and the value so far."""
    n_core, value = 0, 0.0
    for item in range(values.shape[0]):
        items[item] = 0.0
        if values[item] > 0.0:
            if abs(worth[item]) <= distance:
                order[n_core] = item
                n_core += 1
            elif worth[item] > 0.0:
                items[item] = 1.0
                value += values[item]
                for k in range(left.shape[0]):
                    left[k] -= loads[item, k]
    return n_core, value


@njit(cache=True, error_model="numpy", nogil=True)
def _tabulate(values, loads, prices, order, n_core, hope):
    """Fill hope[q, i]: what the core items from position i on are worth at most, at the q-th prices."""
    for q in range(prices.shape[0]):
        hope[q, n_core] = 0.0
        for i in range(n_core - 1, -1, -1):
            hope[q, i] = hope[q, i + 1] + max(0.0, _worth(values, loads, prices[q], order[i]))


@njit(cache=True, error_model="numpy", nogil=True)
def _can_reach(needed, left, prices, hope, depth):
    for q in range(prices.shape[0]):
        bound = hope[q, depth]
        for k in range(left.shape[0]):
            bound += prices[q, k] * left[k]
        if bound < needed:
            return False
    return True


@njit(cache=True, error_model="numpy", nogil=True)
def _above(value, whole):
    """Return the least that a better decision can have."""
    return max(value + 1.0 if whole else value, np.nextafter(value, np.inf))


@njit(cache=True, error_model="numpy", nogil=True)
def _search(values, loads, prices, margin, whole, target, find_first, core, n_left, items):
    """Search the core for a decision of value ≥ target and then, unless find_first, for better ones.

    `leading` says which branch of an item comes first, `tried` how many of its branches were visited.

    Returns:
        The best value found, or -inf, and how many nodes are left. With find_first, items holds the decision.
    """
    order, leading, tried, left, reached, hope = core
    n_core = order.shape[0]
    best, depth = -np.inf, 0
    tried[0] = 0
    while n_left > 0:
        if tried[depth] == 0 and reached[depth] >= target:
            best = reached[depth]
            if find_first:
                for i in range(depth):
                    items[order[i]] = 1.0 if leading[i] == (tried[i] == 1) else 0.0
                break
            target = _above(best, whole)
        if depth == n_core or tried[depth] == 2:
            depth -= 1
            if depth < 0:
                break
            continue
        item = order[depth]
        taken = leading[depth] == (tried[depth] == 0)
        tried[depth] += 1
        n_left -= 1
        if taken and not _fits(loads, item, left[depth]):
            continue
        for k in range(left.shape[1]):
            left[depth + 1, k] = left[depth, k] - (loads[item, k] if taken else 0.0)
        reached[depth + 1] = reached[depth] + (values[item] if taken else 0.0)
        needed = target - reached[depth + 1] - margin
        if _can_reach(needed, left[depth + 1], prices, hope, depth + 1):
            depth += 1
            tried[depth] = 0
    return best, n_left


@njit(cache=True, error_model="numpy", nogil=True)
def _is_whole(values):
    for value in values:
        if value > 0.0 and value != np.rint(value):
            return False
    return True


@njit(cache=True, error_model="numpy", nogil=True)
def _solve_one(values, loads, room, prices, worth, core, n_left, items):
    """Write the best items of a row; return the nodes left, 0 if they did not suffice."""
    order, leading, tried, left, reached, hope = core
    bound, margin = _bound(values, loads, room, prices[0], worth)
    whole = _is_whole(values)
    left[0] = room
    best = _greedy(values, loads, worth, order, left[0])
    for find_first in (False, True):
        target = best if find_first else _above(best, whole)
        left[0] = room
        n_core, reached[0] = _settle(values, loads, worth, bound - target + margin, order, left[0], items)
        if left[0].min() < 0.0:
            continue  # what any better decision must take does not fit: there is none
        if not find_first:
            _sort(order[:n_core], worth, True)
        for i in range(n_core):
            leading[i] = find_first or worth[order[i]] > 0.0
        _tabulate(values, loads, prices, order, n_core, hope)
        part = (order[:n_core], leading, tried, left, reached, hope)
        found, n_left = _search(values, loads, prices, margin, whole, target, find_first, part, n_left, items)
        best = max(best, found)
    return n_left


@njit(cache=True, error_model="numpy", nogil=True)
def search_rows(values, prices, loads, room, node_limit, start, stop, items, nodes):
    """Write the best 0/1 items of every row of [start, stop) and the nodes visited.

    Args:
        values: (rows, n), rounded, -inf for what is never taken.
        prices: (rows, d), non-negative; better ones make the search shorter.
        loads: (n, d), the weights of every item.
        room: (d,), the capacities.
        node_limit: the search of a row stops there; nodes == node_limit means that the row is unsolved.
        start: first row.
        stop: row after the last.
        items: (rows, n), written.
        nodes: (rows,), written.
    """
    n_items, n_dims = loads.shape
    worth, several = np.empty(n_items), np.empty((MULTIPLES.shape[0], n_dims))
    core = (
        np.empty(n_items, np.int64),
        np.empty(n_items, np.bool_),
        np.empty(n_items + 1, np.int64),
        np.empty((n_items + 1, n_dims)),
        np.empty(n_items + 1),
        np.empty((MULTIPLES.shape[0], n_items + 1)),
    )
    for row in range(start, stop):
        for q in range(MULTIPLES.shape[0]):
            several[q] = MULTIPLES[q] * prices[row]
        n_left = _solve_one(values[row], loads, room, several, worth, core, node_limit, items[row])
        nodes[row] = node_limit - n_left


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def search_rows_threaded(values, prices, loads, room, node_limit, n_chunks, items, nodes):
    """Run `search_rows` on chunks of rows: the same bits, sooner.

    Args:
        values: (rows, n), rounded, -inf for what is never taken.
        prices: (rows, d), non-negative; better ones make the search shorter.
        loads: (n, d), the weights of every item.
        room: (d,), the capacities.
        node_limit: the search of a row stops there; nodes == node_limit means that the row is unsolved.
        n_chunks: how many parts the rows are cut into.
        items: (rows, n), written.
        nodes: (rows,), written.
    """
    n_rows = values.shape[0]
    for chunk in prange(n_chunks):
        start, stop = n_rows * chunk // n_chunks, n_rows * (chunk + 1) // n_chunks
        search_rows(values, prices, loads, room, node_limit, start, stop, items, nodes)
