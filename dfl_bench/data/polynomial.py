"""The generator of linear problems: costs that are a polynomial of random combinations of features.

It is the one of Elmachtoub and Grigas (the SPO paper), scaled as PyEPO does. Numbers are drawn in PyEPO's
order from NumPy's older stream, so that a seed gives the rows that PyEPO's `genData` gives for it.
"""

from typing import NamedTuple

import numpy as np

UNIT = 3.5  # (3 + 0.5)^degree brings costs to about one


class Polynomial(NamedTuple):
    """Rows of a generated problem."""

    x: np.ndarray  # features (n, features), standard normal
    expected: np.ndarray  # costs without noise (n, costs)
    noise: np.ndarray  # what multiplies them (n, costs), 1 on average


def stream(seed: int) -> np.random.RandomState:
    """Return the stream of a seed: NumPy's older one, which the published data are made with."""
    return np.random.RandomState(seed)


def draw(
    rng: np.random.RandomState, n: int, n_features: int, n_costs: int, *, degree: int, noise: float
) -> Polynomial:
    """Draw rows: ((Bx/√p + 3)^degree + 1) / 3.5^degree with B of zeros and ones, drawn first.

    Args:
        rng: where the numbers come from.
        n: how many rows.
        n_features: p.
        n_costs: costs of a row.
        degree: of the polynomial; a linear model is right for 1 and more wrong the higher it is.
        noise: costs are multiplied by numbers drawn from 1 - noise to 1 + noise.
    """
    matrix = rng.binomial(1, 0.5, (n_costs, n_features))
    x = rng.normal(0.0, 1.0, (n, n_features))
    expected = ((x @ matrix.T / np.sqrt(n_features) + 3.0) ** degree + 1.0) / UNIT**degree
    return Polynomial(x, expected, rng.uniform(1.0 - noise, 1.0 + noise, (n, n_costs)))


def item_weights(rng: np.random.RandomState, dimensions: int, items: int) -> np.ndarray:
    """Draw the weights of a knapsack's items, 3.00 to 7.99, (dimensions, items).

    Args:
        rng: where the numbers come from.
        dimensions: weights of an item.
        items: how many items.
    """
    return rng.choice(np.arange(300, 800), size=(dimensions, items)) / 100.0


def mean_of_ceiling(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the mean of ⌈u⌉ for u uniform from low to high, elementwise; low ≤ high."""
    width = high - low
    spread = np.where(width > 0.0, width, 1.0)
    return np.where(width > 0.0, (_integral(high) - _integral(low)) / spread, np.ceil(low))


def _integral(t: np.ndarray) -> np.ndarray:
    """The integral of ⌈u⌉ from 0 to t."""
    whole = np.floor(t)
    return whole * (whole + 1.0) / 2.0 + (t - whole) * (whole + 1.0)
