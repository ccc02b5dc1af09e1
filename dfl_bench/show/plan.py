"""A plan as a table, before anything runs."""

from collections.abc import Sequence
from itertools import groupby

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..experiment.estimate import Estimate
from ..experiment.plan import label
from .format import duration


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


def _time(missing: Sequence[Estimate]) -> str:
    if not missing:
        return ""
    known = [e.seconds for e in missing if e.seconds is not None]
    return duration(sum(known)) if len(known) == len(missing) else "unknown"
