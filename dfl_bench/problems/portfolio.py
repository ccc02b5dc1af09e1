"""Portfolio choice on real prices."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import problems
from ..contracts.seeding import rng_for
from ..contracts.split import Split, Splits
from ..data.market import Market
from ..data.standardizer import standardized
from ..data.stock_features import correlation
from ..errors import DataError
from ._market import MarketConfig, MarketProblem

FETCHED = "sp500"


@dataclass(frozen=True, slots=True)
class PortfolioConfig(MarketConfig):
    """A market's settings and where its prices come from: "sp500", or the path of the LODL file."""

    data: str = FETCHED


@problems.register("portfolio", version=1)
class Portfolio(MarketProblem):
    """Choose 50 weights by predicted next-day returns of real S&P 500 stocks.

    A seed draws the stocks and the first day, both uniformly.
    """

    Config = PortfolioConfig
    provenance = "real: S&P 500 daily prices and volumes 2006-2021 (portfolio-backtester 0.1.0)"
    config: PortfolioConfig

    def __init__(self, config: PortfolioConfig | None = None) -> None:
        super().__init__(config)
        if self.config.data != FETCHED:
            self.provenance = f"user-supplied: {self.config.data}"  # type: ignore[misc]

    @property
    def data_files(self) -> tuple[Path, ...]:
        """The user's prices, if there are any; fetched prices are pinned by their hash."""
        return () if self.config.data == FETCHED else (Path(self.config.data),)

    def data(self, seed: int) -> Splits:
        """Return chronological parts; from the LODL file with the features that are in it."""
        return super().data(seed) if self.config.data == FETCHED else self._lodl(seed)

    def market(self, seed: int) -> Market:
        """Return a random window of days of randomly drawn stocks."""
        from ..data.sp500 import load

        whole = load()
        days, stocks = self._draw(seed, whole.returns, self.config.n_days)
        return Market(whole.returns[days][:, stocks], whole.volumes[days][:, stocks])

    def _draw(self, seed: int, table: np.ndarray, span: int) -> tuple[slice, np.ndarray]:
        c, (n_days, n_stocks) = self.config, table.shape
        if n_days < span or n_stocks < c.n_stocks:
            raise DataError(
                f"expected {span} days of {c.n_stocks} stocks or more in {c.data!r}, got {n_days} days of "
                f"{n_stocks} stocks; lower n_train, n_val, n_test or n_stocks."
            )
        rng = rng_for("portfolio", "window", seed=seed)
        stocks = np.sort(rng.choice(n_stocks, c.n_stocks, replace=False))
        first = int(rng.integers(n_days - span + 1))
        return slice(first, first + span), stocks

    def _lodl(self, seed: int) -> Splits:
        from ..data.lodl_file import load_lodl

        c, table = self.config, load_lodl(self.config.data)
        if c.covariance == "past":
            raise ValueError("covariance='past' needs daily prices; the LODL file holds only future windows.")
        span = c.first_days[2] + c.n_test - c.first_days[0]
        days, stocks = self._draw(seed, table.target, span)
        features, target = table.features[days][:, stocks], table.target[days][:, stocks]
        future = np.concatenate([target[..., None], table.later[days][:, stocks]], axis=-1)
        sigma = correlation(future[..., : c.window]) + c.ridge * np.eye(c.n_stocks)

        def rows(first: int, n: int) -> Split:
            part = slice(first - c.first_days[0], first - c.first_days[0] + n)
            return Split(features[part], target[part], {"sigma": sigma[part]})

        sizes = (c.n_train, c.n_val, c.n_test)
        return standardized([rows(*part) for part in zip(c.first_days, sizes, strict=True)])
