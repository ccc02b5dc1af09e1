"""Our results beside a paper's, cell by cell."""

from collections.abc import Iterable, Sequence
from functools import cache

from ..contracts.fingerprint import canonical
from ..experiment.suite import load_suite
from ..problems import make_problem
from ..store.cell import Cell, changed
from ..store.record import Record
from .boards import Board
from .ours import Ours, Pair
from .paper import Paper, Published, Track
from .papers import load_paper
from .runs import Run, runs_of

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
    if canonical([board.problem, board.changed]) not in _problems_of(paper.track.suite):
        return []
    return [p for p in paper.numbers if p.is_about(board.problem, board.config)]


@cache
def _problems_of(suite: str) -> frozenset[str]:
    made = (make_problem(entry.problem, **entry.settings) for entry in load_suite(suite))
    return frozenset(canonical([problem.name, changed(problem.config)]) for problem in made)


def pairs(
    records: Iterable[Record], paper: Paper, *, track: Track | None = None, device: str = "cpu"
) -> list[Pair]:
    """Return all numbers of a paper with ours: the cells of a track's suite, whole and unchanged.

    Args:
        records: of a store.
        paper: what they are compared with.
        track: one of the paper's; None for its first.
        device: where ours were trained.
    """
    runs = runs_of(records, (track or paper.track).suite, device=device)
    return [_pair(p, paper, runs) for p in paper.numbers]


def _pair(p: Published, paper: Paper, runs: Sequence[Run]) -> Pair:
    run = next((run for run in runs if _is_of(run.cell, p)), None)
    found = {} if run is None else run.records
    by = {name: Ours.of((getattr(r, DIVISORS[name]) for r in found.values()), p) for name in paper.divisors}
    return Pair(published=p, by=by, seeds=len(found), older="" if run is None else run.older)


def _is_of(cell: Cell, p: Published) -> bool:
    return p.is_about(cell.problem, cell.problem_config) and p.is_by(cell.method, cell.method_config)
