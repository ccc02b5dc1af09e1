"""Random inventory instances, drawn so that edges are common: zero costs, zero and one-hot probabilities."""

import numpy as np
from hypothesis import strategies as st

PAPER = ((10.0, 2.0, 30.0, 14.0, 10.0, 2.0), (1.0, 2.0, 5.0, 10.0, 20.0))


def probabilities(rng, shape, n_demands):
    """Dirichlet rows with a third of the entries zeroed, some rows one-hot."""
    p = rng.dirichlet(np.full(n_demands, 0.7), shape) * (rng.random((*shape, n_demands)) < 0.67)
    p[..., 0] += p.sum(-1) == 0
    p /= p.sum(-1, keepdims=True)
    one_hot = np.eye(n_demands)[rng.integers(n_demands, size=shape)]
    return np.where(rng.random((*shape, 1)) < 0.2, one_hot, p)


def parameters(rng, n_demands):
    """Costs with some zeros, and increasing demands that may start at zero."""
    costs = tuple(rng.uniform(0, 20, 6) * (rng.random(6) < 0.7))
    demand = np.cumsum(rng.uniform(0.1, 5, n_demands))
    return costs, tuple(demand - demand[0] * (rng.random() < 0.3))


@st.composite
def instances(draw):
    """(p, y, costs, demand) with 1 to 7 demands and a few rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_demands, n_rows = draw(st.integers(1, 7)), draw(st.integers(1, 5))
    costs, demand = parameters(rng, n_demands)
    return (
        probabilities(rng, (n_rows,), n_demands),
        probabilities(rng, (n_rows,), n_demands),
        costs,
        demand,
    )
