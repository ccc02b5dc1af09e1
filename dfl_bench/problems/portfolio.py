"""Portfolio choice on real prices."""

from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from .. import problems
from ..contracts.checks import require_choice
from ..contracts.seeding import first_of_its_kind, rng_for
from ..data.stock_days import StockMarket
from ..errors import DataError
from ._market import MarketConfig, MarketProblem

FETCHED = "sp500"
_PROVENANCE = {
    "paper": "real: S&P 500 daily closes 2004-2016 (portfolio-backtester 0.1.0)",
    "recent": "real: S&P 500 daily prices and volumes 2006-2021 (portfolio-backtester 0.1.0)",
}


@dataclass(frozen=True, slots=True)
class PortfolioConfig(MarketConfig):
    """A market's settings, which market it is, and which of its days.

    With covariance, risk, predictor="published", standardize="all", days="first" and draws="one" it is the
    problem of published code; each can be set alone.
    """

    market: str = "paper"  # the years and features of the paper; "recent": 2006-2021, features of our own
    days: str = "drawn"  # a seed draws its days; "first": the first days, without a gap, for every seed
    draws: str = "each"  # every seed draws its stocks (and days); "one": all seeds share those of the first
    data: str = FETCHED  # the fetched prices; or the path of the LODL file, another source of "paper"
    covariance: str = "past"

    def __post_init__(self) -> None:
        # super() without arguments is lost when slots=True makes a second class.
        MarketConfig.__post_init__(self)
        require_choice(self, "market", *_PROVENANCE)
        require_choice(self, "days", "drawn", "first")
        require_choice(self, "draws", "each", "one")
        if self.market != "paper" and self.data != FETCHED:
            raise ValueError(f"expected market='paper' for the LODL file, got market={self.market!r}.")
        usual = next(field.default for field in fields(self) if field.name == "gap")
        if self.days == "first" and self.gap != usual:
            raise ValueError(f"days='first' has no gap between the parts; leave gap={self.gap} out.")

    @property
    def left_out(self) -> int:
        """Days left out between the parts."""
        return 0 if self.days == "first" else self.gap


@problems.register("portfolio", version=2)
class Portfolio(MarketProblem):
    """Choose 50 weights by predicted next-day returns of real S&P 500 stocks.

    A seed draws the stocks and, unless days="first", the first day, both uniformly.
    """

    Config = PortfolioConfig
    provenance = _PROVENANCE["paper"]
    searched_apart = ("market", "days", "covariance", "risk", "standardize", "predictor")
    config: PortfolioConfig

    def __init__(self, config: PortfolioConfig | None = None) -> None:
        super().__init__(config)
        c = self.config
        fetched = c.data == FETCHED
        source = _PROVENANCE[c.market] if fetched else _supplied(Path(c.data))
        shared = "; one draw of stocks for all seeds" if c.draws == "one" else ""
        self.provenance = f"{source}{shared}"  # type: ignore[misc]

    @property
    def data_files(self) -> tuple[Path, ...]:
        """The user's prices, if there are any; fetched prices are pinned by their hash."""
        return () if self.config.data == FETCHED else (Path(self.config.data),)

    def market(self, seed: int) -> StockMarket:
        """Return all days and stocks, the same for every seed."""
        from ..data import lodl_file, sp500

        if self.config.data != FETCHED:
            return lodl_file.load_lodl(self.config.data)
        return sp500.load_paper() if self.config.market == "paper" else sp500.load()

    def draw(self, seed: int, market: StockMarket) -> tuple[np.ndarray, int]:
        """Return the stocks of a seed and its first day; the stocks do not depend on how days are chosen.

        With one draw for all, seeds to choose on still have other stocks than seeds to score on.
        """
        c, n_days, n_stocks = self.config, market.n_days(self.config.window), market.n_stocks
        if n_days < c.span or n_stocks < c.n_stocks:
            raise DataError(
                f"expected {c.span} days with features of {c.n_stocks} stocks or more in {c.data!r}, got "
                f"{n_days} days of {n_stocks} stocks; lower n_train, n_val, n_test or n_stocks."
            )
        drawn_by = first_of_its_kind(seed) if c.draws == "one" else seed
        rng = rng_for("portfolio", "window", seed=drawn_by)
        stocks = rng.choice(n_stocks, c.n_stocks, replace=False)
        first = 0 if c.days == "first" else int(rng.integers(n_days - c.span + 1))
        # ‖La‖² depends on the order of the stocks, and published code leaves them as they are drawn.
        return stocks if c.risk == "published" else np.sort(stocks), first


def _supplied(path: Path) -> str:
    from ..data.lodl_file import describe

    return f"user-supplied: {path} ({describe(path)})"
