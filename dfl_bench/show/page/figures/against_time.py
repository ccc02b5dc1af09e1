"""Regret against seconds, with a line through the methods that no other beats in both."""

from collections.abc import Iterable, Iterator, Sequence
from math import log

import altair as alt

from ....results.boards import Board, Row
from .axes import (
    HEIGHT,
    WIDTH,
    Datum,
    Span,
    Style,
    Tables,
    finish,
    names,
    pointed,
    reference_lines,
    references,
    seconds_axis,
)
from .figure import Figure, Spec
from .labels import short_labels, tip
from .spreading import Box, Spot, spread, steps, tables_of

KIND = "time"
ORDER = 3
TITLE = "Regret against time"
CAPTION = (
    "Cells timed on their own. No method is both faster and better than those on the line; names stand "
    "where there is room for one, and every point says its own."
)


def pareto_front(rows: Iterable[Row]) -> list[Row]:
    """Return the timed rows no other beats in both seconds and regret, fastest first."""
    front: list[Row] = []
    timed = [row for row in rows if row.mean is not None and row.total_seconds is not None]
    for row in sorted(timed, key=lambda row: (row.total_seconds, row.mean)):
        if not front or row.mean < front[-1].mean:  # type: ignore[operator]
            front.append(row)
    return front


def draw(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    """Yield the figure of every board that has a cell timed on its own."""
    for board in boards:
        spec = _spec(board, style)
        if spec is not None:
            yield Figure.of(board, spec, kind=KIND, title=TITLE)


def _spec(board: Board, style: Style) -> Spec | None:
    timed = [row for row in board.rows if row.mean is not None and row.total_seconds]
    if not timed:
        return None
    front, labels = pareto_front(timed), short_labels(board.rows)
    on_front = {id(row) for row in front}
    values: list[Datum] = [
        {
            "method": row.method, "label": labels[id(row)], "tip": tip(row),
            "seconds": row.total_seconds, "regret": row.mean,
            "low": row.mean - (row.sem or 0.0), "high": row.mean + (row.sem or 0.0),
            "front": id(row) in on_front, "strength": 1.0 if id(row) in on_front else 0.45,
        }
        for row in timed
        if row.mean is not None
    ]  # fmt: skip
    lines = references(board)
    span = Span.around([value[end] for value in values for end in ("low", "high")], lines)
    under, tables = reference_lines(lines, span, style)
    # To the right edge: whoever has more seconds still has the last method of the front.
    domain = [0.7 * min(v["seconds"] for v in values), 1.6 * max(v["seconds"] for v in values)]
    best = sorted((v for v in values if v["front"]), key=lambda v: v["seconds"])
    tables |= {"ours": values, "front": [*best, {**best[-1], "seconds": domain[1]}]}
    tables |= _names(best, [v for v in values if not v["front"]], domain, span)
    layers = _layers(sorted({row.method for row in timed}), domain, span, style)
    return finish([*under, *layers], tables, style, f"{board.problem} {board.settings}".strip())


def _names(best: Sequence[Datum], others: Sequence[Datum], domain: Sequence[float], span: Span) -> Tables:
    """The labels of the front that have room."""

    def spot(value: Datum, name: str) -> Spot:
        along = log(value["seconds"] / domain[0]) / log(domain[1] / domain[0])
        return Spot(WIDTH * along, HEIGHT * (span.high - value["regret"]) / (span.high - span.low), name)

    front = [spot(value, value["label"]) for value in best]
    spots = [*front, *(spot(value, "") for value in others)]
    return tables_of(list(spread(spots, Box(0, 0, WIDTH, HEIGHT), steps(front, WIDTH))))


def _layers(methods: list[str], domain: list[float], span: Span, style: Style) -> list[alt.Chart]:
    scale = alt.Scale(type="log", domain=domain, nice=False)
    x = alt.X("seconds:Q", scale=scale, axis=seconds_axis("seconds of one seed"))
    y, colour = span.axis(), style.colour(methods)
    strength = alt.Opacity("strength:Q", scale=None)
    ours, front = (alt.Chart(alt.NamedData(name)).encode(x=x) for name in ("ours", "front"))
    return [
        front.mark_line(
            interpolate="step-after", color=style.palette.muted, opacity=0.6, strokeWidth=1
        ).encode(y=y),
        ours.mark_rule().encode(y=span.axis("low"), y2=alt.Y2("high:Q"), color=colour, opacity=strength),
        pointed(ours, size=48).encode(y=y, color=colour, shape=style.shape(methods), opacity=strength),
        *names(style),
    ]
