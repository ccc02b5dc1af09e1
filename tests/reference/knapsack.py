"""The knapsack in plain Python: all decisions in exact arithmetic, and SciPy's HiGHS for larger ones."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp


def on_grid(values, fits):
    """The values in units of the documented grid, as integers; None for items that are never taken."""
    largest = max([v for v, fit in zip(values, fits, strict=True) if fit and v > 0], default=0.0)
    _, exponent = math.frexp(2.0 * len(values) * largest)
    unit = Fraction(2) ** (exponent - 52) if largest > 0 else Fraction(1, 2**52)
    whole = [round(Fraction(v) / unit) for v in values]  # halves to even, as floats round
    return [w if fit and w > 0 else None for w, fit in zip(whole, fits, strict=True)]


def best_items(values, weights, capacity):
    """All decisions, those that take the first items before those that do not: the first best one."""
    rows = [[Fraction(w) for w in row] for row in np.atleast_2d(weights).tolist()]
    room = [Fraction(c) * (1 + Fraction(1, 10**9)) for c in np.atleast_1d(capacity).tolist()]
    fits = [all(row[i] <= c for row, c in zip(rows, room, strict=True)) for i in range(len(values))]
    worth = on_grid(np.asarray(values).tolist(), fits)
    best, found = -1, None
    for z in product((1, 0), repeat=len(worth)):
        chosen = [i for i, taken in enumerate(z) if taken]
        if any(worth[i] is None for i in chosen):
            continue
        total = sum(worth[i] for i in chosen)
        if total > best and all(sum(row[i] for i in chosen) <= c for row, c in zip(rows, room, strict=True)):
            best, found = total, z
    return np.array(found, float)


def best_value(values, weights, capacity):
    """The optimal value by HiGHS, for more items than can be enumerated."""
    room = np.atleast_1d(capacity) * (1 + 1e-9)
    found = milp(
        -values,
        constraints=LinearConstraint(np.atleast_2d(weights), -np.inf, room),
        integrality=np.ones(len(values)),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    assert found.success, found.message
    return -found.fun


def relaxed_value(values, weights, capacity):
    found = linprog(-values, A_ub=np.atleast_2d(weights), b_ub=np.atleast_1d(capacity), bounds=(0, 1))
    assert found.success, found.message
    return -found.fun


def value(items, values):
    return sum(z * v for z, v in zip(items, values, strict=True))


def regret(values_hat, values, weights, capacity):
    decided = value(best_items(values_hat, weights, capacity), values)
    return value(best_items(values, weights, capacity), values) - decided
