"""On which websites to advertise, given predicted click-through rates."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kernels import budget

from .. import problems
from ..contracts.arrays import Array, Tensor, require_finite
from ..contracts.checks import require_between, require_choice, require_counts
from ..contracts.problem import Context, Network, Problem
from ..contracts.seeding import rng_for
from ..contracts.split import Split, Splits
from ..data.click_model import ClickModel, draw_ctr, scrambled_features

GENERATED = "generated"
CALIBRATED = ("density", "level", "popularity", "skew", "feature_noise")


@dataclass(frozen=True, slots=True)
class BudgetConfig:
    """Sizes, and the generator's parameters as `python -m dfl_bench.studies.calibrate_budget` chose them."""

    n_train: int = 200
    n_val: int = 200
    n_test: int = 400
    n_websites: int = 5
    n_users: int = 10
    budget: int = 2
    fake_targets: int = 500
    data: str = GENERATED  # or the path of a budget_allocation_data.pkl
    density: float = 0.5
    level: float = 0.1
    popularity: float = 0.0
    skew: float = 0.2
    feature_noise: float = 0.1  # standard deviation, beside features of about unit variance
    derivative: str = "published"  # of the decision layer; "derived": by the KKT conditions of a maximum
    predictor: str = "scaled"  # or "linear": without a hidden layer

    def __post_init__(self) -> None:
        require_counts(self, "n_train", "n_val", "n_test", "n_users", "budget")
        require_counts(self, "n_websites", least=2)
        require_counts(self, "fake_targets", least=0)
        if self.budget >= self.n_websites:
            raise ValueError(
                f"expected budget < n_websites, got budget={self.budget} and n_websites={self.n_websites}."
            )
        require_between(self, 0.0, 1.0, "density")
        require_between(self, 0.0, 10.0, "level", "popularity", "skew", "feature_noise")
        require_choice(self, "derivative", "published", "derived")
        require_choice(self, "predictor", "scaled", "linear")


@problems.register("budget", version=1)
class Budget(Problem):
    """Choose 2 of 5 websites so that most of 10 users click at least once.

    max over z in {0, 1}^W, Σz = B, of Σ_u [1 - Π_w (1 - z_w y_wu)] (Wilder et al. 2019). The predictor sees
    the features of one website and predicts its click rates; fake targets are mixed into the features.
    """

    Config = BudgetConfig
    provenance = "synthetic: generated click-through rates, calibrated on PFL to the paper's difficulty"
    target_dims = 2
    search_part = "test"  # generated for each seed
    sweeps = ("fake_targets",)

    def __init__(self, config: BudgetConfig | None = None) -> None:
        super().__init__(config)
        hidden = 0 if self.config.predictor == "linear" else 10
        self.network = Network(outputs=self.config.n_users, activation="softplus", hidden=hidden)
        if self.config.data != GENERATED:
            self.provenance = f"user-supplied: {self.config.data}"  # type: ignore[misc]
        elif any(getattr(self.config, name) != getattr(BudgetConfig(), name) for name in CALIBRATED):
            self.provenance = "synthetic: generated click-through rates"  # type: ignore[misc]

    @property
    def data_files(self) -> tuple[Path, ...]:
        """The user's click rates, if there are any."""
        return () if self.config.data == GENERATED else (Path(self.config.data),)

    def data(self, seed: int) -> Splits:
        """Return the rows of a seed: x (n, websites, users + fakes), y (n, websites, users).

        Click rates do not depend on the number of fake targets, so its settings can be compared seed by seed.
        """
        c = self.config
        rates = self._click_rates(seed)
        mean, spread = rates[0].mean((0, 1)), rates[0].std((0, 1))
        spread = np.where(spread > 0, spread, 1.0)
        width = c.n_users + c.fake_targets
        mix = rng_for("budget", "mix", seed=seed).standard_normal((width, width)) / np.sqrt(width)

        def rows(part: str, y: np.ndarray) -> Split:
            rng = rng_for("budget", "features", part, seed=seed)
            fake = rng.standard_normal((*y.shape[:2], c.fake_targets))
            x = scrambled_features((y - mean) / spread, fake, mix)
            return Split(x + c.feature_noise * rng.standard_normal(x.shape), y)

        return Splits(*(rows(part, y) for part, y in zip(("train", "val", "test"), rates, strict=True)))

    def _click_rates(self, seed: int) -> list[np.ndarray]:
        c = self.config
        sizes = (c.n_train, c.n_val, c.n_test)
        if c.data != GENERATED:
            from ..data.click_file import sample_click_rates

            rng = rng_for("budget", "sample", seed=seed)
            pool = sample_click_rates(c.data, rng, sum(sizes), c.n_websites, c.n_users)
            return np.split(pool, np.cumsum(sizes)[:-1])
        model = ClickModel(c.density, c.level, c.popularity, c.skew)
        return [
            draw_ctr(model, rng_for("budget", "ctr", part, seed=seed), n, c.n_websites, c.n_users)
            for part, n in zip(("train", "val", "test"), sizes, strict=True)
        ]

    def decide(self, y_hat: Array, context: Context) -> Any:
        """Return the best websites (..., W), zeros and ones, for click rates (..., W, U)."""
        return budget.best_subset(y_hat, self.config.budget)

    def cost(self, z: Array, y: Array, context: Context) -> Any:
        """Return the negated number of users who click at least once."""
        return -budget.value(z, y)

    def worst(self, y: Array, context: Context) -> Any:
        """Return the websites with the fewest clicks."""
        return budget.worst_subset(y, self.config.budget)

    def project(self, y_hat: Array) -> Any:
        """Return y_hat clipped to [0, 1]."""
        require_finite(y_hat)
        return y_hat.clip(0.0, 1.0)

    def _regret(self, y_hat: Array, y: Array, context: Context) -> Any:
        return budget.regret(y_hat, y, self.config.budget)

    def label_scale(self, train: Split) -> float:
        """Return the mean training click rate: labels are mostly far below one."""
        return float(train.y.mean())

    def nearest_decision(self, z: Array) -> Any:
        """Return shares of websites in [0, 1] that use the budget."""
        return budget.project(z, self.config.budget)

    def decision_layer(self, y_hat: Tensor, context: Context) -> Any:
        """Return the multilinear relaxation with its damped derivative."""
        from ._relaxation import RelaxedSubset

        return RelaxedSubset.apply(self.project(y_hat), self.config.budget, self.config.derivative)
