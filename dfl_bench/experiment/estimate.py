"""What a run would do and how long it would take, from the timings a store already has."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from ..store.cell import Cell
from ..store.store import Store


@dataclass(frozen=True, slots=True)
class Estimate:
    """One cell of a plan: whether it has to run, and the seconds that similar cells took."""

    cell: Cell
    missing: bool
    seconds: float | None  # None: no similar cell has been timed


def estimate(cells: Sequence[Cell], path: Path) -> list[Estimate]:
    """Return what of a plan a results file has, and how long the rest may take; the file may be absent."""
    have: set[str] = set()
    timings: dict[tuple[str, str], list[float]] = defaultdict(list)
    if path.is_file():
        with Store(path, readonly=True) as store:
            have = store.has(cell.key for cell in cells)
            for record in store.records():
                if record.status == "ok":
                    timings[record.cell.problem, record.cell.method].append(record.total_seconds)
    means = {pair: fmean(seconds) for pair, seconds in timings.items()}
    return [Estimate(c, c.key not in have, means.get((c.problem, c.method))) for c in cells]
