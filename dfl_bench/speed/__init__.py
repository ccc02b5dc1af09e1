"""`dfl-bench speed`: our kernels against reference solvers, as ratios of one run."""

from pathlib import Path

from rich.console import Console

from .contests import names
from .process import measure
from .race import Effort, Line
from .report import show, write


def main(quick: bool = False, csv: Path | None = None) -> None:
    """Print the table, and write it as CSV where asked; `quick` repeats each measurement less often."""
    effort = Effort(repeats=5 if quick else 15)
    lines: list[Line] = []
    with Console(stderr=True).status("measuring …") as status:
        for name in names():
            status.update(f"measuring {name} …")
            lines += measure(name, effort)
    show(Console(), lines)
    if csv is not None:
        write(csv, lines)
