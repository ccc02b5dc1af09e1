"""In which slots of a day to sell electricity, given predicted prices."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kernels import knapsack

from .. import problems
from ..contracts.arrays import A
from ..contracts.checks import require_choice, require_counts
from ..contracts.linear import LinearProblem
from ..contracts.polytope import Polytope
from ..contracts.problem import Network
from ..contracts.seeding import rng_for
from ..contracts.split import Split, Splits
from ..data import semo_file, spanish_prices
from ..data.standardizer import standardized
from ..errors import DataError

FETCHED = "spanish"
_HOURS = 24
_SPLITS = {"seeded": "days drawn at random", "chronological": "days in order of time"}


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyConfig:
    """Sizes in days, as in the predopt suite; where prices come from; how days are divided."""

    n_train: int = 550
    n_val: int = 100
    n_test: int = 139
    data: str = FETCHED  # or the path of semo_electricity.csv, or of predopt_knapsack.npz
    capacity: int = 120  # of 240, what 48 half-hours weigh; of both, 24 hours have one half
    split: str = "seeded"  # or "chronological": train, then validation, then test days
    weight_feature: bool = True  # whether the predictor sees the weight of a slot; False as published
    predictor: str = "linear"  # or "scaled": with a hidden layer
    hidden: int = 10  # nodes of that layer

    def __post_init__(self) -> None:
        require_counts(self, "n_train", "n_val", "n_test", "capacity", "hidden")
        require_choice(self, "split", *_SPLITS)
        require_choice(self, "predictor", "linear", "scaled")


@problems.register("energy", version=1)
class Energy(LinearProblem):
    """Choose the slots of a day to sell in: a knapsack of slots that weigh 3, 5 or 7, at real prices.

    The knapsack of the predopt suite (Mandi et al. 2024). A slot is worth its price times its weight, the
    weights are known and the same every day. In the file of the predopt suite it is price × (weight + noise),
    with noise uniform in [-1, 1], and the predictor does not see the weight.
    """

    Config = EnergyConfig
    provenance = "real: hourly Spanish electricity prices 2015-2018 (deepts-forecasting 0.1.2)"
    sign = -1.0
    sweeps = ("capacity",)
    config: EnergyConfig

    def __init__(self, config: EnergyConfig | None = None) -> None:
        super().__init__(config)
        c = self.config
        fetched = c.data == FETCHED
        self.weights = hourly_weights() if fetched else semo_file.WEIGHTS
        self.capacity = c.capacity * len(self.weights) // semo_file.SLOTS
        if not self.weights.min() <= self.capacity < self.weights.sum():
            raise ValueError(
                f"expected a capacity that a slot fits into and not all, from {self.weights.min()} to "
                f"{self.weights.sum() - 1} for {len(self.weights)} slots, got {self.capacity} of "
                f"capacity={c.capacity}."
            )
        source = self.provenance if fetched else _supplied(Path(c.data))
        self.provenance = f"{source}; {_SPLITS[c.split]}"  # type: ignore[misc]
        hidden = c.hidden if c.predictor == "scaled" else 0
        self.network = Network(
            outputs=1, activation="linear", hidden=hidden, batch=32, learning_rate=1e-2, passes=True
        )

    @property
    def data_files(self) -> tuple[Path, ...]:
        """The user's prices, if there are any; fetched prices are pinned by their hash."""
        return () if self.config.data == FETCHED else (Path(self.config.data),)

    def data(self, seed: int) -> Splits:
        """Return the days of a seed: x (days, slots, features), y (days, slots).

        Features are scaled by the training days alone.
        """
        c, days = self.config, self._days()
        sizes = (c.n_train, c.n_val, c.n_test)
        if len(days) < sum(sizes):
            raise DataError(
                f"expected {sum(sizes)} days or more in {c.data!r}, got {len(days)}; "
                "lower n_train, n_val or n_test."
            )
        rng = rng_for("energy", "days", seed=seed)
        if c.split == "seeded":
            chosen = rng.permutation(len(days))[: sum(sizes)]
        else:
            chosen = rng.integers(len(days) - sum(sizes) + 1) + np.arange(sum(sizes))
        return standardized([days[part] for part in np.split(chosen, np.cumsum(sizes)[:-1])])

    def _days(self) -> Split:
        days = spanish_prices.load() if self.config.data == FETCHED else semo_file.load_semo(self.config.data)
        x = days.features
        if self.config.weight_feature:
            weights = np.broadcast_to(self.weights[:, None], (*x.shape[:2], 1))
            x = np.concatenate([x, weights], axis=-1)
        return Split(x, days.values if isinstance(days, semo_file.ValueDays) else days.prices * self.weights)

    def solve(self, costs: A) -> A:
        """Return the slots of least cost, zeros and ones; exact, by dynamic programming."""
        return knapsack.best_items(-costs, self.weights, self.capacity)  # type: ignore[return-value]

    def label_scale(self, train: Split) -> float:
        """Return the mean size of a slot's value."""
        return float(abs(train.y).mean())

    def polytope(self) -> Polytope:
        """Return the linear relaxation: its vertices may hold a fraction of a slot."""
        limit = (self.weights[None].astype(np.float64), np.array([float(self.capacity)]))
        return Polytope(at_most=limit, upper=np.ones(len(self.weights)), exact=False)


def hourly_weights() -> np.ndarray:
    """Return the weights of 24 hours: eight times 3, 5 and 7 in a random order that is always the same."""
    return rng_for("energy", "weights", seed=0).permutation(np.repeat([3, 5, 7], _HOURS // 3))


def _supplied(path: Path) -> str:
    return f"user-supplied: {path} ({semo_file.describe(path)})"
