"""Our records of a suite's cells, whole and unchanged."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from .. import methods, problems
from ..contracts.fingerprint import canonical
from ..experiment.plan import plan
from ..experiment.suite import Entry, load_suite
from ..store.cell import Cell
from ..store.record import Record
from .boards import newest

Records = Mapping[int, Record]  # by seed; those that have a score


@dataclass(frozen=True, slots=True)
class Run:
    """One configured method on one configured problem, and what we have of it."""

    entry: Entry  # of the suite
    cell: Cell  # of seed 0
    records: Records

    @property
    def older(self) -> str:
        """The earlier versions that the records are of, in words; "" where they are of this code's."""
        cell = next((record.cell for record in self.records.values()), None)
        if cell is None:
            return ""
        here = (problems.get(cell.problem).version, methods.get(cell.method).version)
        there = zip((cell.problem, cell.method), _versions(cell), here, strict=True)
        return ", ".join(f"{name} {version}" for name, version, now in there if version != now)


def runs_of(records: Iterable[Record], suite: str, *, device: str = "cpu") -> list[Run]:
    """Return what a suite asks for, in its order, with the records of it; other settings are another run.

    Of each problem and method, the newest version in the store counts. If the code has a newer one, nothing
    is known here about the searches of that time: a record is then found by what it changed.

    Args:
        records: of a store.
        suite: the name of a suite.
        device: where ours were trained.
    """
    scored: dict[str, dict[int, Record]] = defaultdict(dict)
    earlier: dict[str, dict[int, Record]] = defaultdict(dict)
    for record in newest(list(records)):
        if record.normalized_regret is not None:
            scored[_identity(record.cell)][record.cell.seed] = record
            earlier[_changes(record.cell)][record.cell.seed] = record

    def found(cell: Cell) -> Records:
        other = earlier.get(_changes(cell), {}).items()
        return scored.get(_identity(cell)) or {
            seed: record for seed, record in other if _versions(record.cell) != _versions(cell)
        }

    entries = [replace(entry, seeds=1) for entry in load_suite(suite)]
    return [Run(entry, cell, found(cell)) for entry in entries for cell in plan([entry], device=device)]


def _identity(cell: Cell) -> str:
    """Leaves the data's digest out, so that a store can be read where nothing was fetched."""
    return replace(cell, source_digest="", seed=0).key


def _changes(cell: Cell) -> str:
    """What tells cells apart without versions: what is not the default of the problem or of the protocol."""
    method = {name: cell.method_config.get(name) for name in cell.method_changes}
    where = [cell.problem, cell.problem_settings, cell.protocol, cell.device]
    codes = [cell.problem_code, cell.method_code, cell.older]
    return canonical([*where, cell.method, method, cell.samples, *codes])


def _versions(cell: Cell) -> tuple[int, int]:
    return cell.problem_version, cell.method_version
