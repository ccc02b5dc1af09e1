"""The neighbours of a vertex by their definition, for small polytopes."""

from itertools import combinations

import numpy as np

ROUNDING = 1e-9


def rules(equal, at_most, upper):
    """Return rows and right-hand sides of all that z must not exceed; equalities are two rows each."""
    n = len(upper)
    rows = np.vstack([equal[0], -equal[0], at_most[0], -np.eye(n), np.eye(n)])
    return rows, np.concatenate([equal[1], -equal[1], at_most[1], np.zeros(n), upper])


def vertices(rows, right):
    """Return all vertices (k, n): points that n independent rules hold, and no rule excludes."""
    n, found = rows.shape[1], []
    for chosen in combinations(range(len(rows)), n):
        system = rows[list(chosen)]
        if abs(np.linalg.det(system)) > ROUNDING:
            z = np.linalg.solve(system, right[list(chosen)])
            if (rows @ z <= right + ROUNDING).all() and not any(np.allclose(z, v, atol=1e-7) for v in found):
                found.append(z)
    return np.array(found)


def neighbours(rows, right, z):
    """Return the vertices (k, n) that an edge joins with z: the rules tight at both leave one dimension."""
    tight = lambda v: rows @ v >= right - 1e-7  # noqa: E731
    ends = [v for v in vertices(rows, right) if not np.allclose(v, z, atol=1e-7)]
    n = rows.shape[1]
    return np.array([v for v in ends if np.linalg.matrix_rank(rows[tight(z) & tight(v)], tol=1e-7) == n - 1])
