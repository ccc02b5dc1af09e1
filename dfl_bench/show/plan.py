"""A plan as a table, before anything runs."""

from collections.abc import Iterable, Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..experiment.estimate import Estimate
from ..experiment.plan import label
from ..store.cell import Cell
from .format import duration

MOST_NAMES = 12


def show_plan(console: Console, estimates: Sequence[Estimate]) -> None:
    """Print the cells, which of them have a result, and the time the rest may take."""
    table = Table("cells", "key of the first", "seeds", "to run", "estimated")
    for name, group in groupby(estimates, lambda e: label(e.cell).partition(" seed")[0]):
        alike = list(group)
        missing = [e for e in alike if e.missing]
        seeds = ", ".join(str(e.cell.seed) for e in alike)
        to_run = f"{len(missing)} of {len(alike)}" if missing else "stored"
        table.add_row(Text(name), alike[0].cell.key, seeds, to_run, _time(missing))
    console.print(table)
    left = [e for e in estimates if e.missing]
    unknown = sum(e.seconds is None for e in left)
    total = sum(e.seconds or 0.0 for e in left)
    rest = f", and {unknown} cells of unknown duration" if unknown else ""
    console.print(Text(f"{len(left)} cells to run: about {duration(total)} of computing{rest}."))


def announce(cells: Sequence[Cell], stored: int) -> str:
    """Return what will run, in words: methods, problems, seeds, protocol, and how many cells are stored."""
    names = dict.fromkeys(label(cell).partition(" ")[0] for cell in cells)
    methods = dict.fromkeys(cell.method for cell in cells)
    seeds = len({cell.seed for cell in cells})
    protocols = " and ".join(dict.fromkeys(cell.protocol for cell in cells))
    return (
        f"{len(cells)} cells: {_first(methods)} on {_first(names)}; "
        f"{seeds} seed{'' if seeds == 1 else 's'}, protocol {protocols}. "
        f"{stored} have a result, {len(cells) - stored} to run."
    )


def _first(names: Iterable[str]) -> str:
    every = list(names)
    rest = f" and {len(every) - MOST_NAMES} more" if len(every) > MOST_NAMES else ""
    return ", ".join(every[:MOST_NAMES]) + rest


def _time(missing: Sequence[Estimate]) -> str:
    if not missing:
        return ""
    known = [e.seconds for e in missing if e.seconds is not None]
    return duration(sum(known)) if len(known) == len(missing) else "unknown"
