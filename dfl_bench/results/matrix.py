"""Boards side by side: a row for each method, a column for each problem, and what sums a method up."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import exp, log
from statistics import fmean, median

from .. import methods
from .boards import Board, Row
from .mean_rank import MeanRank, mean_ranks
from .naming import telling
from .variants import Variant, name_variant, shared_changes, variants


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One method across all problems; a cell is its row on the board, None where it has not been run."""

    method: str
    settings: str  # what tells it from other lines of the method
    family: str
    reference: bool
    cells: tuple[Row | None, ...]  # in the order of the boards
    rank: MeanRank | None  # None: no score
    first: int  # how many problems it is in the first group on
    ranked: int  # how many problems it has a group on
    time_factor: float | None  # its seconds over those of the median method, geometric mean over problems

    @property
    def label(self) -> str:
        """The method and what tells it from its siblings."""
        return f"{self.method} {self.settings}".strip()

    @property
    def scored(self) -> int:
        """How many problems it has a score on."""
        return sum(row is not None and row.mean is not None for row in self.cells)

    @property
    def is_partial(self) -> bool:
        """Whether it has a score on less than half of the problems, and so stands below the others."""
        return 2 * self.scored < len(self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Methods and problems of one protocol on one device."""

    protocol: str
    device: str
    boards: tuple[Board, ...]
    headings: tuple[str, ...]  # settings that tell a board from others of its problem
    common: dict[str, str]  # settings that all boards of a problem have, by problem
    lines: tuple[Line, ...]  # best mean rank first; those with few scores below
    references: tuple[Line, ...]
    shared: str  # settings that all lines have and that are not the protocol's

    @property
    def all_lines(self) -> tuple[Line, ...]:
        """The methods, then the reference policies."""
        return (*self.lines, *self.references)

    @property
    def ranked(self) -> bool:
        """Whether some method has a group: six seeds or more."""
        return any(line.ranked for line in self.lines)

    @property
    def title(self) -> str:
        """Protocol and device."""
        return f"protocol {self.protocol} · {self.device}"


def matrices(boards: Iterable[Board]) -> list[Matrix]:
    """Return a matrix for each protocol and device, the protocol `paper` first."""

    def place(board: Board) -> tuple[bool, str, bool, str]:
        return board.protocol != "paper", board.protocol, board.device != "cpu", board.device

    return [_matrix(tuple(group)) for _, group in groupby(sorted(boards, key=place), place)]


def _matrix(boards: tuple[Board, ...]) -> Matrix:
    racing = [[row for row in board.rows if row.in_race] for board in boards]
    shared = shared_changes([row for rows in racing for row in rows])
    common = _common_settings(boards)
    return Matrix(
        protocol=boards[0].protocol,
        device=boards[0].device,
        boards=boards,
        headings=tuple(_without(board.settings, common[board.problem]) for board in boards),
        common={problem: " ".join(words) for problem, words in common.items() if words},
        lines=tuple(sorted(_lines(racing, shared), key=_place)),
        references=tuple(_lines([board.references for board in boards], ())),
        shared=telling(shared, [shared], always=shared),
    )


def _place(line: Line) -> tuple[bool, bool, float, int, str]:
    mean = round(line.rank.mean, 9) if line.rank else 0.0  # sums of halves and thirds: ties must be ties
    return line.rank is None, line.is_partial, mean, -line.first, line.label


def _lines(rows: Sequence[Sequence[Row]], shared: Collection[str]) -> Iterator[Line]:
    """A line for every variant among some rows of each board."""
    on_boards = variants(rows)
    by_variant: dict[Variant, list[Row | None]] = {
        variant: [found.get(variant) for found in on_boards] for found in on_boards for variant in found
    }
    ranks = mean_ranks([{variant: row.scores for variant, row in found.items()} for found in on_boards])
    usual = [_median_seconds(found.values()) for found in on_boards]
    known = methods.entries()
    for variant, cells in by_variant.items():
        siblings = [other for other in by_variant if other.method == variant.method]
        reference = any(row.reference for row in cells if row)
        yield Line(
            method=variant.method,
            settings=name_variant(variant, siblings, shared),
            family=known[variant.method].family if variant.method in known else "",
            reference=reference,
            cells=tuple(cells),
            rank=None if reference else ranks.get(variant),
            first=sum(row is not None and row.rank == 1 for row in cells),
            ranked=sum(row is not None and row.rank is not None for row in cells),
            time_factor=_time_factor(cells, usual),
        )


def _common_settings(boards: Sequence[Board]) -> dict[str, list[str]]:
    """The words that the settings of all boards of a problem have; of a single board, the default ones."""
    words: dict[str, list[list[str]]] = defaultdict(list)
    for board in boards:
        words[board.problem].append(board.settings.split())
    changed = {board.problem: {*board.changed, "code"} for board in boards}
    return {
        problem: [
            word
            for word in found[0]
            if all(word in other for other in found[1:])
            and (len(found) > 1 or word.partition("=")[0] not in changed[problem])
        ]
        for problem, found in words.items()
    }


def _without(settings: str, common: Sequence[str]) -> str:
    return " ".join(word for word in settings.split() if word not in common)


def _median_seconds(rows: Iterable[Row]) -> float:
    return median([row.total_seconds for row in rows if row.total_seconds] or [1.0])


def _time_factor(cells: Sequence[Row | None], usual: Sequence[float]) -> float | None:
    factors = [
        row.total_seconds / of for row, of in zip(cells, usual, strict=True) if row and row.total_seconds
    ]
    return exp(fmean(log(factor) for factor in factors)) if factors else None
