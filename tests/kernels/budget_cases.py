"""Random budget instances, with zeros, ones and repeated websites, so that ties and exclusions are common."""

import numpy as np
from hypothesis import strategies as st


def click_rates(rng, shape):
    """Rates (..., W, U): a mixture of uniform ones, zeros and ones; sometimes on a coarse grid."""
    ctr = rng.random(shape)
    ctr[rng.random(shape) < 0.2] = 0.0
    ctr[rng.random(shape) < 0.05] = 1.0
    return np.round(ctr, 1) if rng.random() < 0.3 else ctr


@st.composite
def instances(draw):
    """(ctr (N, W, U), budget, weights or None)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_sites = draw(st.integers(2, 7))
    n_rows, n_users = draw(st.integers(1, 3)), draw(st.integers(1, 6))
    ctr = click_rates(rng, (n_rows, n_sites, n_users))
    if draw(st.booleans()):
        ctr[:, -1] = ctr[:, 0]  # twins: every subset with one of them has an equal
    weights = draw(st.sampled_from([None, (n_users,), (n_rows, n_users)]))
    return (
        ctr,
        draw(st.integers(1, n_sites - 1)),
        None if weights is None else rng.integers(0, 4, weights).astype(float),
    )


def weights_of_rows(weights, ctr):
    """One weight vector a row, for the oracles."""
    ones = np.ones(ctr.shape[-1]) if weights is None else weights
    return np.broadcast_to(ones, (len(ctr), ctr.shape[-1]))
