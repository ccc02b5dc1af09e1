"""Families of covariance matrices, easy and hard, and returns to go with them."""

import numpy as np


def matrix(family, n, rng):
    """One symmetric positive semi-definite (n, n) matrix; FAMILIES says which have a unique optimum."""
    x = rng.normal(size=(n, n))
    if family == "full rank":
        sigma = x @ x.T / n + 1e-3 * np.eye(n)
    elif family == "correlation":
        window = rng.normal(size=(10, n)) + rng.normal(size=(10, 1))
        sigma = np.corrcoef(window.T).reshape(n, n) + 0.1 * np.eye(n)
    elif family == "diagonal":
        sigma = np.diag(rng.uniform(0.1, 2.0, n))
    elif family == "rank deficient":
        sigma = x[:, : max(1, n // 5)] @ x[:, : max(1, n // 5)].T
    elif family == "identical stocks":
        x[n // 2 :] = x[: n - n // 2]
        sigma = x @ x.T / n
    elif family == "zero":
        sigma = np.zeros((n, n))
    return (sigma + sigma.T) / 2


UNIQUE = ("full rank", "correlation", "diagonal")
FLAT = ("rank deficient", "identical stocks", "zero")
FAMILIES = UNIQUE + FLAT
SCALES = (0.0, 1e-6, 1e-3, 0.03, 0.3, 10.0, 1e6)  # of y: least risk alone matters, …, a vertex is optimal


def batch(family, n, rng, groups=3):
    """Matrices (groups, n, n) and returns (len(SCALES), groups, n), one scale after the other."""
    sigma = np.stack([matrix(family, n, rng) for _ in range(groups)])
    y = rng.normal(size=(len(SCALES), groups, n)) * np.array(SCALES)[:, None, None]
    return y, sigma
