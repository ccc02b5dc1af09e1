"""The comparison with the paper as a Rich table."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from .paper import AS_PRINTED, OTHER_DATA, Pair, disagreements, pairs
from .record import Record
from .render import plain_table, score


def show_pairs(console: Console, records: Iterable[Record]) -> None:
    """Print all published cells with ours, and where the paper's tables disagree."""
    made = pairs(records)
    table = plain_table("table", "problem", "K", "method", "paper", "as printed", "z", "ours", "n", "")
    for pair in made:
        table.add_row(*_cells(pair))
    console.print(table)
    have = sum(pair.ours is not None for pair in made)
    console.print(Text(AS_PRINTED), soft_wrap=True)
    console.print(Text(f"{have} of {len(made)} published cells have been run here."))
    for problem, text in OTHER_DATA.items():
        console.print(Text(f"‡ {problem}: {text}."), soft_wrap=True)
    for d in disagreements():
        fakes = "" if d.fake_targets is None else f" with {d.fake_targets} fake targets"
        printed = " and ".join(f"{mean:.3f} ± {sem:.3f} ({table})" for table, mean, sem in d.printed)
        console.print(
            Text(f"The paper's tables disagree: {d.method} on {d.problem}{fakes} is {printed}."),
            soft_wrap=True,
        )


def _cells(pair: Pair) -> list[str]:
    p = pair.published
    return [
        p.table,
        p.problem if p.fake_targets is None else f"{p.problem}({p.fake_targets})",
        str(p.samples),
        p.method,
        score(p.mean, p.sem),
        "" if pair.as_printed is None else score(pair.as_printed.mean, pair.as_printed.sem),
        "" if pair.z is None else f"{pair.z:+.1f}",
        "not run" if pair.ours is None else score(pair.ours.mean, pair.ours.sem),
        str(pair.seeds) if pair.seeds else "",
        "‡" if p.problem in OTHER_DATA else "",
    ]
