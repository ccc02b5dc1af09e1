"""Where data comes from: `sources()` lists it, `fetch(name)` gets what can be fetched."""

import difflib
from dataclasses import dataclass
from pathlib import Path

from ..errors import DataError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Source:
    """One source of data, and where it is on this machine (None while it is not)."""

    name: str
    problem: str
    summary: str
    path: Path | None
    fetchable: bool


def sources() -> tuple[Source, ...]:
    """Return every source of data; nothing is fetched or read."""
    from . import sp500

    file = sp500.cached()
    return (
        Source(
            "sp500",
            "portfolio",
            f"real: S&P 500 prices and volumes 2006-2021, in {sp500.REQUIREMENT} (46 MB), no licence stated",
            file if file.is_file() else None,
            True,
        ),
        Source(
            "lodl-prices",
            "portfolio",
            "user-supplied: price_data_2004-01-01_2017-01-01_daily.pt; portfolio with data=PATH",
            None,
            False,
        ),
        Source(
            "click-rates",
            "budget",
            "user-supplied: budget_allocation_data.pkl (Yahoo! Webscope A1); budget with data=PATH",
            None,
            False,
        ),
    )


def fetch(name: str) -> Path:
    """Fetch a source into the cache and return where it is."""
    known = {source.name: source for source in sources()}
    if name not in known:
        close = difflib.get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownNameError(f"no data named {name!r}.{hint} Known: {', '.join(sorted(known))}.")
    if not known[name].fetchable:
        raise DataError(f"{name!r} cannot be fetched: {known[name].summary}.")
    from . import sp500

    return sp500.fetch()
