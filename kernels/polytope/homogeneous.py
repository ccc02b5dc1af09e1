"""The interior-point path of IntOpt in Numba, stopped early, and the derivative of where it stops.

min cᵀz over a polytope is written as F x = b, x ≥ 0 with a slack for every inequality: x holds z, the slacks
of the upper bounds, then those of the rows from n_equal on; t are its multipliers. Row for row, b holds the
right sides of M and then the upper bounds, and y its prices. The homogeneous self-dual form adds τ and κ;
predictor and corrector (Andersen and Andersen 2000) start from x = t = τ = κ = 1, y = 0, and z = x/τ.
Upper bounds are eliminated, so linear systems have as many rows as M.

With Δ = x/t the derivative needs N = F Δ Fᵀ + damping. Damping on the row of a slack, eliminated, is damping
added to the Δ of that slack.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

STEPS = 100
"""Steps before a row is given up; ten are usual."""
SOLVED, STUCK, UNBOUNDED = 0, 1, 2
FACTOR = 0.9995  # share of the way to the boundary that a step goes
VANISHED = 1e-9  # τ below this, beside κ: no optimum exists


class Work(NamedTuple):
    """Arrays that one thread uses for all its rows: of the length of x, of y, (τ, κ), and the system."""

    x: np.ndarray
    t: np.ndarray
    dx: np.ndarray
    dt: np.ndarray
    dual: np.ndarray
    first: np.ndarray
    move: np.ndarray
    along: np.ndarray
    y: np.ndarray
    primal: np.ndarray
    second: np.ndarray
    price: np.ndarray
    price_along: np.ndarray
    pair: np.ndarray
    system: np.ndarray


@njit(cache=True, error_model="numpy", nogil=True)
def _room_for(size, n_rows, m):
    return Work(
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(size),
        np.empty(n_rows),
        np.empty(n_rows),
        np.empty(n_rows),
        np.empty(n_rows),
        np.empty(n_rows),
        np.empty(2),
        np.empty((m, m)),
    )


@njit(cache=True, error_model="numpy", nogil=True)
def _price(program, y, out):
    """Write Mᵀy."""
    for j in range(program.upper.shape[0]):
        total = 0.0
        for k in range(program.starts[j], program.starts[j + 1]):
            total += program.entries[k] * y[program.rows[k]]
        out[j] = total


@njit(cache=True, error_model="numpy", nogil=True)
def _add_load(program, z, out):
    """Add M z to out."""
    for j in range(program.upper.shape[0]):
        for k in range(program.starts[j], program.starts[j + 1]):
            out[program.rows[k]] += program.entries[k] * z[j]


@njit(cache=True, error_model="numpy", nogil=True)
def _factor(program, delta, damping, work):
    """Write the Cholesky factor of the system that is left when the upper bounds are eliminated."""
    system, weights = work.system, work.first
    n, m = program.upper.shape[0], system.shape[0]
    first = n + program.bounded.shape[0] - program.n_equal
    system[:] = 0.0
    weights[:n] = delta[:n]
    for k, j in enumerate(program.bounded):
        slack = delta[n + k] + damping
        weights[j] = delta[j] * slack / (delta[j] + slack)
    for j in range(n):
        stop = program.starts[j + 1]
        for k in range(program.starts[j], stop):
            factor, row = weights[j] * program.entries[k], program.rows[k]
            for other in range(k, stop):
                system[row, program.rows[other]] += factor * program.entries[other]
    for i in range(m):
        system[i, i] += damping + (delta[first + i] if i >= program.n_equal else 0.0)
    for k in range(m):
        root = np.sqrt(system[k, k])
        for j in range(k, m):
            system[k, j] /= root
        for i in range(k + 1, m):
            factor = system[k, i]
            if factor != 0.0:
                for j in range(i, m):
                    system[i, j] -= factor * system[k, j]


@njit(cache=True, error_model="numpy", nogil=True)
def _solve(factor, x):
    """Replace the first m entries of x by the solution."""
    m = factor.shape[0]
    for k in range(m):
        x[k] /= factor[k, k]
        for j in range(k + 1, m):
            x[j] -= factor[k, j] * x[k]
    for k in range(m - 1, -1, -1):
        for j in range(k + 1, m):
            x[k] -= factor[k, j] * x[j]
        x[k] /= factor[k, k]


@njit(cache=True, error_model="numpy", nogil=True)
def _newton(program, delta, damping, factor, first, second, move, price):
    """Write price = N⁻¹(second + F Δ first) and move = Δ(Fᵀ price − first); first is of x, second of b.

    Differences are taken before they are multiplied by Δ: at the end of a path Δ spans all orders.
    """
    n, m = program.upper.shape[0], factor.shape[0]
    slack = n + program.bounded.shape[0] - program.n_equal
    for j in range(n):
        move[j] = delta[j] * first[j]
    for k, j in enumerate(program.bounded):
        upper = delta[n + k] + damping
        price[m + k] = second[m + k] + delta[n + k] * first[n + k]
        move[j] = delta[j] * (upper * first[j] - price[m + k]) / (delta[j] + upper)
    for i in range(m):
        price[i] = second[i] + (delta[slack + i] * first[slack + i] if i >= program.n_equal else 0.0)
    _add_load(program, move, price)
    _solve(factor, price)
    _price(program, price, move)
    for j in range(n):
        move[j] -= first[j]
    for k, j in enumerate(program.bounded):
        upper = delta[n + k] + damping
        added, price[m + k] = price[m + k], (price[m + k] - delta[j] * move[j]) / (delta[j] + upper)
        move[j] = (upper * move[j] + added) / (delta[j] + upper)
        move[n + k] = delta[n + k] * (price[m + k] - first[n + k])
    for j in range(n):
        move[j] *= delta[j]
    for i in range(program.n_equal, m):
        move[slack + i] = delta[slack + i] * (price[i] - first[slack + i])


@njit(cache=True, error_model="numpy", nogil=True)
def _dot(a, b):
    """Return Σ a b over the entries of b."""
    total = 0.0
    for k in range(b.shape[0]):
        total += a[k] * b[k]
    return total


@njit(cache=True, error_model="numpy", nogil=True)
def _gaps(program, c, b, work):
    """Write dual = cτ − Fᵀy − t and primal = bτ − F x."""
    x, t, y, dual, primal, tau = work.x, work.t, work.y, work.dual, work.primal, work.pair[0]
    n, m = c.shape[0], program.right.shape[0]
    slack = n + program.bounded.shape[0] - program.n_equal
    _price(program, y, dual)
    for j in range(n):
        dual[j] = c[j] * tau - dual[j] - t[j]
    primal[:] = 0.0
    _add_load(program, x, primal)
    for i in range(m):
        if i >= program.n_equal:
            primal[i] += x[slack + i]
            dual[slack + i] = -y[i] - t[slack + i]
        primal[i] = b[i] * tau - primal[i]
    for k, j in enumerate(program.bounded):
        primal[m + k] = b[m + k] * tau - x[j] - x[n + k]
        dual[j] -= y[m + k]
        dual[n + k] = -y[m + k] - t[n + k]


@njit(cache=True, error_model="numpy", nogil=True)
def _length(work, dtau, dkappa, share):
    """Return the longest step up to one: this share of the way to the first entry that becomes negative."""
    step = 1.0
    for k in range(work.x.shape[0]):
        if work.dx[k] < 0.0:
            step = min(step, -share * work.x[k] / work.dx[k])
        if work.dt[k] < 0.0:
            step = min(step, -share * work.t[k] / work.dt[k])
    if dtau < 0.0:
        step = min(step, -share * work.pair[0] / dtau)
    if dkappa < 0.0:
        step = min(step, -share * work.pair[1] / dkappa)
    return step


@njit(cache=True, error_model="numpy", nogil=True)
def _mean(work):
    """Return the duality measure (xᵀt + τκ) / (entries of x + 1)."""
    return (_dot(work.x, work.t) + work.pair[0] * work.pair[1]) / (work.x.shape[0] + 1)


@njit(cache=True, error_model="numpy", nogil=True)
def _advance(program, c, b, delta, work):
    """Make one predictor-corrector step of x, t, y, τ and κ."""
    x, t, dx, dt = work.x, work.t, work.dx, work.dt
    size, n = x.shape[0], c.shape[0]
    tau, kappa = work.pair[0], work.pair[1]
    _gaps(program, c, b, work)
    gap, mean = _dot(x, c) - _dot(work.y, b) + kappa, _mean(work)
    for k in range(size):
        delta[k] = x[k] / t[k]
    _factor(program, delta, 0.0, work)
    work.first[:n], work.first[n:] = c, 0.0
    _newton(program, delta, 0.0, work.system, work.first, b, work.along, work.price_along)
    slope = kappa / tau - _dot(work.along, c) + _dot(work.price_along, b)
    aim, dtau, dkappa = 0.0, 0.0, 0.0
    for corrected in range(2):
        for k in range(size):
            # dt holds what the product x t should change by, until the step is known.
            dt[k] = aim * mean - x[k] * t[k] - (dx[k] * dt[k] if corrected else 0.0)
            work.first[k] = (1.0 - aim) * work.dual[k] - dt[k] / x[k]
        change = aim * mean - tau * kappa - dtau * dkappa
        for k in range(b.shape[0]):
            work.second[k] = (1.0 - aim) * work.primal[k]
        _newton(program, delta, 0.0, work.system, work.first, work.second, work.move, work.price)
        dtau = ((1.0 - aim) * gap + change / tau + _dot(work.move, c) - _dot(work.price, b)) / slope
        dkappa = (change - kappa * dtau) / tau
        for k in range(size):
            dx[k] = work.move[k] + work.along[k] * dtau
            dt[k] = (dt[k] - t[k] * dx[k]) / x[k]
        left = 1.0 - _length(work, dtau, dkappa, 1.0)
        aim = left * left * min(0.1, left)
    step = _length(work, dtau, dkappa, FACTOR)
    for k in range(size):
        x[k] += step * dx[k]
        t[k] += step * dt[k]
    for k in range(b.shape[0]):
        work.y[k] += step * (work.price[k] + work.price_along[k] * dtau)
    work.pair[0] += step * dtau
    work.pair[1] += step * dkappa


@njit(cache=True, error_model="numpy", nogil=True)
def _follow_row(program, c, b, enough, delta, work):
    """Follow the path of one row of costs; return its status."""
    work.x[:], work.t[:], work.y[:], work.pair[:] = 1.0, 1.0, 0.0, 1.0
    for _ in range(STEPS):
        _advance(program, c, b, delta, work)
        if work.pair[0] < VANISHED * max(1.0, work.pair[1]):
            return UNBOUNDED
        if _mean(work) < enough:
            return SOLVED
    return STUCK


@njit(cache=True, error_model="numpy", nogil=True)
def follow_rows(program, b, costs, enough, start, stop, z, delta, ratio, status):
    """Write where the paths of the rows [start, stop) end.

    Args:
        program: the constraints as given.
        b: (m + bounds,), the right sides and the finite upper bounds.
        costs: (rows, n), finite.
        enough: a path ends when its duality measure is smaller; at least one step is made.
        start: first row to solve.
        stop: row after the last one to solve.
        z: (rows, n), written: the points.
        delta: (rows, entries of x), written: x/t.
        ratio: (rows,), written: κ/τ.
        status: (rows,), written: SOLVED, STUCK or UNBOUNDED.
    """
    n, m = costs.shape[1], program.right.shape[0]
    work = _room_for(n + program.bounded.shape[0] + m - program.n_equal, b.shape[0], m)
    for row in range(start, stop):
        status[row] = _follow_row(program, costs[row], b, enough, delta[row], work)
        ratio[row] = work.pair[1] / work.pair[0]
        for k in range(work.x.shape[0]):
            delta[row, k] = work.x[k] / work.t[k]
        for j in range(n):
            z[row, j] = work.x[j] / work.pair[0]


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def follow_rows_threaded(program, b, costs, enough, n_chunks, z, delta, ratio, status):
    """Run `follow_rows` on chunks of rows, one chunk per thread at a time: the same bits, sooner.

    Args:
        program: the constraints as given.
        b: (m + bounds,), the right sides and the finite upper bounds.
        costs: (rows, n), finite.
        enough: a path ends when its duality measure is smaller.
        n_chunks: how many parts the rows are cut into.
        z: (rows, n), written.
        delta: (rows, entries of x), written.
        ratio: (rows,), written.
        status: (rows,), written.
    """
    for chunk in prange(n_chunks):
        start, stop = costs.shape[0] * chunk // n_chunks, costs.shape[0] * (chunk + 1) // n_chunks
        follow_rows(program, b, costs, enough, start, stop, z, delta, ratio, status)


@njit(cache=True, error_model="numpy", nogil=True)
def vjp_rows(program, b, costs, damping, homogeneous, z, delta, ratio, grad, out):
    """Write gradᵀ ∂z/∂c at the points where `follow_rows` stopped.

    With K = Δ Fᵀ N⁻¹ F Δ − Δ the path without τ has ∂z/∂c = K. The homogeneous one adds what τ does: with
    q = Δ Fᵀ N⁻¹ b it is K + (Kc + q − z)(z + Kc − q)ᵀ / (bᵀN⁻¹b − cᵀKc + κ/τ).

    Args:
        program: the constraints as given.
        b: (m + bounds,), the right sides and the finite upper bounds.
        costs: (rows, n).
        damping: added to the diagonal of N.
        homogeneous: whether τ counts.
        z: (rows, n), the points.
        delta: (rows, entries of x), x/t.
        ratio: (rows,), κ/τ.
        grad: (rows, n), what to multiply by.
        out: (rows, n), written.
    """
    n, m = costs.shape[1], program.right.shape[0]
    work = _room_for(delta.shape[1], b.shape[0], m)
    nothing, unpriced = np.zeros(delta.shape[1]), np.zeros(b.shape[0])
    for row in range(grad.shape[0]):
        c, d = costs[row], delta[row]
        _factor(program, d, damping, work)
        work.first[:n], work.first[n:] = grad[row], 0.0
        _newton(program, d, damping, work.system, work.first, unpriced, work.move, work.price)
        out[row] = work.move[:n]
        if homogeneous:
            work.first[:n] = c
            _newton(program, d, damping, work.system, work.first, unpriced, work.move, work.price)
            _newton(program, d, damping, work.system, nothing, b, work.along, work.price_along)
            slope = _dot(work.price_along, b) - _dot(work.move, c) + ratio[row]
            lost = 0.0
            for j in range(n):
                lost += grad[row, j] * (work.move[j] + work.along[j] - z[row, j]) / slope
            for j in range(n):
                out[row, j] += lost * (z[row, j] + work.move[j] - work.along[j])
