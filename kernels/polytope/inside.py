"""A point inside a cone and near q, in Numba: a few of Mehrotra's steps on min ‖q − Σ λ_k ray_k‖, λ ≥ 0.

All λ stay positive, so the point is inside; the fewer the steps, the deeper. The rays of a row are its tight
ones; s are the multipliers of λ ≥ 0, and the system of a step is the Gram matrix of these rays plus s/λ.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

DONE = 1e-12
"""Once the products λs are this small, in units of ‖q‖², more steps would only add rounding."""


class Work(NamedTuple):
    """Arrays for the tight rays of one row."""

    gram: np.ndarray
    goal: np.ndarray
    """ray · q."""
    part: np.ndarray
    """λ."""
    slack: np.ndarray
    """s."""
    uphill: np.ndarray
    """The gradient by λ, less s."""
    change: np.ndarray
    dpart: np.ndarray
    dslack: np.ndarray
    system: np.ndarray


@njit(cache=True, error_model="numpy", nogil=True)
def _factor(work):
    """Write the Cholesky factor of the Gram matrix plus s/λ, upper half."""
    system, n = work.system, work.goal.shape[0]
    for i in range(n):
        for j in range(i, n):
            system[i, j] = work.gram[i, j]
        system[i, i] += work.slack[i] / work.part[i]
    for k in range(n):
        root = np.sqrt(system[k, k])
        for j in range(k, n):
            system[k, j] /= root
        for i in range(k + 1, n):
            factor = system[k, i]
            if factor != 0.0:
                for j in range(i, n):
                    system[i, j] -= factor * system[k, j]


@njit(cache=True, error_model="numpy", nogil=True)
def _solve(factor, x):
    n = x.shape[0]
    for k in range(n):
        x[k] /= factor[k, k]
        for j in range(k + 1, n):
            x[j] -= factor[k, j] * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= factor[k, j] * x[j]
        x[k] /= factor[k, k]


@njit(cache=True, error_model="numpy", nogil=True)
def _direction(work):
    """Write the step of λ and s that changes their products by `change`, to first order."""
    for k in range(work.goal.shape[0]):
        work.dpart[k] = work.change[k] / work.part[k] - work.uphill[k]
    _solve(work.system, work.dpart)
    for k in range(work.goal.shape[0]):
        work.dslack[k] = (work.change[k] - work.slack[k] * work.dpart[k]) / work.part[k]


@njit(cache=True, error_model="numpy", nogil=True)
def _length(work):
    step = 1.0
    for k in range(work.goal.shape[0]):
        if work.part[k] + step * work.dpart[k] < 0.0:
            step = -work.part[k] / work.dpart[k]
        if work.slack[k] + step * work.dslack[k] < 0.0:
            step = -work.slack[k] / work.dslack[k]
    return step


@njit(cache=True, error_model="numpy", nogil=True)
def _start(work):
    """Begin at λ = (Gram + I)⁻¹ goal with s = Gram λ − goal = −λ, both moved to be positive and balanced."""
    part, slack = work.part, work.slack
    part[:], slack[:] = 1.0, 1.0
    _factor(work)
    part[:] = work.goal
    _solve(work.system, part)
    low, high = min(0.0, part.min()), max(0.0, part.max())
    slack[:] = 1.5 * high - part
    part[:] -= 1.5 * low
    products, parts, slacks = (part * slack).sum(), part.sum(), slack.sum()
    part[:] += 0.5 * products / slacks if products > 0.0 else 1.0
    slack[:] += 0.5 * products / parts if products > 0.0 else 1.0


@njit(cache=True, error_model="numpy", nogil=True)
def _advance(work):
    """Make one predictor-corrector step, unless the end is reached."""
    part, slack, change, n = work.part, work.slack, work.change, work.goal.shape[0]
    for k in range(n):
        change[k] = -part[k] * slack[k]
        work.uphill[k] = -work.goal[k] - slack[k]
        for j in range(n):
            work.uphill[k] += work.gram[k, j] * part[j]
    now = -change.sum()
    if now <= DONE * n:
        return
    _factor(work)
    _direction(work)
    step, ahead = _length(work), 0.0
    for k in range(n):
        ahead += (part[k] + step * work.dpart[k]) * (slack[k] + step * work.dslack[k])
    for k in range(n):
        change[k] += (ahead / now) ** 3 * now / n - step * step * work.dpart[k] * work.dslack[k]
    _direction(work)
    step = min(1.0, 0.99 * _length(work))
    for k in range(n):
        part[k] += step * work.dpart[k]
        slack[k] += step * work.dslack[k]


@njit(cache=True, error_model="numpy", nogil=True)
def _inside_row(rays, gram, goal, index, steps, point):
    """Write the point of one row; index holds its tight rays."""
    n = index.shape[0]
    work = Work(
        np.empty((n, n)),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty(n),
        np.empty((n, n)),
    )
    for i in range(n):
        work.goal[i] = goal[index[i]]
        for j in range(n):
            work.gram[i, j] = gram[index[i], index[j]]
    _start(work)
    for _ in range(steps):
        _advance(work)
    for i in range(n):
        for j in range(point.shape[0]):
            point[j] += work.part[i] * rays[index[i], j]


@njit(cache=True, error_model="numpy", nogil=True)
def inside_rows(rays, gram, goal, tight, steps, points):
    """Write a point inside the cone of every row.

    Args:
        rays: (k, d), of length one or zero.
        gram: (k, k), their products.
        goal: (rows, k), products of rays and q, which has length one or zero.
        tight: (rows, k), bool.
        steps: how many steps to make.
        points: (rows, d), written.
    """
    points[:] = 0.0
    for row in range(goal.shape[0]):
        index = np.flatnonzero(tight[row])
        if index.shape[0]:
            _inside_row(rays, gram, goal[row], index, steps, points[row])
