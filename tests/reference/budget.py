"""The budget problem in plain Python: the formula, all subsets, bisection, textbook ascent."""

from itertools import combinations

import numpy as np


def value(z, ctr, weights=None):
    n_sites, n_users = ctr.shape
    total = 0.0
    for user in range(n_users):
        missed = 1.0
        for site in range(n_sites):
            missed *= 1.0 - z[site] * ctr[site, user]
        total += (1.0 if weights is None else weights[user]) * (1.0 - missed)
    return total


def indicator(subset, n_sites):
    z = np.zeros(n_sites)
    z[list(subset)] = 1.0
    return z


def extreme_subset(ctr, size, weights=None, sign=1):
    """The first subset in lexicographic order whose value nothing beats by more than rounding."""
    subsets = [indicator(s, len(ctr)) for s in combinations(range(len(ctr)), size)]
    values = [sign * value(z, ctr, weights) for z in subsets]
    best = max(values)
    return next(z for z, v in zip(subsets, values, strict=True) if v >= best - 1e-11 * abs(best))


def greedy_subset(ctr, size, weights=None):
    """Add the first of the websites that no other beats by more than rounding."""
    z = np.zeros(len(ctr))
    for _ in range(size):
        free = np.flatnonzero(z == 0)
        values = np.array([value(z + indicator([site], len(ctr)), ctr, weights) for site in free])
        z[free[np.argmax(values >= values.max() - 1e-11 * values.max())]] = 1.0
    return z


def project(z, total):
    low, high = -1.0 - np.abs(z).max(), 1.0 + np.abs(z).max()
    for _ in range(200):
        middle = (low + high) / 2
        if np.clip(z + middle, 0, 1).sum() < total:
            low = middle
        else:
            high = middle
    return np.clip(z + high, 0, 1)


def gradient(z, ctr, weights):
    slope = np.zeros(len(ctr))
    for site in range(len(ctr)):
        with_, without = z.copy(), z.copy()
        with_[site], without[site] = 1.0, 0.0
        slope[site] = value(with_, ctr, weights) - value(without, ctr, weights)
    return slope


def relax(ctr, size, weights, steps, lr, momentum, start):
    z, velocity = project(start, size), np.zeros(len(ctr))
    for _ in range(steps):
        velocity = momentum * velocity + gradient(z, ctr, weights)
        z = project(z + lr * velocity, size)
    return z
