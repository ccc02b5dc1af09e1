"""On which websites to advertise, given predicted click-through rates."""

from pathlib import Path
from typing import Any

from kernels import budget

from .. import problems
from ..contracts.arrays import Array, Tensor, require_finite
from ..contracts.problem import Context, Network, Problem
from ..contracts.split import Split, Splits
from ._websites import FITTED, BudgetConfig, provenance_of, rows_of


@problems.register("budget", version=2)
class Budget(Problem):
    """Choose 2 of 5 websites so that most of 10 users click at least once.

    max over z in {0, 1}^W, Σz = B, of Σ_u [1 - Π_w (1 - z_w y_wu)] (Wilder et al. 2019). The predictor sees
    the features of one website and predicts its click rates; fake targets are mixed into the features.
    """

    Config = BudgetConfig
    provenance = FITTED
    target_dims = 2
    search_part = "test"  # generated for each seed
    sweeps = ("fake_targets",)
    searched_apart = ("data", "features", "predictor")

    def __init__(self, config: BudgetConfig | None = None) -> None:
        super().__init__(config)
        kind = self.config.predictor
        self.network = Network(
            outputs=self.config.n_users,
            activation="relu" if kind == "published" else "softplus",
            hidden=0 if kind == "linear" else 10,
        )
        self.provenance = provenance_of(self.config)  # type: ignore[misc]

    @property
    def data_files(self) -> tuple[Path, ...]:
        """The user's click rates, if there are any."""
        return () if self.config.file is None else (self.config.file,)

    def data(self, seed: int) -> Splits:
        """Return the rows of a seed: x (n, websites, features), y (n, websites, users).

        Click rates do not depend on the number of fake targets, so its settings can be compared seed by seed.
        """
        return rows_of(self.config, seed)

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
        """Return the mean training click rate, because labels are mostly far below one; 1 as published."""
        mean = float(train.y.mean())
        return 1.0 if self.config.predictor == "published" or mean == 0.0 else mean

    def nearest_decision(self, z: Array) -> Any:
        """Return shares of websites in [0, 1] that use the budget."""
        return budget.project(z, self.config.budget)

    def decision_layer(self, y_hat: Tensor, context: Context) -> Any:
        """Return the multilinear relaxation with its damped derivative."""
        from ._relaxation import RelaxedSubset

        return RelaxedSubset.apply(self.project(y_hat), self.config.budget, self.config.derivative)
