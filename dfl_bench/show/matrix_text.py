"""A matrix as text, cell by cell: the terminal, the report and LaTeX arrange the same words."""

from dataclasses import dataclass

from ..results.boards import Row
from ..results.matrix import Line, Matrix
from ..results.notes import OUT_OF_ORDER
from .format import quantity, score

NOT_RUN = "–"
SUMMARY = ("method", "rank", "95 %", "first", "time")  # the columns before those of the problems


@dataclass(frozen=True, slots=True)
class Written:
    """The text of one cell; the first group is bold."""

    text: str
    bold: bool = False


def problem_names(matrix: Matrix) -> list[str]:
    """Return the problem of each board, with the settings that tell it from others."""
    return [f"{b.problem} {h}".strip() for b, h in zip(matrix.boards, matrix.headings, strict=True)]


def written(line: Line) -> list[Written]:
    """Return the cells of a line, those of the summary first, then a regret for each problem."""
    return [
        Written(line.label),
        Written(rank_text(line)),
        Written(interval_text(line)),
        Written(first_text(line)),
        Written(factor_text(line)),
        *(Written(regret_text(row), bold=row is not None and row.rank == 1) for row in line.cells),
    ]


def rank_text(line: Line) -> str:
    """Write a mean rank with one decimal."""
    return f"{line.rank.mean:.1f}" if line.rank else ""


def interval_text(line: Line) -> str:
    """Write the interval of a mean rank: "1.2–5.1"."""
    if line.rank is None or line.rank.interval is None:
        return ""
    low, high = line.rank.interval
    return f"{low:.1f}–{high:.1f}"


def first_text(line: Line) -> str:
    """Write how often a method is in the first group: "4/5"."""
    return f"{line.first}/{line.ranked}" if line.ranked else ""


def factor_text(line: Line) -> str:
    """Write how many times the median method's seconds a method takes: "×0.52"."""
    if line.time_factor is None or line.reference:
        return ""
    if line.time_factor < 0.01:
        return "<×0.01"
    return "×" + (f"{line.time_factor:.2g}" if line.time_factor < 100 else quantity(line.time_factor))


def regret_text(row: Row | None) -> str:
    """Write the regret of a method on a problem, or why there is none."""
    if row is None:
        return NOT_RUN
    if row.mean is None:
        return "failed" if row.failures else "n/a"
    return score(row.mean, None) + (OUT_OF_ORDER.sign if row.passed else "")
