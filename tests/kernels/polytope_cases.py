"""Polytopes of the linear problems, small enough for plain Python, and random ones with every trouble."""

import numpy as np
from hypothesis import strategies as st

from kernels.polytope import Polytope


def grid(height=3, width=4):
    """Paths from corner to corner; the last node's row says nothing new."""
    node = np.arange(height * width).reshape(height, width)
    pairs = ((node[:, :-1], node[:, 1:]), (node[:-1], node[1:]))
    arcs = [arc for tails, heads in pairs for arc in zip(tails.flat, heads.flat, strict=True)]
    rows = np.zeros((height * width, len(arcs)))
    for arc, (tail, head) in enumerate(arcs):
        rows[tail, arc], rows[head, arc] = 1.0, -1.0
    right = np.zeros(height * width)
    right[0], right[-1] = 1.0, -1.0
    return Polytope(equal=(rows, right), upper=1.0)


def knapsack(n=10):
    weights = np.random.default_rng(0).integers(3, 8, (2, n)).astype(float)
    return Polytope(at_most=(weights, np.full(2, 20.0)), upper=np.ones(n))


def top_k(n=12, k=3):
    return Polytope(equal=(np.ones((1, n)), np.array([float(k)])), upper=1.0)


def matching(n=4):
    rows = np.vstack([np.kron(np.eye(n), np.ones(n)), np.kron(np.ones(n), np.eye(n))])
    return Polytope(equal=(rows, np.ones(2 * n)))


def energy(n=12):
    return Polytope(at_most=(-np.ones((1, n)), np.array([-4.0])), upper=np.linspace(0.5, 2.0, n))


def box(n=5):
    return Polytope(upper=np.arange(1.0, n + 1))


CASES = {f.__name__: f for f in (grid, knapsack, top_k, matching, energy, box)}


@st.composite
def polytopes(draw, largest=7):
    """Bounded or not, with rows that repeat others, whole numbers, and slacks from large to nearly none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, whole = draw(st.integers(1, largest)), draw(st.booleans())
    n_equal, n_less = draw(st.integers(0, max(0, n - 1))), draw(st.integers(0, 4))
    size = draw(st.sampled_from([1.0, 1.0, 1e-3, 1e4]))
    inside = size * rng.integers(1, 4, n) / 4
    upper = np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.7, 1.0])), size, np.inf)
    made = rng.integers(-2, 3, (n_equal + n_less, n)) if whole else rng.normal(size=(n_equal + n_less, n))
    equal, less = made[:n_equal].astype(float), made[n_equal:].astype(float)
    if n_equal > 1 and draw(st.booleans()):
        equal[-1] = equal[0] - 2.0 * equal[1 % (n_equal - 1)]
    slack = size * rng.choice([0.25, 1.0, 1e-4], n_less) * np.maximum(np.linalg.norm(less, axis=1), 1.0)
    return Polytope(equal=(equal, equal @ inside), at_most=(less, less @ inside + slack), upper=upper)


@st.composite
def programs(draw, largest=7):
    """A polytope and costs (3, n): real, whole with ties, few that are not zero, or all equal."""
    polytope = draw(polytopes(largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind, shape = draw(st.sampled_from(["real", "whole", "few", "equal"])), (3, len(polytope))
    if kind == "real":
        return polytope, rng.normal(size=shape)
    if kind == "equal":
        return polytope, np.ones(shape)
    costs = rng.integers(-2, 3, shape).astype(float)
    return polytope, costs * (rng.random(shape) < 0.3) if kind == "few" else costs


def costs_of(polytope, rows=6, seed=0):
    return np.random.default_rng(seed).normal(size=(rows, len(polytope)))
