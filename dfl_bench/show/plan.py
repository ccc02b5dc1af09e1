"""A plan as a table, before anything runs."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..experiment.estimate import Estimate
from .format import duration


def show_plan(console: Console, estimates: Sequence[Estimate]) -> None:
    """Print the groups, which of them have a result, and the time the rest may take."""
    table = Table("cells", "key of the first", "seeds", "to run", "estimated")
    for e in estimates:
        label = e.group.label.partition(" seed")[0]
        seeds = ", ".join(map(str, e.group.seeds))
        to_run = "yes" if e.missing else "stored"
        table.add_row(Text(label), e.group.cells[0].key, seeds, to_run, _time(e))
    console.print(table)
    missing = [e for e in estimates if e.missing]
    cells = sum(len(e.group.cells) for e in missing)
    unknown = sum(len(e.group.cells) for e in missing if e.seconds is None)
    total = sum(e.seconds or 0.0 for e in missing)
    rest = f", and {unknown} cells of unknown duration" if unknown else ""
    console.print(Text(f"{cells} cells to run: about {duration(total)} of computing{rest}."))


def _time(estimate: Estimate) -> str:
    if not estimate.missing:
        return ""
    return "unknown" if estimate.seconds is None else duration(estimate.seconds)
