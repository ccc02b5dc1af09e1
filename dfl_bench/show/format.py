"""Numbers and facts as text: the same in the terminal, on the page and in the report."""

from collections.abc import Callable, Mapping
from typing import Any

from ..results.boards import Row
from ..results.columns import Column, Format
from ..results.notes import marks


def duration(seconds: float) -> str:
    """Write seconds as a person would: 8 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def score(mean: float, sem: float | None) -> str:
    """Write a score as the paper does: mean ± SEM, three decimals."""
    return f"{mean:.3f}" if sem is None else f"{mean:.3f} ± {sem:.3f}"


def percent(mean: float, sem: float | None) -> str:
    """Write a share as papers on linear problems do: percent, two decimals, mean ± SEM."""
    shown = f"{round(100.0 * mean, 2) + 0.0:.2f}"  # rounding may leave a sum of zeros below zero
    return shown if sem is None else f"{shown} ± {100.0 * sem:.2f}"


def seconds(value: float) -> str:
    """Write a measured time in at most five characters: a terminal has eighty for all columns."""
    if value < 0.005:
        return "0" if value == 0 else "<0.01"
    if value < 99.995:
        return f"{value:.2f}"
    return f"{value:,.0f}" if value < 9999.5 else quantity(value)


def quantity(value: float) -> str:
    """Write a number with three digits, thousands and millions by letter."""
    for factor, letter in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= 0.9995 * factor:  # what is rounded to a thousand is written as one
            return f"{value / factor:.3g}{letter}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


def brief(value: float) -> str:
    """Write a measured time with two digits: for a table that has it beside every score."""
    return seconds(value) if value < 0.995 or value >= 99.5 else f"{float(f'{value:.2g}'):g}"


def exact(value: float) -> str:
    """Write a number with four digits."""
    return f"{value:,.4g}".replace("-", "−")


def signed(value: float | None) -> str:
    """Write a difference with its sign and one decimal; nothing for None."""
    return "" if value is None else f"{value:+.1f}"


FORMATS: Mapping[Format, Callable[..., str]] = {
    "label": str,
    "score": lambda value: score(value, None),
    "dot": lambda value: "",
    "seconds": seconds,
    "count": quantity,
    "whole": str,
    "percent": lambda value: percent(value, None),
}


def cell_text(column: Column, row: Row) -> str:
    """Write one cell of a leaderboard."""
    value, error = column.value(row), column.error(row)
    if value is None:
        return column.missing(row)
    write = FORMATS[column.format]
    text = write(value) if error is None else f"{write(value)} ± {write(error)}"
    return " ".join([text, *(mark.sign for mark in marks(row))]) if column.format == "label" else text


def describe(facts: Mapping[str, Any]) -> str:
    """Write an environment in one line."""
    versions = " ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items())
    commit = f", commit {facts['commit']}" if facts.get("commit") else ""
    machine = f"{facts.get('cpu', 'unknown CPU')}, {facts.get('cores')} cores"
    return f"{machine}, Python {facts.get('python')}, {versions}{commit}"
