"""What a run would do and how long it would take, from the timings a store already has."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from ..store.store import Store
from .plan import Group


@dataclass(frozen=True, slots=True)
class Estimate:
    """One group of a plan: whether it has to run, and the seconds that similar cells took."""

    group: Group
    missing: bool
    seconds: float | None  # None: no similar cell has been timed


def estimate(groups: Sequence[Group], path: Path) -> list[Estimate]:
    """Return what of a plan a results file has, and how long the rest may take; the file may be absent."""
    have: set[str] = set()
    timings: dict[tuple[str, str], list[float]] = defaultdict(list)
    if path.is_file():
        with Store(path, readonly=True) as store:
            have = store.has(cell.key for group in groups for cell in group.cells)
            for record in store.records():
                if record.status == "ok":
                    timings[record.cell.problem, record.cell.method].append(record.total_seconds)
    estimates = []
    for group in groups:
        first = group.cells[0]
        known = timings.get((first.problem, first.method))
        missing = any(cell.key not in have for cell in group.cells)
        estimates.append(Estimate(group, missing, fmean(known) * len(group.cells) if known else None))
    return estimates
