"""The nearest point of a cone in Numba: min ‖q − Σ λ_k ray_k‖ over λ ≥ 0 and the tight rays of a row.

Rays have length one, or zero where there is nothing to add. All rows share them and their Gram matrix. As
Lawson and Hanson do it: the ray that q − p points along most is chosen next, and chosen ones whose λ would
become negative are left out again.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

EXACT = 1e-12
"""A ray along which q − p points by less, in units of ‖q‖, is not chosen."""
ENOUGH = 1e-9
"""How far q − p may point along a tight ray in the end, in the same units."""
DEPENDENT = 1e-13  # a ray is a combination of the chosen ones if less of its square is left
ROUNDS = 10  # rays chosen, for each ray there is, before a row is given up
OPEN, LOOSE, CHOSEN, BLOCKED = 0, 1, 2, 3
"""What a ray is: it may be chosen; it is not tight; it is chosen; it says nothing new beside the chosen."""


class Work(NamedTuple):
    """Arrays that one thread uses for all its rows, with an entry for each ray."""

    most: int
    """How many rays can be independent: rounding may find more, and their factor is noise."""
    goal: np.ndarray
    """ray · q."""
    chosen: np.ndarray
    """The chosen rays, in the order of the factor."""
    part: np.ndarray
    """λ of the chosen."""
    trial: np.ndarray
    state: np.ndarray
    factor: np.ndarray


# fastmath: "reassoc" and "contract" let the sum run in vector registers. NaN and infinity are kept.
@njit(cache=True, error_model="numpy", nogil=True, fastmath={"reassoc", "contract"})
def _dot(a, b):
    total = 0.0
    for k in range(a.shape[0]):
        total += a[k] * b[k]
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def _append(gram, work, n_chosen, ray):
    """Extend the Cholesky factor by a ray; return whether it is independent of those chosen."""
    factor, chosen = work.factor, work.chosen
    if n_chosen == work.most:
        return False
    left = gram[ray, ray]
    for i in range(n_chosen):
        total = gram[ray, chosen[i]] - _dot(factor[n_chosen, :i], factor[i])
        factor[n_chosen, i] = total / factor[i, i]
        left -= factor[n_chosen, i] * factor[n_chosen, i]
    if not left > DEPENDENT:
        return False
    factor[n_chosen, n_chosen] = np.sqrt(left)
    chosen[n_chosen] = ray
    return True


@njit(cache=True, error_model="numpy", nogil=True)
def _solve(factor, n_chosen, x):
    for i in range(n_chosen):
        x[i] = (x[i] - _dot(x[:i], factor[i])) / factor[i, i]
    for i in range(n_chosen - 1, -1, -1):
        x[i] /= factor[i, i]
        for k in range(i):
            x[k] -= factor[i, k] * x[i]


@njit(cache=True, error_model="numpy", nogil=True)
def _leave_out(gram, work, n_chosen):
    """Leave out the chosen rays whose λ is zero and factor the others again; return their number."""
    kept = 0
    for i in range(n_chosen):
        ray = work.chosen[i]
        work.state[ray] = OPEN
        if work.part[i] > 0.0 and _append(gram, work, kept, ray):
            work.part[kept], work.state[ray] = work.part[i], CHOSEN
            kept += 1
    for k in range(work.state.shape[0]):
        if work.state[k] == BLOCKED:
            work.state[k] = OPEN
    return kept


@njit(cache=True, error_model="numpy", nogil=True)
def _balance(gram, work, n_chosen):
    """Find the best λ ≥ 0 on the chosen rays; return how many of them it keeps."""
    while n_chosen > 0:
        for i in range(n_chosen):
            work.trial[i] = work.goal[work.chosen[i]]
        _solve(work.factor, n_chosen, work.trial)
        step, last = 1.0, -1
        for i in range(n_chosen):
            if work.trial[i] <= 0.0 and work.part[i] <= step * (work.part[i] - work.trial[i]):
                step, last = work.part[i] / (work.part[i] - work.trial[i]), i
        for i in range(n_chosen):
            work.part[i] += step * (work.trial[i] - work.part[i])
        if last < 0:
            break
        work.part[last] = 0.0
        n_chosen = _leave_out(gram, work, n_chosen)
    return n_chosen


@njit(cache=True, error_model="numpy", nogil=True)
def _begin(gram, work):
    """Choose all rays that q points along, then those of them that keep a positive λ; return their number."""
    n_chosen = 0
    for k in range(work.state.shape[0]):
        if work.state[k] == OPEN and work.goal[k] > EXACT and _append(gram, work, n_chosen, k):
            work.state[k] = CHOSEN
            n_chosen += 1
    while n_chosen > 0:
        for i in range(n_chosen):
            work.part[i] = work.goal[work.chosen[i]]
        _solve(work.factor, n_chosen, work.part)
        if work.part[:n_chosen].min() > 0.0:
            break
        n_chosen = _leave_out(gram, work, n_chosen)
    return n_chosen


@njit(cache=True, error_model="numpy", nogil=True)
def _steepest(gram, work, n_chosen):
    """Return the open ray along which q − p points most, -1 if along none by more than EXACT."""
    best, ray = EXACT, -1
    for k in range(work.state.shape[0]):
        if work.state[k] == OPEN:
            slope = work.goal[k]
            for i in range(n_chosen):
                slope -= gram[k, work.chosen[i]] * work.part[i]
            if slope > best:
                best, ray = slope, k
    return ray


@njit(cache=True, error_model="numpy", nogil=True)
def _choose(gram, work):
    """Choose rays until none helps; return how many are chosen."""
    n_chosen = _begin(gram, work)
    for _ in range(ROUNDS * work.state.shape[0]):
        ray = _steepest(gram, work, n_chosen)
        if ray < 0:
            break
        if not _append(gram, work, n_chosen, ray):
            work.state[ray] = BLOCKED
            continue
        work.state[ray], work.part[n_chosen] = CHOSEN, 0.0
        n_chosen = _balance(gram, work, n_chosen + 1)
        if work.state[ray] == OPEN and work.part[n_chosen] == 0.0:
            work.state[ray] = BLOCKED  # left out at once: its slope was rounding
    return n_chosen


@njit(cache=True, error_model="numpy", nogil=True)
def _combine(rays, work, n_chosen, point):
    point[:] = 0.0
    for i in range(n_chosen):
        for j in range(point.shape[0]):
            point[j] += work.part[i] * rays[work.chosen[i], j]


@njit(cache=True, error_model="numpy", nogil=True)
def _refine(rays, q, work, n_chosen, point):
    """Write p after one more solve with q − p: the first one had half of the digits, as a Gram matrix has."""
    _combine(rays, work, n_chosen, point)
    for i in range(n_chosen):
        work.trial[i] = _dot(rays[work.chosen[i]], q) - _dot(rays[work.chosen[i]], point)
    _solve(work.factor, n_chosen, work.trial)
    for i in range(n_chosen):
        work.part[i] = max(0.0, work.part[i] + work.trial[i])
    _combine(rays, work, n_chosen, point)


@njit(cache=True, error_model="numpy", nogil=True)
def nearest_rows(rays, gram, q, goal, tight, start, stop, points):
    """Write the nearest points of the rows [start, stop); whether they are, the caller sees from q − p.

    Args:
        rays: (k, d).
        gram: (k, k), their products.
        q: (rows, d), of length one or zero.
        goal: (rows, k), products of q and rays.
        tight: (rows, k), bool.
        start: first row to solve.
        stop: row after the last one to solve.
        points: (rows, d), written.
    """
    n_rays = rays.shape[0]
    chosen, part, trial = np.empty(n_rays, np.int64), np.empty(n_rays), np.empty(n_rays)
    state, factor = np.empty(n_rays, np.int64), np.empty((n_rays, n_rays))
    for row in range(start, stop):
        work = Work(rays.shape[1], goal[row], chosen, part, trial, state, factor)
        for k in range(n_rays):
            state[k] = OPEN if tight[row, k] else LOOSE
        _refine(rays, q[row], work, _choose(gram, work), points[row])


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def nearest_rows_threaded(rays, gram, q, goal, tight, n_chunks, points):
    """Run `nearest_rows` on chunks of rows, one chunk per thread at a time: the same bits, sooner.

    Args:
        rays: (k, d).
        gram: (k, k), their products.
        q: (rows, d), of length one or zero.
        goal: (rows, k), products of q and rays.
        tight: (rows, k), bool.
        n_chunks: how many parts the rows are cut into.
        points: (rows, d), written.
    """
    for chunk in prange(n_chunks):
        start, stop = q.shape[0] * chunk // n_chunks, q.shape[0] * (chunk + 1) // n_chunks
        nearest_rows(rays, gram, q, goal, tight, start, stop, points)
