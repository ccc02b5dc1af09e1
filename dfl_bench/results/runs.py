"""Our records of a suite's cells, whole and unchanged."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..experiment.plan import configurations
from ..experiment.suite import Entry, load_suite
from ..store.cell import Cell
from ..store.record import Record


@dataclass(frozen=True, slots=True)
class Run:
    """One configured method on one configured problem, and what we have of it."""

    entry: Entry  # of the suite
    cell: Cell  # of seed 0
    records: Mapping[int, Record]  # by seed; those that have a score


def runs_of(records: Iterable[Record], suite: str, *, device: str = "cpu") -> list[Run]:
    """Return what a suite asks for, in its order, with the records of it.

    A run with other settings or of another version has another identity, and is left out.

    Args:
        records: of a store.
        suite: the name of a suite.
        device: where ours were trained.
    """
    scored: dict[str, dict[int, Record]] = defaultdict(dict)
    for record in records:
        if record.normalized_regret is not None:
            scored[_identity(record.cell)][record.cell.seed] = record
    found = []
    for entry in load_suite(suite):
        for problem, method in configurations(entry, entry.protocol):
            # Identities leave the data's digest out, so that a store can be read where nothing was fetched.
            cell = Cell.of(problem, method, protocol=entry.protocol, seed=0, device=device)
            found.append(Run(entry, cell, scored.get(_identity(cell), {})))
    return found


def _identity(cell: Cell) -> str:
    return replace(cell, source_digest="", seed=0).key
