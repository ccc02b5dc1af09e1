"""What a search may change: intervals and choices."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Range:
    """An interval to search, on a logarithmic scale unless said otherwise."""

    low: float
    high: float
    log: bool = True
    integer: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A handful of values to search."""

    options: tuple[Any, ...]
