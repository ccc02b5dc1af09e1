"""Our results beside a paper's, cell by cell."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

from .. import methods, problems
from ..contracts.fingerprint import canonical
from ..experiment.plan import configurations
from ..experiment.suite import load_suite
from ..problems import make_problem
from ..store.cell import Cell, changed
from ..store.record import Record
from .boards import Board
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
    """Return what the LCGLN paper prints for a board; nothing for settings that its suite does not have.

    Settings are compared that are not the default: what the default was, the version of the problem says.
    """
    paper = load_paper()
    if canonical([board.problem, board.changes]) not in _problems_of(paper.suite):
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
    runs = _runs(list(records), paper.suite, device)
    return [_pair(p, paper, runs) for p in paper.numbers]


Runs = list[tuple[Cell, dict[int, Record]]]  # a cell of the suite, and our records of it by seed


def _runs(records: Sequence[Record], suite: str, device: str) -> Runs:
    """Our records by cell and seed, of the newest versions that a store has; boards show the same.

    A run with other settings or of another version has another identity.
    """
    scored: dict[str, dict[int, Record]] = defaultdict(dict)
    versions: dict[str, int] = {}
    for record in records:
        cell = record.cell
        for name, version in ((cell.problem, cell.problem_version), (cell.method, cell.method_version)):
            versions[name] = max(version, versions.get(name, version))
        if record.normalized_regret is not None and (cell.protocol, cell.device) == ("paper", device):
            scored[_identity(cell)][cell.seed] = record
    runs = []
    for entry in load_suite(suite):
        for problem, method in configurations(entry, "paper"):
            # Identities leave the data's digest out, so that a store can be read where nothing was fetched.
            cell = Cell.of(problem, method, protocol="paper", seed=0, device=device)
            cell = replace(
                cell,
                problem_version=versions.get(problem.name, problem.version),
                method_version=versions.get(method.name, method.version),
            )
            runs.append((cell, scored.get(_identity(cell), {})))
    return runs


def _identity(cell: Cell) -> str:
    return replace(cell, source_digest="", seed=0).key


def _pair(p: Published, paper: Paper, runs: Runs) -> Pair:
    cell, run = next(((cell, run) for cell, run in runs if _is_of(cell, p)), (None, {}))
    by = {name: Ours.of((getattr(r, DIVISORS[name]) for r in run.values()), p) for name in paper.divisors}
    return Pair(published=p, by=by, seeds=len(run), older=_older(cell) if cell is not None and run else ())


def _older(cell: Cell) -> tuple[str, ...]:
    """The problem and the method of a cell, if the code has a newer version, as "portfolio 1 (now 2)"."""
    problem, method = problems.get(cell.problem), methods.get(cell.method)
    was = ((problem.name, cell.problem_version), (method.name, cell.method_version))
    now = (problem.version, method.version)
    return tuple(f"{name} {old} (now {new})" for (name, old), new in zip(was, now, strict=True) if old != new)


def _is_of(cell: Cell, p: Published) -> bool:
    return p.is_about(cell.problem, cell.problem_config) and p.is_by(cell.method, cell.method_config)
