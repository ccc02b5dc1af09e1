"""Portfolio choice on a generated market."""

from dataclasses import dataclass

import numpy as np

from .. import problems
from ..contracts.checks import require_between
from ..contracts.seeding import rng_for
from ..data.factor_market import draw_market
from ..data.market import Market
from ..data.stock_days import StockMarket
from ..data.stock_features import HISTORY
from ._market import MarketConfig, MarketProblem


@dataclass(frozen=True, slots=True)
class SyntheticConfig(MarketConfig):
    """A market's settings and the share of return variance that is known a day before."""

    predictable: float = 0.5

    def __post_init__(self) -> None:
        # super() without arguments is lost when slots=True makes a second class.
        MarketConfig.__post_init__(self)
        require_between(self, 0.0, 1.0, "predictable")


@problems.register("portfolio-synthetic", version=1)
class SyntheticPortfolio(MarketProblem):
    """Choose 50 weights by predicted next-day returns in a factor market with a known predictable share."""

    Config = SyntheticConfig
    provenance = "synthetic: factor-model market, a set share of next-day return variance predictable"
    config: SyntheticConfig

    def market(self, seed: int) -> Market:
        """Return a new market for every seed, of as many days and stocks as are needed."""
        rng, c = rng_for("portfolio-synthetic", "market", seed=seed), self.config
        return draw_market(rng, HISTORY - 1 + c.span + c.window, c.n_stocks, c.predictable)

    def draw(self, seed: int, market: StockMarket) -> tuple[np.ndarray, int]:
        """Return all stocks and the first day."""
        return np.arange(market.n_stocks), 0
