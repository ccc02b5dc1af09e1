"""Learning curves: validation regret against seconds."""

from math import isfinite
from typing import Any

import altair as alt

from ....results.boards import Board, Row
from ....store.record import Record
from .against_time import seconds_axis
from .axes import Span, Style, finish, reference_lines, references

TITLE = "validation regret, normalized"


def learning_curves(board: Board, style: Style) -> dict[str, Any] | None:
    """Return the figure of a board: one timed seed of each method, at its largest K; None without curves."""
    chosen: dict[str, Row] = {}
    for row in sorted(board.rows, key=lambda row: row.config.get("samples") or 0):
        if any(map(_is_shown, row.records)):
            chosen[row.method] = row
    values = [value for row in chosen.values() for value in _curve(row)]
    if not values:
        return None
    lines = references(board)
    span = Span.around([value["regret"] for value in values], lines)
    seconds = [value["seconds"] for value in values]
    scale = alt.Scale(type="log", domain=[0.8 * min(seconds), 1.25 * max(seconds)], nice=False)
    x = alt.X("seconds:Q", scale=scale, axis=seconds_axis("seconds of one seed"))
    y, colour = span.axis(title=TITLE), style.colour(chosen)
    under, tables = reference_lines(lines, span, style, TITLE)
    tables |= {"curves": values, "ends": [value for value in values if value["last"]]}
    curves, ends = (
        alt.Chart(alt.NamedData(name)).encode(x=x, y=y, color=colour) for name in ("curves", "ends")
    )
    layers = [
        curves.mark_line(strokeWidth=1.5),
        ends.mark_point(filled=True, size=40, opacity=1).encode(shape=style.shape(chosen)),
    ]
    return finish([*under, *layers], tables, style, f"{board.problem} {board.settings}".strip())


def _is_shown(record: Record) -> bool:
    return record.is_timing and any(isfinite(regret) and at > 0 for at, regret in record.curve)


def _curve(row: Row) -> list[dict[str, Any]]:
    """The curve of the first timed seed, in units of its mean worst test regret, as scores are."""
    record = min(filter(_is_shown, row.records), key=lambda record: record.cell.seed)
    assert record.worst_regret is not None
    unit = float(record.worst_regret.mean())
    points = [(at, regret / unit) for at, regret in record.curve if isfinite(regret) and at > 0]
    return [
        {"method": row.method, "seconds": at, "regret": regret, "last": i == len(points) - 1}
        for i, (at, regret) in enumerate(points)
    ]
