"""Our results beside a paper's, cell by cell."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from .. import problems
from ..contracts.fingerprint import canonical, plain
from ..experiment.plan import configurations
from ..experiment.suite import load_suite
from ..problems import make_problem
from ..store.cell import Cell
from ..store.record import Record
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


def published_for(problem: str, config: Mapping[str, Any]) -> list[Published]:
    """Return what the LCGLN paper prints for a problem; nothing for settings that its suite does not have."""
    paper = load_paper()
    # A record that is older than a setting was made with what is the default now.
    usual = plain(problems.get(problem).Config()) if problem in problems.names() else {}
    if canonical([problem, {**usual, **config}]) not in _problems_of(paper.suite):
        return []
    return [p for p in paper.numbers if p.is_about(problem, config)]


@cache
def _problems_of(suite: str) -> frozenset[str]:
    made = (make_problem(entry.problem, **entry.settings) for entry in load_suite(suite))
    return frozenset(canonical([problem.name, problem.config]) for problem in made)


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
    """Our records by cell and seed; a run with other settings or of another version has another identity."""
    scored: dict[str, dict[int, Record]] = defaultdict(dict)
    for record in records:
        cell = record.cell
        if record.normalized_regret is not None and (cell.protocol, cell.device) == ("paper", device):
            scored[_identity(cell)][cell.seed] = record
    runs = []
    for entry in load_suite(suite):
        for problem, method in configurations(entry, "paper"):
            # Identities leave the data's digest out, so that a store can be read where nothing was fetched.
            cell = Cell.of(problem, method, protocol="paper", seed=0, device=device)
            runs.append((cell, scored.get(_identity(cell), {})))
    return runs


def _identity(cell: Cell) -> str:
    return replace(cell, source_digest="", seed=0).key


def _pair(p: Published, paper: Paper, runs: Runs) -> Pair:
    run = next((run for cell, run in runs if _is_of(cell, p)), {})
    by = {name: Ours.of((getattr(r, DIVISORS[name]) for r in run.values()), p) for name in paper.divisors}
    return Pair(published=p, by=by, seeds=len(run))


def _is_of(cell: Cell, p: Published) -> bool:
    return p.is_about(cell.problem, cell.problem_config) and p.is_by(cell.method, cell.method_config)
