"""What has to be said about a board: signs beside the names of its rows, and sentences below the table."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import fmean

from .boards import Board, Row
from .matrix import Matrix
from .statistics import TOO_FEW


@dataclass(frozen=True, slots=True)
class Mark:
    """A sign beside the name of a row."""

    sign: str
    meaning: str
    applies: Callable[[Row], bool]


OUT_OF_ORDER = Mark(
    "‡",
    "a lower mean than a method of a better group. Groups follow the differences from the best method, "
    "seed by seed: this one is steady, so that the test finds it; that of the other one varies more.",
    lambda row: bool(row.passed),
)
MARKS = (
    Mark(
        "†",
        "not better than `constant`, the same prediction for every instance.",
        lambda row: row.beats_constant is False and not row.reference,
    ),
    Mark(
        "*",
        "measured while the machine had other work; --jobs 1 on an idle machine times cells alone.",
        lambda row: bool(row.timed) and not row.alone,
    ),
    OUT_OF_ORDER,
)


def marks(row: Row) -> list[Mark]:
    """Return the signs of a row."""
    return [mark for mark in MARKS if mark.applies(row)]


def notes(board: Board) -> Iterator[str]:
    """Yield the sentences below a board."""
    if share := _without_stakes(board):
        yield (
            f"{share:.0%} of the test instances have a reference regret of 0, as where an outcome is all "
            "zero: nothing is decided there."
        )
    if board.has_too_few_seeds:
        yield f"group: {TOO_FEW} (six or more are needed)."
    if board.has_unranked_samples:
        yield "group: each method at its largest K."
    for mark in MARKS:
        if any(mark.applies(row) for row in board.all_rows):
            yield f"{mark.sign} {mark.meaning}"
    older = {row.older for row in board.all_rows if row.older}
    if older:
        reasons = "; ".join(sorted(older))
        yield f"(older): made by an earlier release and not compared with the others: {reasons}."
    if any(row.relative is not None for row in board.all_rows):
        yield "of opt.: regret in percent of the optimal cost, Σ regret / Σ |optimal cost|, mean over seeds."
    for reason in dict.fromkeys(row.reason for row in board.all_rows if row.reason):
        yield f"{', '.join(row.label for row in board.all_rows if row.reason == reason)}: {reason}"


def matrix_notes(matrix: Matrix) -> Iterator[str]:
    """Yield the sentences below a matrix."""
    if matrix.shared:
        yield f"All methods that have these settings: {matrix.shared}. They are not the protocol's."
    for problem, words in matrix.common.items():
        yield f"{problem}: {words}."
    yield "mean rank: over problems, by mean regret, 1 the best; its 95 % interval draws problems and seeds."
    if matrix.ranked:
        yield "first: on how many problems a method is in the first group (bold), of those with groups."
    else:
        yield f"first: {TOO_FEW} (six or more are needed)."
    if any(line.time_factor for line in matrix.lines):
        yield "time: seconds over those of the median method of a problem, geometric mean over problems."
    if any(line.is_partial for line in matrix.lines if line.rank):
        yield "Methods with a score on less than half of the problems stand below the others."
    if any(board.has_unranked_samples for board in matrix.boards):
        yield "Each method is shown at its largest K."
    rows = [row for line in matrix.lines for row in line.cells if row]
    if any(row.timed and not row.alone for row in rows):
        yield "Some seconds were measured while the machine had other work; the boards mark them with *."
    if any(row.passed for row in rows):
        yield f"{OUT_OF_ORDER.sign} {OUT_OF_ORDER.meaning}"


def _without_stakes(board: Board) -> float:
    """The share of test instances with a reference regret of 0; 0 where records hold sums of instances."""
    by_seed = {
        record.cell.seed: float((record.worst_regret == 0.0).mean())
        for row in board.all_rows
        for record in row.records
        if record.worst_regret is not None and record.group_size == 1
    }
    return fmean(by_seed.values()) if by_seed else 0.0
