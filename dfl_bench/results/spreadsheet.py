"""Boards and matrices as CSV: the numbers in full, one line for each method."""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..store.text import as_text
from .boards import Board, Row
from .columns import columns_of
from .matrix import Line, Matrix

Value = str | float | None
CELL = ("regret", "sem", "seeds", "group", "seconds", "solves", "reason")  # of a method on a problem


def board_csv(board: Board) -> str:
    """Return a board as CSV: its columns, each error in a column of its own, and why a score is missing."""
    columns = [column for column in columns_of(board, "page") if column.format != "dot"]
    heading = [
        name for c in columns for name in ([c.name, f"{c.name} sem"] if c.format == "score" else [c.name])
    ]
    lines: list[list[Value]] = []
    for row in board.all_rows:
        values: list[Value] = []
        for column in columns:
            values.append(column.value(row))
            if column.format == "score":
                values.append(column.error(row))
        lines.append([*values, row.reason])
    return _written([*heading, "reason"], lines)


def matrix_csv(matrix: Matrix) -> str:
    """Return a matrix as CSV: what sums a method up, then seven columns for each problem."""
    summary = [
        "method",
        "settings",
        "family",
        "mean rank",
        "rank low",
        "rank high",
        "first",
        "ranked",
        "time factor",
    ]
    places = [f"{b.problem} {h}".strip() for b, h in zip(matrix.boards, matrix.headings, strict=True)]
    heading = [*summary, *(f"{place} {name}" for place in places for name in CELL)]
    return _written(heading, [[*_summary(line), *_cells(line)] for line in matrix.all_lines])


def write_matrices(matrices: Sequence[Matrix], path: Path) -> list[Path]:
    """Write a matrix to a file; several go to files beside it, named by their protocols and devices."""
    several = len(matrices) > 1
    written = []
    for matrix in matrices:
        place = f"{path.stem}-{matrix.protocol}-{matrix.device}".replace(":", "-")
        target = path.with_stem(place) if several else path
        target.write_text(matrix_csv(matrix), encoding="utf-8")
        written.append(target)
    return written


def _summary(line: Line) -> list[Value]:
    rank = line.rank
    low, high = rank.interval if rank and rank.interval else (None, None)
    mean = rank.mean if rank else None
    counts: list[Value] = [line.first, line.ranked] if line.ranked else [None, None]
    return [line.method, line.settings, line.family, mean, low, high, *counts, line.time_factor]


def _cells(line: Line) -> list[Value]:
    return [value for row in line.cells for value in _cell(row)]


def _cell(row: Row | None) -> Sequence[Value]:
    if row is None:
        return (None, None, 0, None, None, None, "not run")
    counted: Sequence[Value] = (len(row.scores), row.rank, row.total_seconds, row.total_solves)
    return (row.mean, row.sem, *counted, row.reason)


def _written(heading: Sequence[str], lines: Iterable[Sequence[Value]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(as_text, heading))
    writer.writerows([_short(value) for value in line] for line in lines)
    return out.getvalue()


def _short(value: Value) -> Value:
    """Eight digits of a number; text that no spreadsheet runs."""
    return float(f"{value:.8g}") if isinstance(value, float) else as_text(value)
