"""The measurements, in the process `dfl_bench.speed.main` starts with one thread."""

import argparse
from pathlib import Path

from rich.console import Console

from .contests import contests
from .labelling import labelling
from .race import Line
from .report import show, write


def _run(quick: bool, csv: Path | None) -> None:
    lines: list[Line] = []
    progress = Console(stderr=True)
    with progress.status("measuring …") as status:
        for found in contests(quick):
            lines += found
            status.update(f"measured {found[0].contest} …")
        lines += labelling()
    show(Console(), lines)
    if csv is not None:
        write(csv, lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--csv", type=Path)
    given = parser.parse_args()
    _run(given.quick, given.csv)
