"""What the page says, ready for its template: no markup here, no arithmetic there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ... import problems
from ...results import worked_example
from ...results.boards import Board, Row
from ...results.map import panels_worth_showing
from ...results.matrix import matrices as make_matrices
from ...results.papers import load_paper
from ...results.read import Results
from ...store.record import Record
from ..map_overview import overview
from .cells import compact
from .details import about, details, numbered
from .environments import environments
from .figures.axes import Style
from .figures.figure import Figure
from .figures.gallery import captions, figures
from .figures.palette import CSS, DARK, LIGHT, PAPER, SHAPES, Look, looks
from .files import board_names, texts
from .gain_section import map_parts, off_the_map

PLOT_WIDTH = 132


@dataclass(frozen=True, slots=True)
class Plot:
    """A row's score as a dot with its error in a strip that starts at zero; positions in pixels."""

    dot: float
    low: float
    high: float
    marks: list[tuple[str, float]]  # reference policies


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemText:
    """What the page says about one problem, in the configuration of its first board."""

    name: str
    text: str  # the docstring of its class, "" if it is not known here
    provenance: str
    other_data: str
    settings: str
    config: Mapping[str, Any]
    example: worked_example.Example | None
    reason: str  # why there is no example
    stored: tuple[float, float] | None  # regret and worst regret of the same instance, as recorded


def content(results: Results, methods_page: str = "") -> dict[str, object]:
    """Return the variables of the template.

    Args:
        results: what the page shows.
        methods_page: address of the document about methods, "" without one.
    """
    matrices = make_matrices(results.boards)
    boards = [board for matrix in matrices for board in matrix.boards]
    looked = looks(row.method for board in boards for row in board.rows)
    shown = [record for board in boards for row in board.all_rows for record in row.records]
    names = board_names(boards)
    panels = panels_worth_showing(results.records)
    drawn = _figures(off_the_map(boards, panels), looked)
    return {
        "map": map_parts(panels),
        "map_overview": overview(panels),
        "matrices": matrices,
        "boards": [(board, plots(board)) for board in boards],
        "names": names,
        "rows": numbered(boards),
        "counts": _counts(boards, shown, len(results.records) + len(results.failures)),
        "protocols": sorted({board.protocol for board in boards}),
        "families": sorted({line.family for matrix in matrices for line in matrix.lines if line.family}),
        "problems": _problems(boards),
        "overview": [group for group in drawn if not group[2][0][0].problem],
        "figures": [group for group in drawn if group[2][0][0].problem],
        "wide": any(figure.is_wide for *_, made in drawn for figure, _ in made),
        "looks": looked,
        "shapes": SHAPES,
        "environments": environments(shown),
        "cells": compact(boards),
        "details": details(boards, methods_page, PAPER.variables()),
        "about": about((row.method for board in boards for row in board.all_rows), methods_page),
        "files": texts(matrices, boards, names),
        "plot_width": PLOT_WIDTH,
        "light": LIGHT.variables(),
        "dark": DARK.variables(),
    }


def plots(board: Board) -> dict[int, Plot]:
    """Return the strip of every scored row by id; all rows of a board share one scale."""
    scored = [row for row in board.all_rows if row.mean is not None]
    ends = [_ends(row) for row in scored]
    largest = max((high for _, _, high in ends if isfinite(high)), default=0.0) or 1.0
    scale = (PLOT_WIDTH - 8) / largest
    marks = [(row.method, 4 + scale * row.mean) for row in board.references if row.mean is not None]
    return {
        id(row): Plot(4 + scale * mean, 4 + scale * low, 4 + scale * high, marks)
        for row, (mean, low, high) in zip(scored, ends, strict=True)
    }


def _ends(row: Row) -> tuple[float, float, float]:
    assert row.mean is not None
    sem = row.sem or 0.0
    return row.mean, row.mean - sem, row.mean + sem


def _figures(
    boards: Sequence[Board], looked: Mapping[str, Look]
) -> list[tuple[str, str, list[tuple[Figure, str]]]]:
    """Title, caption and pictures of every group of figures."""
    by_title: dict[str, list[Figure]] = {}
    for figure in figures(boards, Style(CSS, looked)):
        by_title.setdefault(figure.title, []).append(figure)
    caption = captions()
    return [
        (title, caption[made[0].kind], [(figure, figure.lean_svg()) for figure in made])
        for title, made in by_title.items()
    ]


def _counts(boards: Sequence[Board], shown: Sequence[Record], stored: int) -> dict[str, int]:
    return {
        "cells": len(shown),
        "problems": len({board.problem for board in boards}),
        "methods": len({row.method for board in boards for row in board.rows}),
        "seeds": len({record.cell.seed for record in shown}),
        "failures": sum(record.status in ("failed", "timeout") for record in shown),
        "not applicable": sum(record.status == "n/a" for record in shown),
        "superseded": stored - len(shown),
    }


def _problems(boards: Sequence[Board]) -> list[ProblemText]:
    first = {board.problem: board for board in reversed(boards)}
    return [_problem(board) for _, board in sorted(first.items())]


def _problem(board: Board) -> ProblemText:
    computed, reason = worked_example.example(board)
    return ProblemText(
        name=board.problem,
        text=_docstring(board.problem),
        provenance=board.provenance,
        other_data=load_paper().track.other_data.get(board.problem, ""),
        settings=board.settings,
        config=board.config,
        example=computed,
        reason=reason,
        stored=worked_example.stored_regret(board),
    )


def _docstring(problem: str) -> str:
    return (problems.get(problem).__doc__ or "").strip() if problem in problems.names() else ""
