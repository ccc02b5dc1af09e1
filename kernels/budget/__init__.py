"""Which B of W websites to advertise on: exact subsets, values, regret and the multilinear relaxation.

value(z; Y) = Σ_u w_u [1 − Π_w (1 − z_w Y_wu)], Y (..., W, U) click rates in [0, 1], w (..., U) user weights.
Functions take NumPy arrays or torch tensors, compute in float64 and return the same kind.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from .._shared.arrays import Array, broadcast_rows, giver, is_tensor, require_finite, to_numpy, wants_torch
from .._shared.threads import n_chunks
from ..errors import SolverError
from . import compiled as _budget
from . import given
from . import relax as _budget_relax
from . import search as _budget_search

Method = Literal["exact", "greedy"]

ENUMERATION_LIMIT = 200_000
"""Up to this many subsets are enumerated; more are searched by branch and bound."""
NODE_LIMIT = 20_000_000
"""Branch and bound gives up on an instance after this many nodes, about two seconds at 10 users."""

# Subsets of all rows. Two threads on two busy cores: nine times slower at 100,000, even from 4 million on.
_THREADED_FROM = 5_000_000


class Solution(NamedTuple):
    """A subset a row: z (..., W) of zeros and ones, its value (...), and the method that found it."""

    z: Array
    value: Array
    method: str


def solve(ctr: Array, budget: int = 2, *, weights: Array | None = None, method: Method = "exact") -> Solution:
    """Return the subset of largest value; of equal ones the lexicographically first.

    Args:
        ctr: click rates (..., W, U).
        budget: how many websites to choose, 1 <= budget < W.
        weights: user weights (..., U), non-negative; ones by default.
        method: "exact" enumerates up to ENUMERATION_LIMIT subsets and searches by branch and bound beyond;
            "greedy" guarantees 1 − 1/e of the best value.

    Returns:
        Solution whose method is "enumeration", "branch-and-bound" or "greedy".

    Raises:
        SolverError: branch and bound did not finish within NODE_LIMIT nodes; the rows are named.
    """
    if method not in ("exact", "greedy"):
        raise ValueError(f'expected method "exact" or "greedy", got {method!r}.')
    return _solve(ctr, budget, weights, 1.0, method)


def best_subset(
    ctr: Array, budget: int = 2, *, weights: Array | None = None, method: Method = "exact"
) -> Array:
    """Return the z of `solve`: ctr (..., W, U) -> 0/1 (..., W)."""
    return solve(ctr, budget, weights=weights, method=method).z


def worst_subset(ctr: Array, budget: int = 2, *, weights: Array | None = None) -> Array:
    """Return the subset of smallest value, exact as in `solve`: ctr (..., W, U) -> 0/1 (..., W)."""
    return _solve(ctr, budget, weights, -1.0, "exact").z


def value(z: Array, ctr: Array, *, weights: Array | None = None) -> Array:
    """Return the value of decisions z (..., W), fractional ones too; leading dimensions broadcast."""
    if wants_torch(z, ctr, weights):
        from . import device as _budget_device

        return _budget_device.value(z, ctr, weights)
    n_sites, n_users = given.check_shapes(ctr, weights)
    decisions = given.decisions(z, n_sites)
    rates, users = given.rates(ctr), given.user_weights(weights, n_users)
    shape, (rows_z, rows_ctr, rows_users) = broadcast_rows(
        z=decisions.shape[:-1], ctr=rates.shape[:-2], weights=users.shape[:-1]
    )
    out = np.empty(math.prod(shape))
    y, w = _flat(rates, users)
    _budget.decision_values(decisions.reshape(-1, n_sites), y, w, rows_z, rows_ctr, rows_users, out)
    return giver(*given.present(z, ctr, weights))(out.reshape(shape))


def regret(ctr_hat: Array, ctr: Array, budget: int = 2, *, weights: Array | None = None) -> Array:
    """Return the value under ctr lost by choosing the best subset for ctr_hat instead of that for ctr.

    Args:
        ctr_hat: predicted click rates (..., W, U).
        ctr: true click rates (..., W, U); leading dimensions broadcast, and so do those of weights (..., U).
        budget: how many websites to choose.
        weights: user weights; ones by default.

    Returns:
        Regrets of the broadcast leading shape.
    """
    n_sites, n_users = given.check_shapes(ctr, weights)
    if tuple(np.shape(ctr_hat))[-2:] != (n_sites, n_users):
        raise ValueError(
            f"expected ctr_hat of shape (..., {n_sites}, {n_users}) like ctr, got {tuple(np.shape(ctr_hat))}."
        )
    give = giver(*given.present(ctr_hat, ctr, weights))
    if wants_torch(ctr_hat, ctr, weights):
        chosen = _solve(ctr_hat, budget, weights, 1.0, "exact", "ctr_hat").z
        best = _solve(ctr, budget, weights, 1.0, "exact").z
        from . import device as _budget_device

        return give(_budget_device.shortfall(chosen, best, ctr, weights))
    size = given.check_budget(budget, n_sites)
    hats, truths = given.rates(ctr_hat, "ctr_hat"), given.rates(ctr)
    users = given.user_weights(weights, n_users)
    # Every distinct prediction and label is solved once, however often the other side repeats it.
    shape_hat, chosen, _, _ = _subsets(hats, users, size, 1.0, "exact")
    shape_best, _, best_value, _ = _subsets(truths, users, size, 1.0, "exact")
    shape, (rows_hat, rows_best, rows_ctr, rows_users) = broadcast_rows(
        ctr_hat=shape_hat, best=shape_best, ctr=truths.shape[:-2], weights=users.shape[:-1]
    )
    out = np.empty(math.prod(shape))
    y, w = _flat(truths, users)
    _budget.shortfalls(y, w, rows_ctr, rows_users, chosen, rows_hat, best_value, rows_best, out)
    return give(out.reshape(shape))


def project(z: Array, budget: int) -> Array:
    """Return the Euclidean projection of z (..., W) onto {0 ≤ z ≤ 1, Σz = budget}."""
    shape = tuple(np.shape(z))
    if not shape:
        raise ValueError("expected z of shape (..., websites), got a scalar.")
    size = given.check_budget(budget, shape[-1])
    if wants_torch(z):
        from . import device as _budget_device

        return _budget_device.project(z, size)
    values = to_numpy(z, "z")
    require_finite(values, "z")
    out = np.empty(shape)
    _budget_relax.projections(values.reshape(-1, shape[-1]), float(size), out.reshape(-1, shape[-1]))
    return giver(z)(out)


def relax(
    ctr: Array,
    budget: int = 2,
    *,
    weights: Array | None = None,
    steps: int = 100,
    lr: float = 0.1,
    momentum: float = 0.9,
    start: Array | None = None,
) -> Array:
    """Return z (..., W) found by projected gradient ascent on the multilinear relaxation.

    Args:
        ctr: click rates (..., W, U).
        budget: the sum of z.
        weights: user weights (..., U); ones by default.
        steps: how many gradient steps.
        lr: step size.
        momentum: share of the last step that is repeated.
        start: first point (..., W), projected before use; budget/W everywhere by default. Leading dimensions
            broadcast, so that several starts of one instance are one call.
    """
    n_sites, n_users = given.check_shapes(ctr, weights)
    size = given.check_budget(budget, n_sites)
    if start is not None:
        given.check_decisions(start, n_sites, "start")
    if steps < 0 or not (lr > 0 and 0 <= momentum < 1):
        raise ValueError(
            f"expected steps >= 0, lr > 0 and 0 <= momentum < 1, got {steps=}, {lr=}, {momentum=}."
        )
    if wants_torch(ctr, weights, start):
        from . import device as _budget_device

        return _budget_device.relax(ctr, weights, start, size, steps, lr, momentum)
    rates, users = given.rates(ctr), given.user_weights(weights, n_users)
    starts = np.full(n_sites, size / n_sites) if start is None else to_numpy(start, "start")
    require_finite(starts, "start")
    shape, (rows_ctr, rows_users, rows_start) = broadcast_rows(
        ctr=rates.shape[:-2], weights=users.shape[:-1], start=starts.shape[:-1]
    )
    out = np.empty((*shape, n_sites))
    y, w = _flat(rates, users)
    first, reached = starts.reshape(-1, n_sites), out.reshape(-1, n_sites)
    _budget_relax.ascents(
        y, w, first, rows_ctr, rows_users, rows_start, float(size), steps, lr, momentum, reached
    )
    return giver(*given.present(ctr, weights, start))(out)


def _solve(
    ctr: Array, budget: int, weights: Array | None, sign: float, method: str, name: str = "ctr"
) -> Solution:
    n_sites, n_users = given.check_shapes(ctr, weights)
    size = given.check_budget(budget, n_sites)
    give = giver(*given.present(ctr, weights))
    # A subset has no gradient, so only the device decides here.
    ctr, weights = _detached(ctr), _detached(weights)
    if wants_torch(ctr, weights):
        from . import device as _budget_device

        on_device = _budget_device.solve(ctr, weights, size, sign, method, ENUMERATION_LIMIT)
        return Solution(give(on_device[0]), give(on_device[1]), on_device[2])
    rates, users = given.rates(ctr, name), given.user_weights(weights, n_users)
    shape, chosen, values, used = _subsets(rates, users, size, sign, method)
    z = np.empty((*shape, n_sites))
    _budget.mark(chosen, z.reshape(-1, n_sites))
    return Solution(give(z), give(values.reshape(shape)), used)


def _subsets(
    rates: np.ndarray, users: np.ndarray, size: int, sign: float, method: str
) -> tuple[tuple[int, ...], np.ndarray, np.ndarray, str]:
    """Return the broadcast leading shape, chosen websites (rows, B), values (rows,) and the method used."""
    shape, (rows_ctr, rows_users) = broadcast_rows(ctr=rates.shape[:-2], weights=users.shape[:-1])
    y, w = _flat(rates, users)
    values = np.empty(math.prod(shape))
    chosen = np.empty((len(values), size), np.int64)
    n_subsets = math.comb(rates.shape[-2], size)
    if method == "greedy":
        _budget_search.greedy_subsets(y, w, rows_ctr, rows_users, chosen, values)
        return shape, chosen, values, "greedy"
    if n_subsets > ENUMERATION_LIMIT:
        nodes = np.empty(len(values), np.int64)
        _budget_search.search_subsets(y, w, rows_ctr, rows_users, sign, NODE_LIMIT, chosen, values, nodes)
        _require_solved(nodes, shape)
        return shape, chosen, values, "branch-and-bound"
    if (chunks := n_chunks(len(values) * n_subsets, _THREADED_FROM)) > 1:
        _budget.enumerate_subsets_threaded(y, w, rows_ctr, rows_users, sign, chunks, chosen, values)
    else:
        _budget.enumerate_subsets(y, w, rows_ctr, rows_users, sign, 0, len(values), chosen, values)
    return shape, chosen, values, "enumeration"


def _require_solved(nodes: np.ndarray, shape: tuple[int, ...]) -> None:
    unsolved = np.flatnonzero(nodes > NODE_LIMIT)
    if unsolved.size:
        rows = ", ".join(str(tuple(map(int, np.unravel_index(row, shape)))) for row in unsolved[:5])
        raise SolverError(
            f"branch and bound stopped after {NODE_LIMIT} nodes on {unsolved.size} of {nodes.size} instances "
            f"(rows {rows}{', ...' if unsolved.size > 5 else ''}); "
            f'lower the budget or ask for method="greedy".'
        )


def _flat(rates: np.ndarray, users: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return rates.reshape(-1, *rates.shape[-2:]), users.reshape(-1, users.shape[-1])


def _detached(array: Any) -> Any:
    return array.detach() if is_tensor(array) else array
