"""What to pack when values are predicted."""

from dataclasses import dataclass

import numpy as np

from kernels import knapsack

from .. import problems
from ..contracts.arrays import A
from ..contracts.checks import require_counts, require_positive
from ..contracts.polytope import Polytope
from ..contracts.split import Split
from ..data.polynomial import Polynomial, item_weights, mean_of_ceiling, stream
from ._polynomial import PolynomialConfig, PolynomialProblem

ITEMS_SEED = 135  # PyEPO's default seed
_VALUE = 5.0  # of an item, about


@dataclass(frozen=True, slots=True, kw_only=True)
class KnapsackConfig(PolynomialConfig):
    """The settings of PyEPO's paper: 32 items of weight 3 to 8 in each of two dimensions, capacity 20."""

    items: int = 32
    dimensions: int = 2
    capacity: float = 20.0

    def __post_init__(self) -> None:
        PolynomialConfig.__post_init__(self)
        require_counts(self, "items", "dimensions")
        require_positive(self, "capacity")


@problems.register("knapsack", version=1)
class Knapsack(PolynomialProblem):
    """Pack the items of largest total value; weights are known, values are predicted.

    Features and values of a seed are those of PyEPO's `genData(n, features, items, dimensions, degree, noise,
    seed)`. The weights are those of its default seed for every seed, so that all seeds pack the same items.
    """

    Config = KnapsackConfig
    provenance = "synthetic: item values that are a polynomial of the features, times noise, rounded up"
    sign = -1.0
    sweeps = (*PolynomialProblem.sweeps, "items")
    config: KnapsackConfig

    def __init__(self, config: KnapsackConfig | None = None) -> None:
        super().__init__(config)
        c = self.config
        self.weights = item_weights(stream(ITEMS_SEED), c.dimensions, c.items)
        if not (self.weights <= c.capacity).all(0).any():
            raise ValueError(
                f"expected a capacity that one item fits into, got {c.capacity} and weights from "
                f"{self.weights.min()}; raise capacity."
            )

    @property
    def n_costs(self) -> int:
        """One for each item."""
        return self.config.items

    def drawn(self, rng: np.random.RandomState, n: int) -> Polynomial:
        """Draw rows, after weights that are not used: the order of PyEPO."""
        item_weights(rng, self.config.dimensions, self.config.items)
        return super().drawn(rng, n)

    def outcomes(self, rows: Polynomial) -> tuple[np.ndarray, np.ndarray]:
        """Return values, which are whole numbers, and their means given the features."""
        value, noise = _VALUE * rows.expected, self.config.noise
        edges = np.sort([value * (1.0 - noise), value * (1.0 + noise)], axis=0)  # a value may be negative
        return np.ceil(value * rows.noise), mean_of_ceiling(*edges)

    def solve(self, costs: A) -> A:
        """Return the items of least cost, zeros and ones; exact."""
        return knapsack.best_items(-costs, self.weights, self.config.capacity)  # type: ignore[return-value]

    def label_scale(self, train: Split) -> float:
        """Return about the mean value of an item."""
        return _VALUE

    def polytope(self) -> Polytope:
        """Return the linear relaxation: its vertices may hold fractions of items."""
        c = self.config
        limits = np.full(c.dimensions, c.capacity)
        return Polytope(at_most=(self.weights, limits), upper=np.ones(c.items), exact=False)
