"""The extreme or greedy subset of every row of a NumPy batch: which kernel to run, in how many threads."""

import math
from typing import NamedTuple

import numpy as np

from .._shared.arrays import broadcast_rows
from .._shared.threads import n_chunks
from ..errors import SolverError
from . import compiled, search

ENUMERATION_LIMIT = 200_000
"""Up to this many subsets are enumerated; more are searched by branch and bound."""
NODE_LIMIT = 20_000_000
"""Branch and bound gives up on an instance after this many nodes, about two seconds at 10 users."""

# In subsets of all rows. Two threads on two busy cores are nine times slower at 100,000 and equal from
# 4 million on.
_THREADED_FROM = 5_000_000


class Subsets(NamedTuple):
    """The chosen subsets: shape is the broadcast leading shape, of `rows` flat rows."""

    shape: tuple[int, ...]
    chosen: np.ndarray  # ascending websites, (rows, B)
    values: np.ndarray  # (rows,)
    method: str


def choose(rates: np.ndarray, users: np.ndarray, size: int, sign: float, method: str) -> Subsets:
    """Return one subset for every row.

    Args:
        rates: checked click rates (..., W, U).
        users: checked user weights (..., U).
        size: B, how many websites a subset has.
        sign: 1 for the largest value, -1 for the smallest; not used by the greedy method.
        method: "exact" or "greedy".
    """
    shape, (rows_ctr, rows_users) = broadcast_rows(ctr=rates.shape[:-2], weights=users.shape[:-1])
    y, w = flat(rates, users)
    values = np.empty(math.prod(shape))
    chosen = np.empty((len(values), size), np.int64)
    n_subsets = math.comb(rates.shape[-2], size)
    if method == "greedy":
        search.greedy_subsets(y, w, rows_ctr, rows_users, chosen, values)
        return Subsets(shape, chosen, values, "greedy")
    if n_subsets > ENUMERATION_LIMIT:
        nodes = np.empty(len(values), np.int64)
        search.search_subsets(y, w, rows_ctr, rows_users, sign, NODE_LIMIT, chosen, values, nodes)
        _require_solved(nodes, shape)
        return Subsets(shape, chosen, values, "branch-and-bound")
    if (chunks := n_chunks(len(values) * n_subsets, _THREADED_FROM)) > 1:
        compiled.enumerate_subsets_threaded(y, w, rows_ctr, rows_users, sign, chunks, chosen, values)
    else:
        compiled.enumerate_subsets(y, w, rows_ctr, rows_users, sign, 0, len(values), chosen, values)
    return Subsets(shape, chosen, values, "enumeration")


def flat(rates: np.ndarray, users: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return rates (rows, W, U) and users (rows, U), each with its own number of rows."""
    # Counted, not -1: NumPy cannot infer the number of rows where there are no users.
    n_rates, n_users = math.prod(rates.shape[:-2]), math.prod(users.shape[:-1])
    return rates.reshape(n_rates, *rates.shape[-2:]), users.reshape(n_users, users.shape[-1])


def _require_solved(nodes: np.ndarray, shape: tuple[int, ...]) -> None:
    unsolved = np.flatnonzero(nodes > NODE_LIMIT)
    if unsolved.size:
        rows = ", ".join(str(tuple(map(int, np.unravel_index(row, shape)))) for row in unsolved[:5])
        raise SolverError(
            f"branch and bound stopped after {NODE_LIMIT} nodes on {unsolved.size} of {nodes.size} instances "
            f"(rows {rows}{', ...' if unsolved.size > 5 else ''}); "
            f'lower the budget or ask for method="greedy".'
        )
