"""Our results beside a paper's, cell by cell."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from .. import methods, problems
from ..contracts.fingerprint import canonical
from ..experiment.plan import plan
from ..experiment.suite import load_suite
from ..problems import make_problem
from ..store.cell import Cell, changed
from ..store.record import Record
from .boards import Board, newest
from .ours import Ours, Pair
from .paper import Paper, Published
from .papers import load_paper

# What a sum of regrets can be divided by, and what a record calls the ratio: the regret of the decision that
# is worst by the outcome, of that which the method's own prediction calls the worst, or |optimal cost|.
DIVISORS = {
    "worst": "normalized_regret",
    "prediction": "regret_by_prediction",
    "optimal": "relative_regret",
}


def published_for(board: Board) -> list[Published]:
    """Return what the LCGLN paper prints for a board's problem; nothing for settings its suite does not have.

    Settings are compared by what is not the default: a record that is older than a setting was made with what
    is the default now, and one of an earlier version with what was the default then.
    """
    paper = load_paper()
    if canonical([board.problem, board.changed]) not in _problems_of(paper.suite):
        return []
    return [p for p in paper.numbers if p.is_about(board.problem, board.config)]


@cache
def _problems_of(suite: str) -> frozenset[str]:
    made = (make_problem(entry.problem, **entry.settings) for entry in load_suite(suite))
    return frozenset(canonical([problem.name, changed(problem.config)]) for problem in made)


def pairs(records: Iterable[Record], paper: Paper, *, device: str = "cpu") -> list[Pair]:
    """Return all numbers of a paper with ours: the cells of its suite, whole and unchanged.

    Args:
        records: of a store.
        paper: what they are compared with.
        device: where ours were trained.
    """
    runs = _runs(records, paper.suite, device)
    return [_pair(p, paper, runs) for p in paper.numbers]


Runs = list[tuple[Cell, dict[int, Record]]]  # a cell of the suite, and our records of it by seed


def _runs(records: Iterable[Record], suite: str, device: str) -> Runs:
    """Our records by cell and seed; a run with other settings has another identity.

    Of each problem and method, the newest version in the store counts. If the code has a newer one, nothing
    is known here about the searches of that time: a record is then found by what it changed.
    """
    scored: dict[str, dict[int, Record]] = defaultdict(dict)
    earlier: dict[str, dict[int, Record]] = defaultdict(dict)
    for record in newest(list(records)):
        cell = record.cell
        if record.normalized_regret is not None and (cell.protocol, cell.device) == ("paper", device):
            scored[_identity(cell)][cell.seed] = record
            earlier[_changes(cell)][cell.seed] = record
    runs = []
    entries = [replace(entry, seeds=1) for entry in load_suite(suite)]
    for cell in plan(entries, protocol="paper", device=device):
        found = scored.get(_identity(cell)) or {
            seed: record
            for seed, record in earlier.get(_changes(cell), {}).items()
            if _versions(record.cell) != _versions(cell)
        }
        runs.append((cell, found))
    return runs


def _identity(cell: Cell) -> str:
    """Leaves the data's digest out, so that a store can be read where nothing was fetched."""
    return replace(cell, source_digest="", seed=0).key


def _changes(cell: Cell) -> str:
    """What tells cells apart without versions: what is not the default of the problem or of the protocol."""
    method = {name: cell.method_config.get(name) for name in cell.method_changes}
    codes = [cell.problem_code, cell.method_code, cell.older]
    return canonical([cell.problem, cell.problem_settings, cell.method, method, cell.samples, *codes])


def _versions(cell: Cell) -> tuple[int, int]:
    return cell.problem_version, cell.method_version


def _pair(p: Published, paper: Paper, runs: Runs) -> Pair:
    run = next((run for cell, run in runs if _is_of(cell, p)), {})
    by = {name: Ours.of((getattr(r, DIVISORS[name]) for r in run.values()), p) for name in paper.divisors}
    return Pair(published=p, by=by, seeds=len(run), older=_older(run.values()))


def _older(run: Iterable[Record]) -> str:
    """The earlier versions that records are of, in words; "" where they are of this code's."""
    cell = next((record.cell for record in run), None)
    if cell is None:
        return ""
    here = {cell.problem: problems.get(cell.problem).version, cell.method: methods.get(cell.method).version}
    there = zip(here, _versions(cell), strict=True)
    return ", ".join(f"{name} {version}" for name, version in there if version != here[name])


def _is_of(cell: Cell, p: Published) -> bool:
    return p.is_about(cell.problem, cell.problem_config) and p.is_by(cell.method, cell.method_config)
