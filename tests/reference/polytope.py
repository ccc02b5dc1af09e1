"""Slow, obvious answers over {A z = b, G z ≤ h, 0 ≤ z ≤ upper}, one row of costs at a time."""

import cvxpy as cp
import numpy as np
from mpmath import mp
from scipy.optimize import linprog, nnls


def smoothed(costs, polytope, mu):
    """The minimiser of costs·z + (mu/2)‖z‖² by an interior-point solver at tight tolerance."""
    z = cp.Variable(len(costs))
    tight = {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12}
    objective = cp.Minimize(costs @ z + mu / 2 * cp.sum_squares(z))
    cp.Problem(objective, cvxpy_constraints(z, polytope)).solve(solver=cp.CLARABEL, **tight)
    return z.value


def cvxpy_constraints(z, polytope):
    (a, b), (g, h), finite = polytope.equal, polytope.at_most, np.isfinite(polytope.upper)
    return [
        z >= 0,
        *([a @ z == b] if len(a) else []),
        *([g @ z <= h] if len(g) else []),
        *([z[finite] <= polytope.upper[finite]] if finite.any() else []),
    ]


def outside(z, polytope):
    """By how much z misses the constraint that it misses most, in units of that row's length."""
    rows, right = polytope.normals.matrix, polytope.limits
    lengths = np.linalg.norm(rows, axis=1)
    return float(((rows @ z - right) / np.where(lengths > 0, lengths, 1.0)).max())


def kkt_residual(z, costs, polytope, mu, tolerance=1e-9):
    """What is left of −(costs + mu z) when the best combination of the tight normals is taken away."""
    rows, right = polytope.normals.matrix, polytope.limits
    lengths = np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    tight = (right - rows @ z) / lengths <= tolerance * max(1.0, abs(z).max())
    goal = -(costs + mu * z)
    return float(np.linalg.norm(goal - nearest(goal, rows[tight] / lengths[tight, None])))


def nearest(q, normals):
    """The nearest point to q of the cone of the normals (k, n): q − p points along none of them.

    Where normals depend on each other, rounding can stop SciPy's NNLS far from that point (1.17.1, on some
    processors); in another order of the normals it goes on.
    """
    if not len(normals):
        return 0.0 * q
    rng = np.random.default_rng(0)
    for order in (np.arange(len(normals)), *(rng.permutation(len(normals)) for _ in range(50))):
        p = normals.T[:, order] @ nnls(normals.T[:, order], q, maxiter=100 * (len(normals) + 1))[0]
        along = normals @ (q - p)
        if (along <= 1e-10 * np.linalg.norm(q) * np.linalg.norm(normals, axis=1)).all():
            return p
    raise AssertionError(f"NNLS stops early in every order: {along.max()} is left along a normal")


def optimum(costs, polytope):
    """The smallest costs·z."""
    (a, b), (g, h) = polytope.equal, polytope.at_most
    bounds = list(zip(np.zeros(len(costs)), polytope.upper, strict=True))
    found = linprog(costs, A_ub=g, b_ub=h, A_eq=a, b_eq=b, bounds=bounds)
    assert found.success, found.message
    return found.fun


def standard_form(polytope):
    """F and b of F x = b, x ≥ 0, x = (z, slacks of upper bounds, slacks of rows); redundant rows are gone."""
    given = polytope.form.given
    rows = np.zeros((len(given.right), len(given.upper)))
    for j in range(len(given.upper)):
        for k in range(given.starts[j], given.starts[j + 1]):
            rows[given.rows[k], j] = given.entries[k]
    m, n, bounded = len(rows), len(polytope), given.bounded
    slack = np.eye(m)[:, given.n_equal :]
    top = np.hstack([rows, np.zeros((m, len(bounded))), slack])
    low = np.hstack([np.eye(n)[bounded], np.eye(len(bounded)), np.zeros((len(bounded), slack.shape[1]))])
    return np.vstack([top, low]), np.concatenate([given.right, given.upper[bounded]])


def path(costs, f, b, stop):
    """The homogeneous self-dual path of Andersen and Andersen (2000), dense: x, y, t, τ, κ at its end."""
    m, n = f.shape
    c = np.concatenate([costs, np.zeros(n - len(costs))])
    x, y, t, tau, kappa = np.ones(n), np.zeros(m), np.ones(n), 1.0, 1.0
    while True:
        d_x, d_y, d_t, d_tau, d_kappa = _direction(c, f, b, x, y, t, tau, kappa)
        now = np.concatenate([x, t, [tau, kappa]])
        change = np.concatenate([d_x, d_t, [d_tau, d_kappa]])
        falls = change < 0
        step = min(1.0, 0.9995 * (now[falls] / -change[falls]).min(initial=np.inf))
        x, y, t = x + step * d_x, y + step * d_y, t + step * d_t
        tau, kappa = tau + step * d_tau, kappa + step * d_kappa
        if (x @ t + tau * kappa) / (n + 1) < stop:
            return x, y, t, tau, kappa


def _direction(c, f, b, x, y, t, tau, kappa):
    """Predictor and corrector by one dense system in all unknowns."""
    m, n = f.shape
    mean = (x @ t + tau * kappa) / (n + 1)
    r_p, r_d, r_g = b * tau - f @ x, c * tau - f.T @ y - t, c @ x - b @ y + kappa
    products, pair, gamma = x * t, tau * kappa, 0.0
    for corrected in range(2):
        right = np.concatenate(
            [
                (1 - gamma) * r_p,
                (1 - gamma) * r_d,
                [(1 - gamma) * r_g],
                gamma * mean - products,
                [gamma * mean - pair],
            ]
        )
        step = np.linalg.solve(_newton_matrix(c, f, b, x, t, tau, kappa), right)
        d_x, d_y, d_t = step[:n], step[n : n + m], step[n + m : 2 * n + m]
        d_tau, d_kappa = step[-2:]
        if not corrected:
            now, change = np.concatenate([x, t, [tau, kappa]]), np.concatenate([d_x, d_t, [d_tau, d_kappa]])
            falls = change < 0
            alpha = min(1.0, (now[falls] / -change[falls]).min(initial=np.inf))
            gamma = (1 - alpha) ** 2 * min(0.1, 1 - alpha)
            products, pair = products + d_x * d_t, pair + d_tau * d_kappa
    return d_x, d_y, d_t, d_tau, d_kappa


def _newton_matrix(c, f, b, x, t, tau, kappa):
    """Rows: F x − bτ, Fᵀy + t − cτ, bᵀy − cᵀx − κ, x t, τκ; columns: x, y, t, τ, κ."""
    m, n = f.shape
    zero = np.zeros
    return np.block(
        [
            [f, zero((m, m)), zero((m, n)), -b[:, None], zero((m, 1))],
            [zero((n, n)), f.T, np.eye(n), -c[:, None], zero((n, 1))],
            [-c[None], b[None], zero((1, n)), zero((1, 1)), -np.ones((1, 1))],
            [np.diag(t), zero((n, m)), np.diag(x), zero((n, 1)), zero((n, 1))],
            [zero((1, n)), zero((1, m)), zero((1, n)), np.full((1, 1), kappa), np.full((1, 1), tau)],
        ]
    )


def moved(costs, change, f, b, state, homogeneous):
    """z where costs have changed and everything that the path fixed stays: its gaps and products of pairs."""
    x, y, t, tau, kappa = state
    m, n = f.shape
    c, c_new = (np.concatenate([v, np.zeros(n - len(costs))]) for v in (costs, costs + change))

    def gaps(c, x, y, t, tau, kappa):
        parts = [f @ x - b * tau, f.T @ y + t - c * tau, [b @ y - c @ x - kappa], x * t, [tau * kappa]]
        return np.concatenate(parts)

    if not homogeneous:  # the same with τ = 1, κ free
        x, y, t, tau, kappa = x / tau, y / tau, t / tau, 1.0, kappa / tau
    goal = gaps(c, x, y, t, tau, kappa)
    keep = np.ones(2 * n + m + 2, bool)
    keep[[-2, -1]] = homogeneous
    rows = np.ones(2 * n + m + 2, bool)
    rows[[n + m, -1]] = homogeneous
    for _ in range(8):
        missed = goal - gaps(c_new, x, y, t, tau, kappa)
        step = np.zeros(2 * n + m + 2)
        matrix = _newton_matrix(c_new, f, b, x, t, tau, kappa)[np.ix_(rows, keep)]
        step[keep] = np.linalg.solve(matrix, missed[rows])
        x, y, t = x + step[:n], y + step[n : n + m], t + step[n + m : 2 * n + m]
        tau, kappa = tau + step[-2], kappa + step[-1]
    return x[: len(costs)] / tau


def barrier_jacobian(costs, f, b, state, damping, homogeneous):
    """∂z/∂c by the published formulas (Mandi and Guns 2020), dense, in forty digits: they cancel badly."""
    with mp.workdps(40):
        x, t, tau, kappa = mp.matrix(state[0]), state[2], mp.mpf(state[3]), mp.mpf(state[4])
        f, b = mp.matrix(f.tolist()), mp.matrix(b.tolist())
        c = mp.matrix([*costs.tolist(), *[0] * (len(x) - len(costs))])
        delta = mp.diag([one / mp.mpf(other) for one, other in zip(x, t, strict=True)])
        inverse = (f * delta * f.T + damping * mp.eye(f.rows)) ** -1
        kkt = delta * f.T * inverse * f * delta - delta
        if homogeneous:
            t_1 = inverse * (b + f * delta * c)
            w_1 = delta * (f.T * t_1 - c)
            t_2 = tau * inverse * f * delta
            w_2 = delta * f.T * t_2 - tau * delta
            slope = (b.T * t_1)[0] - (c.T * w_1)[0] + kappa / tau
            d_tau = (x + w_2.T * c - t_2.T * b) / slope
            d_x = w_2 + w_1 * d_tau.T
            kkt = (tau * d_x - x * d_tau.T) / tau**2
        return np.array(kkt.tolist(), dtype=float)[: len(costs), : len(costs)]
