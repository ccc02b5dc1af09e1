"""Text for spreadsheets, which take a cell that begins with certain signs for a formula and run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def as_text(value: Any) -> Any:
    """Return a value that no spreadsheet runs: text that looks like a formula gets a leading apostrophe."""
    if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
        return f"'{value}"
    return value


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose columns of text hold no formulas; columns of numbers stay as they are."""
    numbers = set(table.select_dtypes(["number", "bool"]).columns)
    return table.assign(**{name: table[name].map(as_text) for name in table.columns if name not in numbers})
