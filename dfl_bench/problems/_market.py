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
from ..data.market import Market
from ..data.standardizer import standardized
from ..data.stock_features import HISTORY, correlations, stock_features

# tanh reaches ±1 at this many standard deviations of the training returns: wide enough that a useful
# prediction stays in its linear part, narrow enough that a wild one is held back.
_SCALE_IN_DEVIATIONS = 3.0


@dataclass(frozen=True, slots=True)
class MarketConfig:
    """Sizes, risk, and which days Σ is taken from."""

    n_train: int = 200
    n_val: int = 200
    n_test: int = 400
    n_stocks: int = 50
    gap: int = 10  # days left out between the parts
    window: int = 10  # days Σ is taken from
    risk_aversion: float = 0.1
    ridge: float = 0.1  # added to the diagonal of the correlation matrix
    covariance: str = "clairvoyant"  # Σ of the next days, as published; "past": of the days up to today
    solver: str = "osqp"  # or "active-set"
    predictor: str = "scaled"  # or "linear": without a hidden layer

    def __post_init__(self) -> None:
        require_counts(self, "n_train", "n_val", "n_test", "gap")
        require_counts(self, "n_stocks", "window", least=2)
        require_between(self, 1e-9, 1e9, "risk_aversion", "ridge")
        require_choice(self, "covariance", "clairvoyant", "past")
        require_choice(self, "solver", *portfolio.SOLVERS)
        require_choice(self, "predictor", "scaled", "linear")
        if self.gap < self.window:
            raise ValueError(
                f"expected gap to be at least window, got gap={self.gap} and window={self.window}: "
                "the Σ of one part would see days of the next."
            )

    @property
    def first_days(self) -> tuple[int, int, int]:
        """The first decision day of each part, counted from the first day of the market."""
        train = HISTORY - 1
        val = train + self.n_train + self.gap
        return train, val, val + self.n_val + self.gap

    @property
    def n_days(self) -> int:
        """Days of a market that the three parts, their past and their future take."""
        return self.first_days[2] + self.n_test + self.window


class MarketProblem(Problem):
    """max over the simplex of yᵀa - γ aᵀΣa; y are the next day's returns, one prediction a stock."""

    config: MarketConfig

    def __init__(self, config: MarketConfig | None = None) -> None:
        super().__init__(config)
        hidden = 0 if self.config.predictor == "linear" else 500
        self.network = Network(outputs=1, activation="tanh", hidden=hidden, steps=1000, batch=32)

    @abstractmethod
    def market(self, seed: int) -> Market:
        """Return `config.n_days` days of `config.n_stocks` stocks."""

    def data(self, seed: int) -> Splits:
        """Return chronological parts: x (days, stocks, 28), y (days, stocks), context sigma of each day.

        On day t a row knows the days up to t; y is the return of day t + 1. Ten days lie between the parts.
        """
        c, market = self.config, self.market(seed)
        features = stock_features(market.returns, market.volumes)
        sigma = correlations(market.returns, c.window) + c.ridge * np.eye(c.n_stocks)
        # sigma[i] is of days i … i + window - 1.
        shift = 1 if c.covariance == "clairvoyant" else 1 - c.window

        def rows(first: int, n: int) -> Split:
            days = np.arange(first, first + n)
            x = features[days - (HISTORY - 1)]
            return Split(x, market.returns[days + 1], {"sigma": sigma[days + shift]})

        parts = [rows(*part) for part in zip(c.first_days, (c.n_train, c.n_val, c.n_test), strict=True)]
        return standardized(parts)

    def decide(self, y_hat: Array, context: Context) -> Any:
        """Return the weights (..., stocks) that are best for predicted returns (..., stocks)."""
        c = self.config
        return portfolio.solve(y_hat, context["sigma"], c.risk_aversion, solver=c.solver)

    def cost(self, z: Array, y: Array, context: Context) -> Any:
        """Return the negated risk-adjusted return of weights z."""
        return portfolio.cost(z, y, context["sigma"], self.config.risk_aversion)

    def worst(self, y: Array, context: Context) -> Any:
        """Return all weight on the stock of lowest return: with equal variances no weights are worse."""
        return portfolio.worst(y)

    def _regret(self, y_hat: Array, y: Array, context: Context) -> Any:
        c = self.config
        return portfolio.regret(y_hat, y, context["sigma"], c.risk_aversion, solver=c.solver)

    @property
    def in_training(self) -> Self:
        """The same problem by the active-set solver, exact too and about a hundred times faster."""
        return type(self)(replace(self.config, solver="active-set"))

    def label_scale(self, train: Split) -> float:
        """Return three standard deviations of the training returns."""
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
