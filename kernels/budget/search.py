"""Greedy choice and exact branch and bound for budget instances with too many subsets to enumerate.

The tree is walked in lexicographic order, so the first of equal subsets wins, as in the enumeration.
Two bounds on what r further websites of index ≥ c can add cut the tree:
user by user, as if every user met the r best rates left (one table per instance, one dot product per node);
website by website, the sum of the r largest gains, since gains only shrink as a subset grows.
For the worst subset the first bound holds with the r smallest rates; the second has no counterpart.

Arguments are those of `compiled`; nodes (rows,) counts the visited nodes.
"""

import numpy as np
from numba import njit

TIE = 1e-12


# Three functions of `compiled` again: Numba's cache does not notice edits of a callee in another file.
@njit(cache=True, error_model="numpy", nogil=True)
def _row(rows, i):
    """Follow a row map of `broadcast_rows`; an empty one means that every row stands for itself."""
    return rows[i] if rows.shape[0] else i


@njit(cache=True, error_model="numpy", nogil=True, fastmath={"reassoc", "contract"})
def _gain(missed, rates):
    total = 0.0
    for u in range(rates.shape[0]):
        total += missed[u] * rates[u]
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def _miss(missed, rates, out):
    for u in range(rates.shape[0]):
        out[u] = missed[u] * (1.0 - rates[u])


@njit(cache=True, error_model="numpy", nogil=True)
def _greedy_one(rates, sign, missed, chosen):
    """Add the website with the largest sign × gain, the first of equal ones; write them ascending."""
    free = np.ones(rates.shape[0], np.bool_)
    value = 0.0
    for _ in range(chosen.shape[0]):
        best, gain = -1, 0.0
        for site in range(rates.shape[0]):
            if free[site]:
                candidate = _gain(missed, rates[site])
                if best < 0 or sign * candidate > sign * gain + TIE * gain:
                    best, gain = site, candidate
        free[best] = False
        value += gain
        _miss(missed, rates[best], missed)
    position = 0
    for site in range(rates.shape[0]):
        if not free[site]:
            chosen[position] = site
            position += 1
    return value


@njit(cache=True, error_model="numpy", nogil=True)
def greedy_subsets(ctr, weights, rows_ctr, rows_weights, chosen, values):
    """Write the greedy subset of every row and its value, at least 1 − 1/e of the best.

    Args:
        ctr: (n, W, U), click rates.
        weights: (n, U), user weights.
        rows_ctr: (rows,), the row of ctr that each result uses, or empty if every row uses its own.
        rows_weights: (rows,), the row of weights that each result uses, or empty if every row uses its own.
        chosen: (rows, B), written: the websites, ascending.
        values: (rows,), written: the value of each subset.
    """
    missed = np.empty(ctr.shape[2])
    for row in range(values.shape[0]):
        missed[:] = weights[_row(rows_weights, row)]
        values[row] = _greedy_one(ctr[_row(rows_ctr, row)], 1.0, missed, chosen[row])


@njit(cache=True, error_model="numpy", nogil=True)
def _tabulate(rates, sign, size, reach):
    """Fill reach[c, r, u]: chance that the r most (sign -1: least) promising websites ≥ c reach user u."""
    n_sites, n_users = rates.shape
    extreme = np.empty(size)
    for u in range(n_users):
        extreme[:] = 0.0 if sign > 0.0 else 1.0
        for site in range(n_sites - 1, -1, -1):
            entering = rates[site, u]
            missed = 1.0
            for r in range(size):
                if sign * entering > sign * extreme[r]:
                    entering, extreme[r] = extreme[r], entering
                missed *= 1.0 - extreme[r]
                reach[site, r + 1, u] = 1.0 - missed


@njit(cache=True, error_model="numpy", nogil=True)
def _bound_children(rates, missed, first, left, largest, bounds):
    """Fill bounds[w]: gain of website w plus the left - 1 largest gains behind it, for w ≥ first."""
    largest[:] = 0.0
    behind = 0.0
    for site in range(rates.shape[0] - 1, first - 1, -1):
        gain = _gain(missed, rates[site])
        bounds[site] = gain + behind
        for r in range(left - 1):
            if gain > largest[r]:
                gain, largest[r] = largest[r], gain
        behind = 0.0
        for r in range(left - 1):
            behind += largest[r]


@njit(cache=True, error_model="numpy", nogil=True)
def _search_one(rates, weights, sign, node_limit, reach, missed, bounds, best_choice):
    """Return (value, nodes) of the first best subset; more nodes than the limit mean: not proven."""
    n_sites, size = rates.shape[0], best_choice.shape[0]
    choice, reached, largest = np.empty(size, np.int64), np.zeros(size), np.empty(size)
    _tabulate(rates, sign, size, reach)
    missed[0] = weights
    best = _greedy_one(rates, sign, missed[0], best_choice)
    missed[0] = weights
    bar = sign * best - TIE * best  # the greedy subset itself, or an equal one before it, must pass once
    bounds[0] = np.inf
    if sign > 0.0:
        _bound_children(rates, missed[0], 0, size, largest, bounds[0])
    n_nodes, depth, site = 0, 0, 0
    while n_nodes <= node_limit:
        if depth == size - 1:
            for last in range(site, n_sites):
                value = reached[depth] + _gain(missed[depth], rates[last])
                if sign * value > bar:
                    best, bar = value, sign * value + TIE * value
                    choice[depth] = last
                    best_choice[:] = choice
        elif site <= n_sites - size + depth:
            left = size - depth - 1
            if sign < 0.0 or reached[depth] + bounds[depth, site] > bar:
                n_nodes += 1
                choice[depth] = site
                value = reached[depth] + _gain(missed[depth], rates[site])
                reached[depth + 1] = value
                _miss(missed[depth], rates[site], missed[depth + 1])
                if sign * (value + _gain(missed[depth + 1], reach[site + 1, left])) > bar:
                    depth, site = depth + 1, site + 1
                    if sign > 0.0 and left > 1:
                        _bound_children(rates, missed[depth], site, left, largest, bounds[depth])
                    continue
            site += 1
            continue
        depth -= 1
        if depth < 0:
            break
        site = choice[depth] + 1
    return best, n_nodes


@njit(cache=True, error_model="numpy", nogil=True)
def search_subsets(ctr, weights, rows_ctr, rows_weights, sign, node_limit, chosen, values, nodes):
    """Write the best (sign 1) or worst (sign -1) subset of every row, its value and the nodes visited.

    Args:
        ctr: (n, W, U), click rates.
        weights: (n, U), user weights.
        rows_ctr: (rows,), the row of ctr that each result uses, or empty if every row uses its own.
        rows_weights: (rows,), the row of weights that each result uses, or empty if every row uses its own.
        sign: 1 for the best subset, -1 for the worst.
        node_limit: the search of a row stops when it has visited more nodes.
        chosen: (rows, B), written: the websites, ascending.
        values: (rows,), written: the value of each subset.
        nodes: (rows,), written: the nodes visited; more than node_limit means: not proven best.
    """
    _, n_sites, n_users = ctr.shape
    size = chosen.shape[1]
    reach = np.empty((n_sites, size + 1, n_users))
    missed, bounds = np.empty((size, n_users)), np.empty((size, n_sites))
    for row in range(values.shape[0]):
        values[row], nodes[row] = _search_one(
            ctr[_row(rows_ctr, row)],
            weights[_row(rows_weights, row)],
            sign,
            node_limit,
            reach,
            missed,
            bounds,
            chosen[row],
        )
