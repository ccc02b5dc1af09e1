"""Random knapsacks with ties, zeros, negative values, items that do not fit and loads that fill exactly."""

import numpy as np
from hypothesis import strategies as st


def some_values(rng, shape, kind):
    values = rng.normal(1.0, 1.0, shape)
    if kind == "whole":
        return np.round(3 * values)
    if kind == "decimal":
        return np.round(values, 1)
    if kind == "twins":
        values[..., 1::2] = values[..., : shape[-1] // 2 * 2 : 2]
    return values * 10.0 ** rng.integers(-8, 9) if kind == "scaled" else values


def some_weights(rng, shape, kind):
    if kind == "whole":
        return rng.integers(0, 8, shape).astype(float)
    if kind == "decimal":
        return rng.integers(0, 30, shape) / 10
    return rng.random(shape)


@st.composite
def instances(draw, most_items=8, most_dims=3, weight_kinds=("whole", "decimal", "real")):
    """(values (N, n), weights (d, n), capacity (d,)), at least one item fits."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_items, n_dims = draw(st.integers(1, most_items)), draw(st.integers(1, most_dims))
    kind = draw(st.sampled_from(["real", "whole", "decimal", "twins", "scaled"]))
    values = some_values(rng, (draw(st.integers(1, 3)), n_items), kind)
    weights = some_weights(rng, (n_dims, n_items), draw(st.sampled_from(weight_kinds)))
    first = weights[:, 0]
    # Often exactly the load of some items: decimal sums must not fall out by rounding.
    some = weights[:, rng.random(n_items) < 0.5].sum(1)
    return values, weights, np.maximum(first, some) if rng.random() < 0.7 else first + 2 * rng.random()


def electricity(rng, n_rows):
    """48 slots with weights 3, 5 and 7 that sum to 240, as in the energy knapsack."""
    weights = rng.permutation(np.repeat([3.0, 5.0, 7.0], 16))
    return rng.gamma(4.0, 80.0, (n_rows, 48)), weights


def polynomial(rng, n_rows, n_items=32, n_dims=2, degree=4):
    """Whole values and weights of two decimals, like those of the generator in the literature."""
    weights = rng.integers(300, 800, (n_dims, n_items)) / 100
    signal = rng.normal(size=(n_rows, 5)) @ rng.integers(0, 2, (5, n_items)) / np.sqrt(5)
    noise = rng.uniform(0.5, 1.5, (n_rows, n_items))
    return np.ceil(5 * ((signal + 3) ** degree + 1) / 3.5**degree * noise), weights
