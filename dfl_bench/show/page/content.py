"""What the page says, ready for its template: no markup here, no arithmetic there."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ... import problems
from ...results import worked_example as example
from ...results.boards import Board, Row
from ...results.published import OTHER_DATA
from ...results.read import Results
from ...store.record import Record
from .cells import compact
from .figures.axes import Style
from .figures.gallery import KINDS, figures
from .figures.palette import CSS, DARK, LIGHT, places, shape

PLOT_WIDTH = 132


@dataclass(frozen=True, slots=True)
class Plot:
    """A row's score as a dot with its error in a strip that starts at zero; positions in pixels."""

    dot: float
    low: float
    high: float
    marks: list[tuple[str, float]]  # reference policies


def content(results: Results) -> dict[str, Any]:
    """Return the variables of the template."""
    boards = results.boards
    placed = places(row.method for board in boards for row in board.rows)
    shown = [r for board in boards for row in (*board.rows, *board.references) for r in row.records]
    pictures = [(figure, figure.svg()) for figure in figures(boards, Style(CSS, placed))]
    return {
        "boards": [(board, plots(board)) for board in boards],
        "counts": _counts(boards, shown, len(results.records) + len(results.failures)),
        "provenance": list({board.problem: board.provenance for board in boards}.items()),
        "protocols": sorted({board.protocol for board in boards}),
        "problems": _problems(boards),
        "figures": [(k, title, [p for p in pictures if p[0].kind == k]) for k, title in KINDS.items()],
        "methods": [(name, place, shape(place)) for name, place in placed.items()],
        "places": placed,
        "environments": _environments(shown),
        "cells": compact(boards),
        "plot_width": PLOT_WIDTH,
        "light": LIGHT.variables(),
        "dark": DARK.variables(),
    }


def plots(board: Board) -> dict[int, Plot]:
    """Return the strip of every scored row by id; all rows of a board share one scale."""
    scored = [row for row in (*board.rows, *board.references) if row.mean is not None]
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


def _problems(boards: Sequence[Board]) -> list[dict[str, Any]]:
    """One entry a problem, worked through in the configuration of its first board."""
    first = {board.problem: board for board in reversed(boards)}
    entries = []
    for name, board in sorted(first.items()):
        computed, reason = example.example(board)
        entries.append(
            {
                "name": name,
                "text": _docstring(name),
                "provenance": board.provenance,
                "other_data": OTHER_DATA.get(name, ""),
                "settings": board.settings,
                "config": board.config,
                "example": computed,
                "reason": reason,
                "stored": example.stored_regret(board),
            }
        )
    return entries


def _docstring(problem: str) -> str:
    return (problems.get(problem).__doc__ or "").strip() if problem in problems.names() else ""


def _environments(shown: Sequence[Record]) -> list[tuple[dict[str, Any], int]]:
    found: dict[str, tuple[dict[str, Any], int]] = {}
    for record in shown:
        facts = dict(record.environment)
        text = repr(facts)
        found[text] = (facts, found.get(text, (facts, 0))[1] + 1)
    return sorted(found.values(), key=lambda item: -item[1])
