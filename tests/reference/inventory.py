"""The inventory problem in plain Python: the formula, bisection on its slope, and the cvxpy model."""

from fractions import Fraction
from itertools import pairwise

import cvxpy as cp


def cost(z, p, costs, demand):
    """The formula; exact where all arguments are fractions."""
    c0, q0, cb, qb, ch, qh = costs
    total = c0 * z + q0 / 2 * z**2
    for probability, level in zip(p, demand, strict=True):
        short, over = max(level - z, 0), max(z - level, 0)
        total += probability * (cb * short + qb / 2 * short**2 + ch * over + qh / 2 * over**2)
    return total


def exact_cost(z, p, costs, demand):
    """The cost as a fraction, without any rounding."""
    fractions = ([Fraction(float(v)) for v in values] for values in (p, costs, demand))
    return cost(Fraction(float(z)), *fractions)


def slope_right(z, p, costs, demand):
    """The right derivative of the cost."""
    c0, q0, cb, qb, ch, qh = costs
    slope = c0 + q0 * z
    for probability, level in zip(p, demand, strict=True):
        slope += probability * (ch + qh * (z - level) if z >= level else -cb - qb * (level - z))
    return slope


def order(p, costs, demand):
    """The smallest z at which the cost stops falling, by bisection down to neighbouring numbers."""
    low, high = 0.0, float(demand[-1])
    if slope_right(low, p, costs, demand) >= 0:
        return low
    while low < (middle := (low + high) / 2) < high:
        if slope_right(middle, p, costs, demand) >= 0:
            high = middle
        else:
            low = middle
    return high


def lowest_order(weights, costs, demand):
    """The first least point in [0, last demand], in fractions; three points of a segment fix its parabola."""
    weights, costs, demand = ([Fraction(float(v)) for v in values] for values in (weights, costs, demand))
    points = {Fraction(0)}
    for left, right in pairwise(sorted({Fraction(0), *demand})):
        middle, half = (left + right) / 2, (right - left) / 2
        low, mid, high = (cost(z, weights, costs, demand) for z in (left, middle, right))
        bend = low - 2 * mid + high
        points |= {left, right}
        if bend > 0 and left < (z := middle - half * (high - low) / (2 * bend)) < right:
            points.add(z)
    return min(sorted(points), key=lambda z: cost(z, weights, costs, demand))


def order_by_cvxpy(p, costs, demand):
    c0, q0, cb, qb, ch, qh = costs
    z = cp.Variable(nonneg=True)
    total = c0 * z + q0 / 2 * cp.square(z)
    for probability, level in zip(p, demand, strict=True):
        short, over = cp.pos(level - z), cp.pos(z - level)
        total += probability * (cb * short + qb / 2 * cp.square(short) + ch * over + qh / 2 * cp.square(over))
    cp.Problem(cp.Minimize(total)).solve(solver=cp.CLARABEL)
    return float(z.value)
