"""The recipe by which published code draws inventory's data, with global generators, row by row."""
# ruff: noqa: NPY002

import random

import numpy as np


def published_demand(seed, n_learn, n_test):
    """Return (x, levels) of the rows to learn from and of the rows to test on."""
    before = np.random.get_state(), random.getstate()
    try:
        random.seed(seed)
        np.random.seed(seed)
        learn_seed, test_seed = random.randrange(2**32), random.randrange(2**32)
        theta = np.random.randn(20, 5)
        test = _rows(test_seed, n_test, theta)
        return _rows(learn_seed, n_learn, theta), test
    finally:
        np.random.set_state(before[0])
        random.setstate(before[1])


def _rows(seed, n, theta):
    np.random.seed(seed)
    x, levels = np.random.randn(n, 20), []
    for weights, number in zip(np.exp(x @ theta), np.random.rand(n), strict=True):
        levels.append(next(k for k in range(5) if number < weights[: k + 1].sum() / weights.sum()))
    return x, levels
