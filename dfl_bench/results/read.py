"""What a store holds, read once for everything that shows it: reading and ranking cost more than showing."""

from dataclasses import dataclass
from pathlib import Path

from ..store.record import Record
from ..store.store import Store
from .boards import Board, boards


@dataclass(frozen=True, slots=True)
class Results:
    """The records of a store and the boards they make."""

    name: str  # of the file
    records: list[Record]
    failures: list[Record]
    boards: list[Board]


def read_results(path: str | Path, *, problem: str | None = None) -> Results:
    """Read a store, all of it or one problem."""
    with Store(path, readonly=True) as store:
        records, failures = store.records(problem=problem), store.failures(problem=problem)
    return Results(Path(path).name, records, failures, boards(records, failures))
