"""What a run would do and how long it would take, from the timings a store already has."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..run.progress import duration
from ..store.store import Store
from .plan import Group


def show_plan(console: Console, groups: Sequence[Group], path: Path) -> None:
    """Print the groups, what of them has a result, and the seconds that similar cells took."""
    have: set[str] = set()
    timings: dict[tuple[str, str], list[float]] = defaultdict(list)
    if path.is_file():
        with Store(path, readonly=True) as store:
            have = store.has(cell.key for group in groups for cell in group.cells)
            for record in store.records():
                if record.status == "ok":
                    timings[record.cell.problem, record.cell.method].append(record.total_seconds)
    table = Table("cells", "key of the first", "seeds", "to run", "estimated")
    total, unknown, cells = 0.0, 0, 0
    for group in groups:
        first = group.cells[0]
        missing = any(cell.key not in have for cell in group.cells)
        known = timings.get((first.problem, first.method))
        seconds = fmean(known) * len(group.cells) if known else None
        if missing:
            cells += len(group.cells)
            total += seconds or 0.0
            unknown += len(group.cells) if seconds is None else 0
        estimate = "" if not missing else "unknown" if seconds is None else duration(seconds)
        label = group.label.partition(" seed")[0]
        seeds = ", ".join(map(str, group.seeds))
        table.add_row(Text(label), first.key, seeds, "yes" if missing else "stored", estimate)
    console.print(table)
    rest = f", and {unknown} cells of unknown duration" if unknown else ""
    console.print(Text(f"{cells} cells to run: about {duration(total)} of computing{rest}."))
