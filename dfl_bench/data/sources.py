"""Where data comes from: `sources()` lists it, `fetch(name)` gets what can be fetched.

A new source is one entry of `_SOURCES`.
"""

from dataclasses import dataclass
from pathlib import Path

from ..contracts.settings import did_you_mean
from ..errors import DataError, UnknownNameError
from . import sp500, spanish_prices, victoria
from .wheel import Wheel


@dataclass(frozen=True, slots=True)
class Source:
    """One source of data: a wheel, or None for a file that only its user can supply."""

    name: str
    summary: str
    wheel: Wheel | None = None

    @property
    def path(self) -> Path | None:
        """Where the data is on this machine; None while it is not here."""
        path = self.wheel.cached() if self.wheel else None
        return path if path is not None and path.is_file() else None


_SOURCES = (
    Source(
        sp500.WHEEL.name,
        f"real: S&P 500 closes 2004-2016, prices and volumes 2006-2021, in {sp500.WHEEL.requirement} "
        "(46 MB), no licence stated",
        sp500.WHEEL,
    ),
    Source(
        spanish_prices.WHEEL.name,
        f"real: hourly Spanish electricity prices 2015-2018, in {spanish_prices.WHEEL.requirement} (5 MB), "
        "no licence stated",
        spanish_prices.WHEEL,
    ),
    Source(
        victoria.WHEEL.name,
        f"real: half-hourly electricity demand of Victoria 2012-2014, in {victoria.WHEEL.requirement} (12 "
        "MB), "
        "no licence stated",
        victoria.WHEEL,
    ),
    Source(
        "lodl-prices",
        "user-supplied: price_data_2004-01-01_2017-01-01_daily.pt; portfolio with data=PATH",
    ),
    Source(
        "click-rates",
        "user-supplied: budget_allocation_data.pkl (Yahoo! Webscope A1); budget with data=PATH",
    ),
    Source(
        "irish-prices",
        "user-supplied: semo_electricity.csv, or predopt_knapsack.npz made from it; energy with data=PATH",
    ),
)


def sources() -> tuple[Source, ...]:
    """Return every source of data; nothing is fetched or read."""
    return _SOURCES


def fetch(name: str) -> Path:
    """Fetch a source into the cache and return where it is.

    Raises:
        UnknownNameError: there is no source of this name.
        DataError: the source cannot be fetched, here or at all.
    """
    known = {source.name: source for source in sources()}
    if name not in known:
        hint = did_you_mean(name, known)
        raise UnknownNameError(f"no data named {name!r}.{hint} Known: {', '.join(sorted(known))}.")
    source = known[name]
    if source.wheel is None:
        raise DataError(f"{name!r} cannot be fetched: {source.summary}.")
    return source.wheel.fetch()
