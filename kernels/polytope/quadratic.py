"""The smoothed program in Numba: min cᵀz + (μ/2)‖z‖² over a polytope, and its derivative.

Two halves. Mehrotra's predictor and corrector come near the optimum from any costs; only the m rows that are
no bounds enter their linear systems. Near the end the prices y of the rows tell the decision: it is
−(c + Mᵀy)/μ cut to its bounds. A few Newton steps on M z = right then make it exact and show which entries
are free. A row counts as solved only when it meets the KKT conditions after these steps.

Programs are in the units of `Form.scaled`, costs and μ such that the larger of max|c| and μ is one. Pairs are
the slacks x of all inequalities and their multipliers t: z itself, upper bounds, rows from n_equal on.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

STEPS = 60
"""Interior-point steps before a row is given up; ten are usual."""
STALLED, CENTRE = 20, 0.3
"""After so many steps a row goes in a circle. Then it aims at this share of its mean product alone."""
EXACT = 1e-13
"""The KKT residual that ends the search, in units of decisions; c/μ may add ROUNDING times its size."""
ROUNDING = 2e-15
ENOUGH = 1e-9
"""The KKT residual that is accepted when no step is left; rows of M are never missed by more."""
SMALLEST = 1e-12
"""A μ that is smaller beside the costs leaves no digits of its own; such a row counts as unsolved."""
TIE = 1e-9
"""A multiplier below this, divided by μ, counts as zero: on a kink all devices take the same derivative."""
NEAR = 1e-2  # products of pairs and gaps below this share of μ: the prices may tell the decision
NEWTON = 3
DEPENDENT = 1e-10  # a row of length one is a combination of others if less than this of its square is left


class Work(NamedTuple):
    """Arrays that one thread uses for all its rows."""

    x: np.ndarray
    t: np.ndarray
    dx: np.ndarray
    dt: np.ndarray
    change: np.ndarray
    y: np.ndarray
    dy: np.ndarray
    guess: np.ndarray
    primal: np.ndarray
    dual: np.ndarray
    weights: np.ndarray
    lead: np.ndarray
    system: np.ndarray


@njit(cache=True, error_model="numpy", nogil=True)
def _room_for(n, m, n_pairs):
    return Work(
        np.empty(n_pairs),
        np.empty(n_pairs),
        np.empty(n_pairs),
        np.empty(n_pairs),
        np.empty(n_pairs),
        np.empty(m),
        np.empty(m),
        np.empty(m),
        np.empty(m),
        np.empty(n),
        np.empty(n),
        np.empty(n),
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
def _load(program, z, out):
    """Write M z."""
    out[:] = 0.0
    for j in range(program.upper.shape[0]):
        for k in range(program.starts[j], program.starts[j + 1]):
            out[program.rows[k]] += program.entries[k] * z[j]


@njit(cache=True, error_model="numpy", nogil=True)
def _gram(program, weights, out):
    """Write the upper half of M diag(weights) Mᵀ; the entries of a column are in the order of the rows."""
    out[:] = 0.0
    for j in range(program.upper.shape[0]):
        if weights[j] != 0.0:
            stop = program.starts[j + 1]
            for k in range(program.starts[j], stop):
                factor, row = weights[j] * program.entries[k], program.rows[k]
                for other in range(k, stop):
                    out[row, program.rows[other]] += factor * program.entries[other]


@njit(cache=True, error_model="numpy", nogil=True)
def _factor(system, least):
    """Replace the upper half by its Cholesky factor; a pivot of at most `least` counts as zero."""
    m = system.shape[0]
    for k in range(m):
        if not system[k, k] > least:
            system[k, k:] = 0.0
            continue
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
    """Replace x by the solution; entries whose pivot is zero become zero."""
    m = x.shape[0]
    for k in range(m):
        x[k] = x[k] / factor[k, k] if factor[k, k] > 0.0 else 0.0
        if x[k] != 0.0:
            for j in range(k + 1, m):
                x[j] -= factor[k, j] * x[k]
    for k in range(m - 1, -1, -1):
        total = x[k]
        for j in range(k + 1, m):
            total -= factor[k, j] * x[j]
        x[k] = total / factor[k, k] if factor[k, k] > 0.0 else 0.0


@njit(cache=True, error_model="numpy", nogil=True)
def _start(program, c, mu, work):
    """Begin at the point inside, where all pairs have the same product."""
    n, first = c.shape[0], c.shape[0] + program.bounded.shape[0] - program.n_equal
    largest = 0.0
    for j in range(n):
        work.x[j] = program.inside[j]
        largest = max(largest, abs(c[j] + mu * program.inside[j]))
    for k, j in enumerate(program.bounded):
        work.x[n + k] = program.upper[j] - program.inside[j]
    _load(program, program.inside, work.primal)
    for i in range(program.n_equal, program.right.shape[0]):
        work.x[first + i] = program.right[i] - work.primal[i]
    for k in range(work.x.shape[0]):
        work.t[k] = largest / work.x[k]
    work.y[:] = 0.0


@njit(cache=True, error_model="numpy", nogil=True)
def _gaps(program, c, mu, work):
    """Write what stationarity (dual) and the rows (primal) miss; return the largest, and the mean product."""
    n, m = c.shape[0], program.right.shape[0]
    first = n + program.bounded.shape[0] - program.n_equal
    for i in range(program.n_equal, m):
        work.y[i] = work.t[first + i]
    _price(program, work.y, work.dual)
    for j in range(n):
        work.dual[j] += c[j] + mu * work.x[j] - work.t[j]
    for k, j in enumerate(program.bounded):
        work.dual[j] += work.t[n + k]
    _load(program, work.x, work.primal)
    largest, mean = 0.0, 0.0
    for i in range(m):
        work.primal[i] -= program.right[i]
        if i >= program.n_equal:
            work.primal[i] += work.x[first + i]
        largest = max(largest, abs(work.primal[i]))
    for j in range(n):
        largest = max(largest, abs(work.dual[j]))
    for k in range(work.x.shape[0]):
        work.change[k] = -work.x[k] * work.t[k]
        mean -= work.change[k]
    return largest, mean / work.x.shape[0]


@njit(cache=True, error_model="numpy", nogil=True)
def _factor_system(program, mu, work):
    """Write 1 / (μ + what the bounds add) as weights, and the factor of the system of the rows."""
    n, first = program.upper.shape[0], program.upper.shape[0] + program.bounded.shape[0] - program.n_equal
    x, t, weights = work.x, work.t, work.weights
    for j in range(n):
        weights[j] = mu + t[j] / x[j]
    for k, j in enumerate(program.bounded):
        weights[j] += t[n + k] / x[n + k]
    for j in range(n):
        weights[j] = 1.0 / weights[j]
    _gram(program, weights, work.system)
    for i in range(program.n_equal, program.right.shape[0]):
        work.system[i, i] += x[first + i] / t[first + i]
    _factor(work.system, 0.0)


@njit(cache=True, error_model="numpy", nogil=True)
def _direction(program, work):
    """Write the step dx, dt, dy that closes both gaps and changes the products of pairs by `change`."""
    x, t, change, dx, dt, dy, lead = work.x, work.t, work.change, work.dx, work.dt, work.dy, work.lead
    n, m, n_bounds = lead.shape[0], dy.shape[0], lead.shape[0] + program.bounded.shape[0]
    first = n_bounds - program.n_equal
    for j in range(n):
        lead[j] = change[j] / x[j] - work.dual[j]
    for k, j in enumerate(program.bounded):
        lead[j] -= change[n + k] / x[n + k]
    for j in range(n):
        dx[j] = lead[j] * work.weights[j]
    _load(program, dx, dy)
    for i in range(m):
        dy[i] += work.primal[i]
        if i >= program.n_equal:
            dy[i] += change[first + i] / t[first + i]
    _solve(work.system, dy)
    _price(program, dy, dx)
    for j in range(n):
        dx[j] = (lead[j] - dx[j]) * work.weights[j]
    for k, j in enumerate(program.bounded):
        dx[n + k] = -dx[j]
    for k in range(n_bounds):
        dt[k] = (change[k] - t[k] * dx[k]) / x[k]
    for i in range(program.n_equal, m):
        k = first + i
        dt[k] = dy[i]
        dx[k] = (change[k] - x[k] * dy[i]) / t[k]


@njit(cache=True, error_model="numpy", nogil=True)
def _length(work):
    """Return the longest step up to one that keeps all pairs non-negative."""
    step = 1.0
    for k in range(work.x.shape[0]):
        if work.x[k] + step * work.dx[k] < 0.0:
            step = -work.x[k] / work.dx[k]
        if work.t[k] + step * work.dt[k] < 0.0:
            step = -work.t[k] / work.dt[k]
    return step


@njit(cache=True, error_model="numpy", nogil=True)
def _aim(work, stalled):
    """Turn the predictor's change into the corrector's: towards the centre, less the second-order term.

    The term counts by the square of the step that the predictor could make. In full it made more rows cycle.
    """
    x, t, dx, dt, step = work.x, work.t, work.dx, work.dt, _length(work)
    now, ahead = 0.0, 0.0
    for k in range(x.shape[0]):
        now += x[k] * t[k]
        ahead += (x[k] + step * dx[k]) * (t[k] + step * dt[k])
    share, second = (CENTRE, 0.0) if stalled else ((ahead / now) ** 3, step * step)
    for k in range(x.shape[0]):
        work.change[k] += share * now / x.shape[0] - second * dx[k] * dt[k]


@njit(cache=True, error_model="numpy", nogil=True)
def _advance(program, mu, work, stalled):
    """Make one predictor-corrector step."""
    _factor_system(program, mu, work)
    _direction(program, work)
    _aim(work, stalled)
    _direction(program, work)
    step = min(1.0, 0.995 * _length(work))
    for k in range(work.x.shape[0]):
        work.x[k] += step * work.dx[k]
        work.t[k] += step * work.dt[k]
    for i in range(work.y.shape[0]):
        work.y[i] += step * work.dy[i]


@njit(cache=True, error_model="numpy", nogil=True)
def _cut(program, c, mu, y, z, free):
    """Write the decision that the prices y tell, and which of its entries are free."""
    _price(program, y, z)
    rounding = ROUNDING / mu
    for j in range(z.shape[0]):
        uncut = -(c[j] + z[j]) / mu
        free[j] = -rounding < uncut < program.upper[j] + rounding
        z[j] = min(max(uncut, 0.0), program.upper[j])


@njit(cache=True, error_model="numpy", nogil=True)
def _miss(program, mu, z, y, tight, gap):
    """Write M z − right in rows that are tight, else zero; return the KKT residual of z, cut from y."""
    _load(program, z, gap)
    worst = 0.0
    for i in range(gap.shape[0]):
        gap[i] -= program.right[i]
        tight[i] = i < program.n_equal or y[i] / mu + gap[i] > 0.0
        worst = max(worst, abs(gap[i]) if tight[i] else abs(y[i] / mu))
        if not tight[i]:
            gap[i] = 0.0
    return worst


@njit(cache=True, error_model="numpy", nogil=True)
def _solve_free(program, free, tight, weights, system, gap):
    """Replace gap by the least-squares solution of M_free M_freeᵀ y = gap in the rows that are tight."""
    weights[:] = free
    _gram(program, weights, system)
    for i in range(gap.shape[0]):
        if not tight[i]:
            system[i, i:] = 0.0
            system[:i, i] = 0.0
    _factor(system, DEPENDENT)
    _solve(system, gap)


@njit(cache=True, error_model="numpy", nogil=True)
def _shift(program, work, z, free, tight, gap):
    """Close what rounding of c/μ leaves between M z and right; return the rest.

    Entries that meet a bound are not free, and rows that are missed are tight.
    """
    largest = np.inf
    for attempt in range(NEWTON + 1):
        _load(program, z, gap)
        largest = 0.0
        for i in range(gap.shape[0]):
            gap[i] -= program.right[i]
            tight[i] = tight[i] or gap[i] > EXACT
            gap[i] = gap[i] if tight[i] else 0.0
            largest = max(largest, abs(gap[i]))
        if largest <= EXACT or attempt == NEWTON:
            break
        _solve_free(program, free, tight, work.weights, work.system, gap)
        _price(program, gap, work.lead)
        for j in range(z.shape[0]):
            if free[j]:
                moved = z[j] - work.lead[j]
                free[j] = 0.0 <= moved <= program.upper[j]
                z[j] = min(max(moved, 0.0), program.upper[j])
    return largest


@njit(cache=True, error_model="numpy", nogil=True)
def _mark(program, c, mu, y, price, free, tight):
    """Write which entries and rows have no multiplier and which have one: what the derivative rests on."""
    tie = TIE + ROUNDING / mu
    _price(program, y, price)
    for j in range(free.shape[0]):
        free[j] = -tie < -(c[j] + price[j]) / mu < program.upper[j] + tie
    for i in range(tight.shape[0]):
        tight[i] = i < program.n_equal or y[i] / mu > tie


@njit(cache=True, error_model="numpy", nogil=True)
def _settle(program, c, mu, enough, work, z, free, tight):
    """Make the decision that the prices tell exact, where they are near enough; return its KKT residual."""
    y, gap = work.guess, work.primal
    y[:] = work.y
    missed = np.inf
    for attempt in range(NEWTON + 1):
        _cut(program, c, mu, y, z, free)
        missed = _miss(program, mu, z, y, tight, gap)
        if missed <= enough or attempt == NEWTON:
            break
        _solve_free(program, free, tight, work.weights, work.system, gap)
        for i in range(y.shape[0]):
            y[i] = y[i] + mu * gap[i] if tight[i] else 0.0
    if EXACT < missed <= enough and not _shift(program, work, z, free, tight, gap) <= ENOUGH:
        return np.inf
    return missed


@njit(cache=True, error_model="numpy", nogil=True)
def _solve_row(program, c, mu, work, z, free, tight):
    """Write the decision of one row of costs; return whether it is solved."""
    enough, near = EXACT + ROUNDING / mu, max(NEAR * mu, EXACT)
    missed = np.inf
    _start(program, c, mu, work)
    for taken in range(STEPS):
        largest, mean = _gaps(program, c, mu, work)
        if mean < near and largest < near:
            missed = _settle(program, c, mu, enough, work, z, free, tight)
            if missed <= enough:
                break
            _gaps(program, c, mu, work)
        _advance(program, mu, work, taken >= STALLED)
    _mark(program, c, mu, work.guess, work.lead, free, tight)
    return missed <= max(enough, ENOUGH) and mu >= SMALLEST


@njit(cache=True, error_model="numpy", nogil=True)
def solve_rows(program, unit, costs, mu, start, stop, z, free, tight, solved):
    """Write the decisions of the rows [start, stop).

    Args:
        program: the constraints, scaled.
        unit: the size of decisions.
        costs: (rows, n), finite.
        mu: weight of ‖z‖²/2.
        start: first row to solve.
        stop: row after the last one to solve.
        z: (rows, n), written: the decisions.
        free: (rows, n), bool, written: the entries whose bounds have no multiplier.
        tight: (rows, m), bool, written: the equalities, and the inequalities that have a multiplier.
        solved: (rows,), bool, written.
    """
    n, m = program.upper.shape[0], program.right.shape[0]
    work = _room_for(n, m, n + program.bounded.shape[0] + m - program.n_equal)
    c = np.empty(n)
    for row in range(start, stop):
        scale = mu * unit
        for j in range(n):
            scale = max(scale, abs(costs[row, j]))
        for j in range(n):
            c[j] = costs[row, j] / scale
        solved[row] = _solve_row(program, c, mu * unit / scale, work, z[row], free[row], tight[row])
        for j in range(n):
            z[row, j] *= unit


@njit(cache=True, error_model="numpy", nogil=True, parallel=True)
def solve_rows_threaded(program, unit, costs, mu, n_chunks, z, free, tight, solved):
    """Run `solve_rows` on chunks of rows, one chunk per thread at a time: the same bits, sooner.

    Args:
        program: the constraints, scaled.
        unit: the size of decisions.
        costs: (rows, n), finite.
        mu: weight of ‖z‖²/2.
        n_chunks: how many parts the rows are cut into.
        z: (rows, n), written.
        free: (rows, n), bool, written.
        tight: (rows, m), bool, written.
        solved: (rows,), bool, written.
    """
    for chunk in prange(n_chunks):
        start, stop = costs.shape[0] * chunk // n_chunks, costs.shape[0] * (chunk + 1) // n_chunks
        solve_rows(program, unit, costs, mu, start, stop, z, free, tight, solved)


@njit(cache=True, error_model="numpy", nogil=True)
def vjp_rows(program, mu, free, tight, grad, out):
    """Write −(1/μ) times grad projected on the directions that keep all tight constraints.

    Args:
        program: the constraints, scaled.
        mu: weight of ‖z‖²/2.
        free: (rows, n), as `solve_rows` wrote it.
        tight: (rows, m), as `solve_rows` wrote it.
        grad: (rows, n).
        out: (rows, n), written.
    """
    n, m = program.upper.shape[0], program.right.shape[0]
    weights, gap, system, moved = np.empty(n), np.empty(m), np.empty((m, m)), np.empty(n)
    for row in range(grad.shape[0]):
        for j in range(n):
            moved[j] = grad[row, j] if free[row, j] else 0.0
        _load(program, moved, gap)
        for i in range(m):
            if not tight[row, i]:
                gap[i] = 0.0
        _solve_free(program, free[row], tight[row], weights, system, gap)
        _price(program, gap, weights)
        for j in range(n):
            out[row, j] = -(moved[j] - weights[j]) / mu if free[row, j] else 0.0
