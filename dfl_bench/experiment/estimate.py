"""What a run would do and how long it would take, from the timings a store already has."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from ..store.cell import Cell
from ..store.record import Record
from ..store.store import Store

Pair = tuple[str, str]  # problem and method


@dataclass(frozen=True, slots=True)
class Estimate:
    """One cell of a plan: whether it has to run, and the seconds that similar cells took."""

    cell: Cell
    missing: bool
    seconds: float | None  # None: no similar cell has been timed


def estimate(cells: Sequence[Cell], path: Path) -> list[Estimate]:
    """Return what of a plan a results file has, and how long the rest may take; the file may be absent."""
    have: set[str] = set()
    means: dict[Pair, float] = {}
    if path.is_file():
        with Store(path, readonly=True) as store:
            have = store.has(cell.key for cell in cells)
            means = typical_seconds(store.records())
    return [Estimate(c, c.key not in have, means.get((c.problem, c.method))) for c in cells]


def typical_seconds(records: Iterable[Record]) -> dict[Pair, float]:
    """Return the mean seconds of scored cells by problem and method."""
    timings: dict[Pair, list[float]] = defaultdict(list)
    for record in records:
        if record.status == "ok":
            timings[record.cell.problem, record.cell.method].append(record.total_seconds)
    return {pair: fmean(seconds) for pair, seconds in timings.items()}
