"""On which B of W websites to advertise: exact subsets, values, regret and the multilinear relaxation.

value(z; Y) = Σ_u w_u [1 − Π_w (1 − z_w Y_wu)], Y (..., W, U) click rates in [0, 1], w (..., U) user weights.
Functions take NumPy arrays or torch tensors, compute in float64 and return the same kind.
"""

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from .._shared.arrays import Array, broadcast_rows, giver, is_tensor, require_finite, to_numpy, wants_torch
from . import ascent, compiled, inputs, subsets
from .subsets import ENUMERATION_LIMIT, NODE_LIMIT

__all__ = [
    "ENUMERATION_LIMIT",
    "NODE_LIMIT",
    "Method",
    "Solution",
    "best_subset",
    "project",
    "regret",
    "relax",
    "solve",
    "value",
    "worst_subset",
]

Method = Literal["exact", "greedy"]


class Solution(NamedTuple):
    """One subset per row: z (..., W) of zeros and ones, its value (...), and the method that found it."""

    z: Array
    value: Array
    method: str


def solve(ctr: Array, budget: int = 2, *, weights: Array | None = None, method: Method = "exact") -> Solution:
    """Return the subset of largest value, and the first in lexicographic order if several are equal.

    Args:
        ctr: click rates (..., W, U).
        budget: how many websites to choose, 1 <= budget < W.
        weights: user weights (..., U), non-negative; ones by default.
        method: "exact" enumerates up to ENUMERATION_LIMIT subsets and uses branch and bound for more;
            "greedy" guarantees 1 − 1/e of the best value.

    Returns:
        Solution whose method is "enumeration", "branch-and-bound" or "greedy".

    Raises:
        SolverError: branch and bound did not finish within NODE_LIMIT nodes. The message names the rows.
    """
    if method not in ("exact", "greedy"):
        raise ValueError(f'expected method "exact" or "greedy", got {method!r}.')
    return _solve(ctr, budget, weights, 1.0, method)


def best_subset(
    ctr: Array, budget: int = 2, *, weights: Array | None = None, method: Method = "exact"
) -> Array:
    """Return the z of `solve`.

    Args:
        ctr: click rates (..., W, U).
        budget: how many websites to choose, 1 <= budget < W.
        weights: user weights (..., U), non-negative; ones by default.
        method: as in `solve`.

    Returns:
        Zeros and ones (..., W).
    """
    return solve(ctr, budget, weights=weights, method=method).z


def worst_subset(ctr: Array, budget: int = 2, *, weights: Array | None = None) -> Array:
    """Return the subset of smallest value, exact as in `solve`.

    Args:
        ctr: click rates (..., W, U).
        budget: how many websites to choose, 1 <= budget < W.
        weights: user weights (..., U), non-negative; ones by default.

    Returns:
        Zeros and ones (..., W).
    """
    return _solve(ctr, budget, weights, -1.0, "exact").z


def value(z: Array, ctr: Array, *, weights: Array | None = None) -> Array:
    """Return the value of decisions, also of fractional ones; leading dimensions broadcast.

    Args:
        z: decisions (..., W) in [0, 1].
        ctr: click rates (..., W, U).
        weights: user weights (..., U), non-negative; ones by default.

    Returns:
        Values of the broadcast leading shape.
    """
    if wants_torch(z, ctr, weights):
        from . import device

        return device.value(z, ctr, weights)
    n_sites, n_users = inputs.check_shapes(ctr, weights)
    decisions = inputs.decisions(z, n_sites)
    rates, users = inputs.rates(ctr), inputs.user_weights(weights, n_users)
    shape, (rows_z, rows_ctr, rows_users) = broadcast_rows(
        z=decisions.shape[:-1], ctr=rates.shape[:-2], weights=users.shape[:-1]
    )
    out = np.empty(math.prod(shape))
    y, w = subsets.flat(rates, users)
    compiled.decision_values(decisions.reshape(-1, n_sites), y, w, rows_z, rows_ctr, rows_users, out)
    return giver(*inputs.present(z, ctr, weights))(out.reshape(shape))


def regret(ctr_hat: Array, ctr: Array, budget: int = 2, *, weights: Array | None = None) -> Array:
    """Return how much value under ctr is lost by choosing the best subset for ctr_hat instead of for ctr.

    Args:
        ctr_hat: predicted click rates (..., W, U).
        ctr: true click rates (..., W, U); leading dimensions broadcast, and so do those of weights (..., U).
        budget: how many websites to choose.
        weights: user weights; ones by default.

    Returns:
        Regrets of the broadcast leading shape.
    """
    n_sites, n_users = inputs.check_shapes(ctr, weights)
    if tuple(np.shape(ctr_hat))[-2:] != (n_sites, n_users):
        raise ValueError(
            f"expected ctr_hat of shape (..., {n_sites}, {n_users}) like ctr, got {tuple(np.shape(ctr_hat))}."
        )
    give = giver(*inputs.present(ctr_hat, ctr, weights))
    if wants_torch(ctr_hat, ctr, weights):
        from . import device

        z_hat = _solve(ctr_hat, budget, weights, 1.0, "exact", "ctr_hat").z
        z_best = _solve(ctr, budget, weights, 1.0, "exact").z
        return give(device.shortfall(z_hat, z_best, ctr, weights))
    size = inputs.check_budget(budget, n_sites)
    hats, truths = inputs.rates(ctr_hat, "ctr_hat"), inputs.rates(ctr)
    users = inputs.user_weights(weights, n_users)
    # Every distinct prediction and label is solved once, however often the other side repeats it.
    decided = subsets.choose(hats, users, size, 1.0, "exact")
    best = subsets.choose(truths, users, size, 1.0, "exact")
    shape, (rows_hat, rows_best, rows_ctr, rows_users) = broadcast_rows(
        ctr_hat=decided.shape, best=best.shape, ctr=truths.shape[:-2], weights=users.shape[:-1]
    )
    out = np.empty(math.prod(shape))
    y, w = subsets.flat(truths, users)
    compiled.shortfalls(y, w, rows_ctr, rows_users, decided.chosen, rows_hat, best.values, rows_best, out)
    return give(out.reshape(shape))


def project(z: Array, budget: int) -> Array:
    """Return the Euclidean projection of z (..., W) onto {0 ≤ z ≤ 1, Σz = budget}."""
    shape = tuple(np.shape(z))
    if not shape:
        raise ValueError("expected z of shape (..., websites), got a scalar.")
    size = inputs.check_budget(budget, shape[-1])
    if wants_torch(z):
        from . import device

        return device.project(z, size)
    values = to_numpy(z, "z")
    require_finite(values, "z")
    out = np.empty(shape)
    ascent.projections(values.reshape(-1, shape[-1]), float(size), out.reshape(-1, shape[-1]))
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
            broadcast, so one call serves several starts of one instance.
    """
    n_sites, n_users = inputs.check_shapes(ctr, weights)
    size = inputs.check_budget(budget, n_sites)
    if start is not None:
        inputs.check_decisions(start, n_sites, "start")
    if steps < 0 or not (lr > 0 and 0 <= momentum < 1):
        raise ValueError(
            f"expected steps >= 0, lr > 0 and 0 <= momentum < 1, got {steps=}, {lr=}, {momentum=}."
        )
    if wants_torch(ctr, weights, start):
        from . import device

        return device.relax(ctr, weights, start, size, steps, lr, momentum)
    rates, users = inputs.rates(ctr), inputs.user_weights(weights, n_users)
    starts = np.full(n_sites, size / n_sites) if start is None else to_numpy(start, "start")
    require_finite(starts, "start")
    shape, (rows_ctr, rows_users, rows_start) = broadcast_rows(
        ctr=rates.shape[:-2], weights=users.shape[:-1], start=starts.shape[:-1]
    )
    out = np.empty((*shape, n_sites))
    y, w = subsets.flat(rates, users)
    first, reached = starts.reshape(-1, n_sites), out.reshape(-1, n_sites)
    ascent.ascents(y, w, first, rows_ctr, rows_users, rows_start, float(size), steps, lr, momentum, reached)
    return giver(*inputs.present(ctr, weights, start))(out)


def _solve(
    ctr: Array, budget: int, weights: Array | None, sign: float, method: str, name: str = "ctr"
) -> Solution:
    n_sites, n_users = inputs.check_shapes(ctr, weights)
    size = inputs.check_budget(budget, n_sites)
    give = giver(*inputs.present(ctr, weights))
    # A subset has no gradient, so only the device decides here.
    ctr, weights = _detached(ctr), _detached(weights)
    if wants_torch(ctr, weights):
        from . import device

        on_device = device.solve(ctr, weights, size, sign, method, ENUMERATION_LIMIT)
        return Solution(give(on_device[0]), give(on_device[1]), on_device[2])
    rates, users = inputs.rates(ctr, name), inputs.user_weights(weights, n_users)
    found = subsets.choose(rates, users, size, sign, method)
    z = np.empty((*found.shape, n_sites))
    compiled.mark(found.chosen, z.reshape(-1, n_sites))
    return Solution(give(z), give(found.values.reshape(found.shape)), found.method)


def _detached(array: Any) -> Any:
    return array.detach() if is_tensor(array) else array
