"""Demand that follows features: x ~ N(0, I), demand ~ Categorical(softmax(Θᵀx))."""

import random

import numpy as np

from ..contracts.seeding import rng_for
from ..contracts.split import Split, Splits

Sizes = tuple[int, int, int]  # rows to train, to validate and to test on


def own_demand(seed: int, sizes: Sizes, n_features: int, n_levels: int, *, nonlinear: float = 0.0) -> Splits:
    """Return the rows of a seed, each part from a stream of its own.

    With `nonlinear` the score of a demand is not Θᵀx alone, see `_scores`.

    Args:
        seed: the seed.
        sizes: rows of each part.
        n_features: features of a row.
        n_levels: levels of demand.
        nonlinear: share of a score's variance that no linear score explains.
    """
    theta, phi = (
        rng_for("inventory", name, seed=seed).standard_normal((n_features, n_levels))
        for name in ("theta", "phi")
    )

    def draw(part: str, n: int) -> Split:
        rng = rng_for("inventory", "data", part, seed=seed)
        x = rng.standard_normal((n, n_features))
        return _labelled(x, _scores(x, theta, phi, nonlinear), rng.random(n))

    n_train, n_val, n_test = sizes
    return Splits(draw("train", n_train), draw("val", n_val), draw("test", n_test))


def published_demand(seed: int, sizes: Sizes, n_features: int, n_levels: int) -> Splits:
    """Return the rows that published code draws if it is given a seed; its default is 0.

    That code seeds Python's and NumPy's global generators. The old generators of both still give the same
    numbers, so this is its very data set. Its first rows are those to validate on.

    Args:
        seed: what published code is given.
        sizes: rows of each part.
        n_features: features of a row.
        n_levels: levels of demand.
    """
    seeds = random.Random(seed)
    train_seed, test_seed = seeds.randrange(2**32), seeds.randrange(2**32)
    theta = np.random.RandomState(seed).randn(n_features, n_levels)

    def draw(part_seed: int, n: int) -> Split:
        rng = np.random.RandomState(part_seed)
        x = rng.randn(n, n_features)
        return _labelled(x, x @ theta, rng.rand(n))

    n_train, n_val, n_test = sizes
    learned = draw(train_seed, n_val + n_train)
    return Splits(learned[n_val:], learned[:n_val], draw(test_seed, n_test))


def _labelled(x: np.ndarray, scores: np.ndarray, drawn: np.ndarray) -> Split:
    """The rows of features x, with demand by uniform numbers (n,) and the true probabilities."""
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    # The last edge is left out: rounding could put it below the drawn number.
    level = (drawn[:, None] >= p.cumsum(-1)[:, :-1]).sum(-1)
    return Split(x, np.eye(scores.shape[1])[level], {"oracle_p": p})


def _scores(x: np.ndarray, theta: np.ndarray, phi: np.ndarray, nonlinear: float) -> np.ndarray:
    """Return the score of each demand: √(1-ρ) θᵀx + √ρ ((φᵀx)² - ‖φ‖²) / (√2 ‖φ‖), with ρ = nonlinear.

    Under x ~ N(0, I) both terms have mean 0, the second has variance ‖φ‖² as the first has ‖θ‖², and it is
    uncorrelated with x: the best linear score explains the share 1-ρ, and how much can be known stays alike.

    Args:
        x: features (n, features).
        theta: weights of the linear part (features, demands).
        phi: directions in which scores are curved (features, demands).
        nonlinear: ρ; 0 is the linear score itself.
    """
    linear = x @ theta
    if nonlinear == 0.0:
        return linear
    size = np.linalg.norm(phi, axis=0)
    curved = ((x @ phi) ** 2 - size**2) / (np.sqrt(2.0) * size)
    return np.sqrt(1.0 - nonlinear) * linear + np.sqrt(nonlinear) * curved
