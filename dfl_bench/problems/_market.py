"""What the real and the synthetic portfolio share: the mathematics, the parts of the data, the network."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from kernels import budget, portfolio

from ..contracts.arrays import Array, Tensor
from ..contracts.checks import require_between, require_choice, require_counts
from ..contracts.problem import Context, Network, Problem
from ..contracts.split import Split, Splits
from ..data.standardizer import standardized
from ..data.stock_days import StockDays, StockMarket
from ._risk import COVARIANCES, RISKS, risk_matrices

# tanh reaches ±1 at this many standard deviations of the training returns: wide enough that a useful
# prediction stays in its linear part, narrow enough that a wild one is held back.
_SCALE_IN_DEVIATIONS = 3.0


@dataclass(frozen=True, slots=True)
class MarketConfig:
    """Sizes, risk, and what is done as in published code."""

    n_train: int = 200
    n_val: int = 200
    n_test: int = 400
    n_stocks: int = 50
    gap: int = 10  # days left out between the parts
    window: int = 10  # days before or after a day that Σ is taken from
    risk_aversion: float = 0.1
    ridge: float = 0.1  # added to the diagonal of the correlation matrix
    covariance: str = "clairvoyant"  # Σ of the next days; "past": of the days up to today; or "published"
    risk: str = "correct"  # aᵀΣa; "published": ‖La‖² with Σ = LLᵀ
    standardize: str = "train"  # features by the training days; "all": by all days, as published
    solver: str = "osqp"  # or "active-set"
    predictor: str = "scaled"  # or "published": labels as they are; "linear": without a hidden layer

    def __post_init__(self) -> None:
        require_counts(self, "n_train", "n_val", "n_test", "gap")
        require_counts(self, "n_stocks", "window", least=2)
        require_between(self, 1e-9, 1e9, "risk_aversion", "ridge")
        require_choice(self, "covariance", *COVARIANCES)
        require_choice(self, "risk", *RISKS)
        require_choice(self, "standardize", "train", "all")
        require_choice(self, "solver", *portfolio.SOLVERS)
        require_choice(self, "predictor", "scaled", "published", "linear")
        if self.covariance == "published" and self.window < 3:
            raise ValueError(
                f"expected window to be at least 3 for covariance='published', got {self.window}."
            )
        if 0 < self.left_out < self.window:
            raise ValueError(
                f"expected gap to be at least window, got gap={self.gap} and window={self.window}: "
                "the Σ of one part would see days of the next."
            )

    @property
    def left_out(self) -> int:
        """Days left out between the parts."""
        return self.gap

    @property
    def parts(self) -> tuple[slice, slice, slice]:
        """The days of each part, counted from the first decision day of a seed."""
        val = self.n_train + self.left_out
        test = val + self.n_val + self.left_out
        return slice(0, self.n_train), slice(val, val + self.n_val), slice(test, test + self.n_test)

    @property
    def span(self) -> int:
        """Decision days from the first to the last."""
        return self.parts[-1].stop


class MarketProblem(Problem):
    """max over the simplex of yᵀa - γ aᵀΣa; y are the next day's returns, one prediction a stock.

    `context["sigma"]` is the matrix of the risk: Σ, or with risk="published" LᵀL, where Σ = LLᵀ.
    """

    config: MarketConfig

    def __init__(self, config: MarketConfig | None = None) -> None:
        super().__init__(config)
        hidden = 0 if self.config.predictor == "linear" else 500
        self.network = Network(outputs=1, activation="tanh", hidden=hidden, steps=1000, batch=32)
        # LᵀL gives stocks different variances, so another one than that of lowest return can cost more.
        self.worst_is_costliest = self.config.risk == "correct"  # type: ignore[misc]

    @abstractmethod
    def market(self, seed: int) -> StockMarket:
        """Return the market of a seed."""

    @abstractmethod
    def draw(self, seed: int, market: StockMarket) -> tuple[np.ndarray, int]:
        """Return the numbers of the stocks of a seed, and its first decision day."""

    def data(self, seed: int) -> Splits:
        """Return chronological parts: x (days, stocks, 28), y (days, stocks), context sigma of each day.

        On day t a row knows the days up to t; y is the return of day t + 1.
        """
        c, market = self.config, self.market(seed)
        stocks, first = self.draw(seed, market)
        days = market.days(stocks, slice(first, first + c.span), c.window)
        parts = [self._rows(days[rows]) for rows in c.parts]
        if c.standardize == "train":
            return standardized(parts)
        everything = slice(0, market.n_days(c.window))
        return standardized(parts, market.days(stocks, everything, c.window).features)

    def _rows(self, days: StockDays) -> Split:
        c = self.config
        sigma = risk_matrices(days, covariance=c.covariance, ridge=c.ridge, risk=c.risk)
        return Split(days.features, days.target, {"sigma": sigma})

    def decide(self, y_hat: Array, context: Context) -> Any:
        """Return the weights (..., stocks) that are best for predicted returns (..., stocks)."""
        c = self.config
        return portfolio.solve(y_hat, context["sigma"], c.risk_aversion, solver=c.solver)

    def cost(self, z: Array, y: Array, context: Context) -> Any:
        """Return the negated risk-adjusted return of weights z."""
        return portfolio.cost(z, y, context["sigma"], self.config.risk_aversion)

    def worst(self, y: Array, context: Context) -> Any:
        """Return all weight on the stock of lowest return; with equal variances no weights are worse."""
        return portfolio.worst(y)

    def _regret(self, y_hat: Array, y: Array, context: Context) -> Any:
        c = self.config
        return portfolio.regret(y_hat, y, context["sigma"], c.risk_aversion, solver=c.solver)

    @property
    def in_training(self) -> Self:
        """The same problem by the active-set solver, exact too and about a hundred times faster."""
        return type(self)(replace(self.config, solver="active-set"))

    def label_scale(self, train: Split) -> float:
        """Return three standard deviations of the training returns; 1 in published code."""
        if self.config.predictor == "published":
            return 1.0
        return _SCALE_IN_DEVIATIONS * float(train.y.std())

    def embed(self, z: Array, context: Context) -> Any:
        """Return the negated weights: returns are earned."""
        return -z

    def known(self, z: Array, context: Context) -> Any:
        """Return the cost of risk."""
        return portfolio.cost(z, 0.0 * z, context["sigma"], self.config.risk_aversion)

    def nearest_decision(self, z: Array) -> Any:
        """Return weights that are not negative and sum to one."""
        return budget.project(z, 1)

    def decision_layer(self, y_hat: Tensor, context: Context) -> Any:
        """Return the weights with their implicit derivative on the support, by the active-set solver."""
        c = self.config
        return portfolio.solve(self.project(y_hat), context["sigma"], c.risk_aversion, solver="active-set")
