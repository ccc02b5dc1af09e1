"""The lines as a table on the terminal and as CSV."""

import csv
from collections.abc import Iterable
from dataclasses import asdict, fields
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .race import Line


def show(console: Console, lines: Iterable[Line]) -> None:
    """Print a table for each comparison."""
    for contest, group in groupby(lines, key=lambda line: line.contest):
        rows = list(group)
        table = Table(
            title=Text(contest, style="bold"),
            title_justify="left",
            caption=Text(f"error: {rows[0].error_means}"),
            caption_justify="left",
            box=None,
            pad_edge=False,
            padding=(0, 1, 0, 0),
        )
        table.add_column("", width=34)
        for column, width in (("time", 15), ("error", 5), ("ratio", 8), ("target", 12)):
            table.add_column(column, justify="right", no_wrap=True, min_width=width)
        for line in rows:
            table.add_row(*_cells(line))
        console.print(table)
    console.print(
        Text(
            "\ntime: median CPU seconds on one thread, after compilation, ours and references run in turn; "
            "ratio: reference to ours (of a limit, ours to it).",
            style="dim",
        )
    )


def _cells(line: Line) -> list[Text]:
    if line.seconds is None:
        return [Text(f"{line.solver}, {line.note}", style="dim")]
    mark, colour = {True: (" ✓", "green"), False: (" ✗", "red"), None: ("", "")}[line.reached]
    return [
        Text(line.solver + (f"\n{line.note}" if line.note else "")),
        Text(f"{duration(line.seconds)}/{line.unit}"),
        Text("" if line.error is None else f"{line.error:.0e}"),
        Text(
            "" if line.ratio is None else f"{line.ratio:,.0f}×" if line.ratio >= 100 else f"{line.ratio:.1f}×"
        ),
        Text(line.target + mark, style=colour),
    ]


def duration(seconds: float) -> str:
    """Write seconds with three digits and a fitting unit."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def write(path: Path, lines: Iterable[Line]) -> None:
    """Write the lines as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Line)])
        writer.writeheader()
        writer.writerows(asdict(line) for line in lines)
