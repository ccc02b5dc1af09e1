"""Portfolio choice on a generated market."""

from dataclasses import dataclass

from .. import problems
from ..contracts.checks import require_between
from ..contracts.seeding import rng_for
from ..data.factor_market import draw_market
from ..data.market import Market
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
        """Return a new market for every seed."""
        rng = rng_for("portfolio-synthetic", "market", seed=seed)
        return draw_market(rng, self.config.n_days, self.config.n_stocks, self.config.predictable)
