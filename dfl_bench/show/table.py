"""A table of text, as a terminal, a document and the page show it."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.text import Text

from .terminal import plain_table


class Table(NamedTuple):
    """Rows of text under a heading."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def show(self, console: Console) -> None:
        """Print the table without its title; all columns but the first are numbers."""
        shown = plain_table()
        for i, name in enumerate(self.columns):
            shown.add_column(Text(name), justify="right" if i else "left")
        for row in self.rows:
            shown.add_row(*map(Text, row))
        console.print(shown)

    def markdown(self) -> str:
        """Return the table without its title."""
        sides = ["---", *["--:"] * (len(self.columns) - 1)]
        lines = (self.columns, sides, *self.rows)
        return "\n".join(f"| {' | '.join(row)} |" for row in lines)
