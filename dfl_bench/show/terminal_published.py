"""The comparison with the paper as a Rich table."""

from collections.abc import Iterable
from itertools import groupby

from rich.console import Console
from rich.text import Text

from ..results.published import DIVISORS, OTHER_DATA, Ours, Pair, disagreements, pairs
from ..store.record import Record
from .terminal import plain_table, score


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
        console.print(Text(f"Our {problem} is of other data: {text}."), soft_wrap=True)
    for d in disagreements():
        fakes = "" if d.fake_targets is None else f" with {d.fake_targets} fake targets"
        printed = " and ".join(f"{mean:.3f} ± {sem:.3f} ({table})" for table, mean, sem in d.printed)
        console.print(
            Text(f"The paper's tables disagree: {d.method} on {d.problem}{fakes} is {printed}."),
            soft_wrap=True,
        )


def _cells(pair: Pair) -> list[str]:
    p, ours, predicted = pair.published, pair.ours, pair.by_prediction
    return [
        p.problem if p.fake_targets is None else f"{p.problem}({p.fake_targets})",
        str(p.samples),
        p.method,
        score(p.mean, p.sem),
        "not run" if ours is None else score(ours.mean, ours.sem),
        _z(ours),
        "" if predicted is None else f"{predicted.mean:.3f}",
        _z(predicted),
        str(pair.seeds) if pair.seeds else "",
    ]


def _z(ours: Ours | None) -> str:
    return "" if ours is None or ours.z is None else f"{ours.z:+.1f}"
