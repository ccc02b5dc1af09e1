"""Random inputs of the size and kind that each problem has, the same at every call.

Contests, benchmarks and ratio tests all take theirs from here.
"""

import numpy as np

Knapsacks = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Values (rows, n), weights (d, n), capacities (d,)."""


def probabilities(rows: int, demands: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Return predicted probabilities and one-hot outcomes, each (rows, demands)."""
    rng = np.random.default_rng(0)
    return rng.dirichlet(np.ones(demands), rows), np.eye(demands)[rng.integers(0, demands, rows)]


def click_rates(rows: int, websites: int = 5, users: int = 10) -> np.ndarray:
    """Return rates (rows, websites, users) below one half.

    Args:
        rows: how many instances.
        websites: W, of which a few are chosen.
        users: U, who click or do not.
    """
    return np.random.default_rng(0).random((rows, websites, users)) * 0.5


def markets(groups: int, samples: int, n: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Return predictions (G, K, N) and correlations of ten days (G, N, N) with a ridge, as the problem has.

    Returns of two percent per day put about 8 of 50 stocks into a portfolio, as those of the problem do.

    Args:
        groups: G, how many matrices.
        samples: K, how many predictions for each matrix.
        n: N, how many stocks.
    """
    rng = np.random.default_rng(0)
    sigma = np.stack([np.corrcoef(rng.normal(size=(n, 10))) for _ in range(groups)]) + 0.1 * np.eye(n)
    return 0.02 * rng.normal(size=(groups, samples, n)), sigma


def arc_costs(rows: int, side: int) -> np.ndarray:
    """Return the costs (rows, arcs) of a grid of side × side nodes."""
    return np.random.default_rng(0).random((rows, 2 * side * (side - 1)))


def assignment_costs(rows: int, n: int) -> np.ndarray:
    """Return costs (rows, n, n)."""
    return np.random.default_rng(0).random((rows, n, n))


def electricity(rows: int) -> Knapsacks:
    """Return prices of 48 half-hours, weights 3, 5 and 7, and capacity 120: one dimension."""
    rng = np.random.default_rng(0)
    weights = rng.permutation(np.repeat([3.0, 5.0, 7.0], 16))
    return rng.gamma(4.0, 80.0, (rows, 48)), weights[None], np.array([120.0])


def polynomial(rows: int, items: int = 32, capacity: float = 20.0) -> Knapsacks:
    """Return whole values, weights of two decimals in two dimensions, and capacities, as PyEPO has them.

    Args:
        rows: how many instances.
        items: how many items to choose from.
        capacity: of both dimensions.
    """
    rng = np.random.default_rng(0)
    weights = rng.integers(300, 800, (2, items)) / 100
    signal = rng.normal(size=(rows, 5)) @ rng.integers(0, 2, (5, items)) / np.sqrt(5)
    noise = rng.uniform(0.5, 1.5, (rows, items))
    return np.ceil(5 * ((signal + 3) ** 4 + 1) / 3.5**4 * noise), weights, np.full(2, capacity)
