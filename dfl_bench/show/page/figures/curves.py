"""Learning curves: validation regret against seconds."""

from collections.abc import Iterator, Sequence
from math import isfinite

import altair as alt

from ....results.boards import Board, Row
from ....store.record import Record
from .axes import Datum, Span, Style, finish, reference_lines, references, seconds_axis
from .figure import Figure, Spec

KIND = "curves"
ORDER = 4
TITLE = "Learning curves"
CAPTION = (
    "One timed seed of each method at its largest K, divided by the mean worst regret of the seed’s test "
    "instances, which puts it on the scale of the scores."
)
VERTICAL = "validation regret, normalized"


def draw(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    """Yield the figure of every board that has a curve of a timed seed."""
    for board in boards:
        spec = _spec(board, style)
        if spec is not None:
            yield Figure.of(board, spec, kind=KIND, title=TITLE)


def _spec(board: Board, style: Style) -> Spec | None:
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
    y, colour = span.axis(title=VERTICAL), style.colour(chosen)
    under, tables = reference_lines(lines, span, style, VERTICAL)
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


def _curve(row: Row) -> list[Datum]:
    """The curve of the first timed seed, in units of its mean worst test regret, as scores are."""
    record = min(filter(_is_shown, row.records), key=lambda record: record.cell.seed)
    unit = record.mean_worst_regret
    assert unit is not None, "shown records have a score"
    points = [(at, regret / unit) for at, regret in record.curve if isfinite(regret) and at > 0]
    return [
        {"method": row.method, "seconds": at, "regret": regret, "last": i == len(points) - 1}
        for i, (at, regret) in enumerate(points)
    ]
