"""Which of many to choose, when a straight line is fitted to a curve."""

from dataclasses import dataclass

import numpy as np

from kernels import budget, top_k

from .. import problems
from ..contracts.arrays import A
from ..contracts.checks import require_choice, require_counts
from ..contracts.linear import LinearProblem
from ..contracts.polytope import Polytope
from ..contracts.problem import Network
from ..contracts.seeding import rng_for
from ..contracts.split import Split, Splits


@dataclass(frozen=True, slots=True, kw_only=True)
class TopKConfig:
    """Choose k of `items`; every item has one feature, and the predictor is shared by all items."""

    n_train: int = 200
    n_val: int = 200
    n_test: int = 400
    items: int = 50
    k: int = 1
    predictor: str = "linear"  # or "scaled": with a hidden layer
    hidden: int = 10  # nodes of that layer

    def __post_init__(self) -> None:
        require_counts(self, "n_train", "n_val", "n_test", "k", "hidden")
        require_counts(self, "items", least=2)
        require_choice(self, "predictor", "linear", "scaled")
        if self.k >= self.items:
            raise ValueError(f"expected k < items, got k={self.k} and items={self.items}: all are chosen.")


@problems.register("top-k", version=1)
class TopK(LinearProblem):
    """Choose the best of 50 items, each worth 10x³ - 6.5x with x uniform in [-1, 1].

    The cubic problem of LODL (Shah et al. 2022). The least squared error slopes downwards, and so chooses the
    item of smallest x; the best items have the largest x.
    """

    Config = TopKConfig
    provenance = "synthetic: values 10x³ - 6.5x, x uniform in [-1, 1], no noise"
    sign = -1.0
    sweeps = ("items", "k")
    search_part = "test"  # generated for each seed
    config: TopKConfig

    def __init__(self, config: TopKConfig | None = None) -> None:
        super().__init__(config)
        hidden = self.config.hidden if self.config.predictor == "scaled" else 0
        self.network = Network(
            outputs=1, activation="linear", hidden=hidden, batch=32, learning_rate=1e-2, passes=True
        )

    def data(self, seed: int) -> Splits:
        """Return the rows of a seed: x (n, items, 1), y (n, items)."""
        c = self.config
        rng = rng_for("top-k", "data", seed=seed)
        x = rng.uniform(-1.0, 1.0, (c.n_train + c.n_val + c.n_test, c.items, 1))
        whole = Split(x, (10.0 * x**3 - 6.5 * x)[..., 0])
        first, second = c.n_train, c.n_train + c.n_val
        return Splits(whole[:first], whole[first:second], whole[second:])

    def solve(self, costs: A) -> A:
        """Return the k items of least cost, zeros and ones."""
        return top_k.best(-costs, self.config.k)  # type: ignore[return-value]

    def nearest_decision(self, z: A) -> A:
        """Return shares of items in [0, 1] that sum to k."""
        return budget.project(z, self.config.k)  # type: ignore[return-value]

    def floor(self, split: Split) -> np.ndarray:
        """Return the outcome: it is a function of the features."""
        return split.y

    def polytope(self) -> Polytope:
        """Return all shares of items that sum to k; every vertex is a choice."""
        items = self.config.items
        return Polytope(equal=(np.ones((1, items)), np.array([float(self.config.k)])), upper=np.ones(items))
