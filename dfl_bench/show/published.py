"""The comparison with the paper as a Rich table."""

from collections.abc import Iterable
from itertools import groupby

from rich.console import Console
from rich.text import Text

from ..results.published import DIVISORS, OTHER_DATA, Pair, Published, disagreements, pairs
from ..store.record import Record
from .format import score, signed
from .terminal import plain_table


def show_pairs(console: Console, records: Iterable[Record]) -> None:
    """Print all published cells with ours, and where the paper's tables disagree."""
    made = pairs(records)
    for name, group in groupby(made, lambda pair: pair.published.table):
        table = plain_table("problem", "K", "method", "paper", "ours", "z", "pred.", "z", "n")
        for pair in group:
            table.add_row(*_cells(pair))
        console.print(Text(f"The paper's {name}", style="bold"))
        console.print(table)
    have = sum(pair.ours is not None for pair in made)
    console.print(Text(DIVISORS), soft_wrap=True)
    console.print(Text(f"{have} of {len(made)} published cells have been run here."))
    for problem, text in OTHER_DATA.items():
        console.print(Text(f"Our data of {problem} are not the paper's: {text}."), soft_wrap=True)
    for d in disagreements():
        printed = " and ".join(f"{score(mean, sem)} ({table})" for table, mean, sem in d.printed)
        text = f"The paper's tables disagree: {d.method} on {d.place} is {printed}."
        console.print(Text(text), soft_wrap=True)


def _cells(pair: Pair) -> list[str]:
    p, ours, predicted = pair.published, pair.ours, pair.by_prediction
    return [
        _short_place(p),
        str(p.samples),
        p.method,
        score(p.mean, p.sem),
        "not run" if ours is None else score(ours.mean, ours.sem),
        "" if ours is None else signed(ours.z),
        "" if predicted is None else f"{predicted.mean:.3f}",
        "" if predicted is None else signed(predicted.z),
        str(pair.seeds) if pair.seeds else "",
    ]


def _short_place(p: Published) -> str:
    """The problem with the values of its settings, "budget(5)": eighty characters are few."""
    values = ", ".join(map(str, p.settings.values()))
    return f"{p.problem}({values})" if values else p.problem
