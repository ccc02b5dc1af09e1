"""Ladders as Rich tables and as Markdown: rows are steps, columns are methods."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from ..results.ladder import LEVEL, Ladder, Rung
from .format import score
from .terminal import plain_table

NOTE = (
    "Normalized regret, mean ± SEM over seeds; each step keeps what the steps above it have changed. "
    "In parentheses: the paired difference from the step above, with * where a sign-flip test has "
    f"p < {LEVEL}, uncorrected."
)


def show_ladders(console: Console, ladders: Iterable[Ladder]) -> None:
    """Print a table for each problem."""
    for ladder in ladders:
        table = plain_table("step", *ladder.rungs)
        for row in _rows(ladder):
            table.add_row(*map(Text, row))
        console.print(Text(ladder.problem, style="bold"))
        console.print(table)
    console.print(Text(NOTE), soft_wrap=True)


def markdown(ladders: Iterable[Ladder]) -> str:
    """Return the same as Markdown."""
    parts = []
    for ladder in ladders:
        rows = [[f"{ladder.problem}, step", *ladder.rungs], ["---"] * (1 + len(ladder.rungs)), *_rows(ladder)]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in rows))
    return "\n\n".join([*parts, NOTE]) + "\n"


def _rows(ladder: Ladder) -> list[list[str]]:
    return [
        [step, *(_text(rungs[place]) for rungs in ladder.rungs.values())]
        for place, step in enumerate(ladder.steps)
    ]


def _text(rung: Rung) -> str:
    if rung.mean is None:
        return "not run"
    text = score(rung.mean, rung.sem)
    if not rung.change:  # the first step, or one that does not concern the method
        return text
    star = "*" if rung.significant else ""
    return f"{text} ({rung.change:+.3f}{star})".replace("-", "−")
