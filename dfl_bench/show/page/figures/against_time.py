"""Regret against seconds, with the methods nothing is both faster and better than."""

from collections.abc import Iterable
from typing import Any, Literal

import altair as alt

from ....results.boards import Board, Row
from .axes import Span, Style, finish, reference_lines, references
from .placing import placed

# Text to the right of points in the left half of the figure, and the other way round.
LABELS: tuple[tuple[str, Literal["left", "right"], int], ...] = (("left", "left", 6), ("right", "right", -6))


def pareto_front(rows: Iterable[Row]) -> list[Row]:
    """Return the timed rows no other beats in both seconds and regret, fastest first."""
    front: list[Row] = []
    timed = [row for row in rows if row.mean is not None and row.total_seconds is not None]
    for row in sorted(timed, key=lambda row: (row.total_seconds, row.mean)):
        if not front or row.mean < front[-1].mean:  # type: ignore[operator]
            front.append(row)
    return front


def against_time(board: Board, style: Style) -> dict[str, Any] | None:
    """Return the figure of a board; None where no cell was timed on its own."""
    timed = [row for row in board.rows if row.mean is not None and row.total_seconds]
    if not timed:
        return None
    front = pareto_front(timed)
    on_front = {id(row) for row in front}
    values: list[dict[str, Any]] = [
        {
            "method": row.method, "label": row.label, "seconds": row.total_seconds, "regret": row.mean,
            "low": row.mean - (row.sem or 0.0), "high": row.mean + (row.sem or 0.0), 
            "front": id(row) in on_front,            "strength": 1.0 if id(row) in on_front else 0.45,
        }
        for row in timed
        if row.mean is not None
    ]  # fmt: skip
    lines = references(board)
    span = Span.around([value[end] for value in values for end in ("low", "high")], lines)
    under, tables = reference_lines(lines, span, style)
    # To the right edge: with more seconds, the last method of the front is still to be had.
    domain = [0.7 * min(v["seconds"] for v in values), 1.6 * max(v["seconds"] for v in values)]
    best = sorted((v for v in values if v["front"]), key=lambda v: v["seconds"])
    labels = list(placed(best, domain, span))
    tables |= {
        "ours": values,
        "front": [*best, {**best[-1], "seconds": domain[1]}],
        "left": [value for value in labels if value["side"] == "left"],
        "right": [value for value in labels if value["side"] == "right"],
    }
    layers = _layers(sorted({row.method for row in timed}), domain, span, style)
    return finish([*under, *layers], tables, style, f"{board.problem} {board.settings}".strip())


def _layers(methods: list[str], domain: list[float], span: Span, style: Style) -> list[alt.Chart]:
    scale = alt.Scale(type="log", domain=domain, nice=False)
    x = alt.X("seconds:Q", scale=scale, axis=seconds_axis("seconds of one seed"))
    y, colour = span.axis(), style.colour(methods)
    strength = alt.Opacity("strength:Q", scale=None)
    ours, front = (alt.Chart(alt.NamedData(name)).encode(x=x) for name in ("ours", "front"))
    labels = [
        alt.Chart(alt.NamedData(side))
        .mark_text(align=align, dx=dx, fontSize=10, color=style.palette.ink)
        .encode(x=x, y=span.axis("place"), text=alt.Text("label:N"))
        for side, align, dx in LABELS
    ]
    return [
        front.mark_line(
            interpolate="step-after", color=style.palette.muted, opacity=0.6, strokeWidth=1
        ).encode(y=y),
        ours.mark_rule().encode(y=span.axis("low"), y2=alt.Y2("high:Q"), color=colour, opacity=strength),
        ours.mark_point(filled=True, size=48).encode(
            y=y, color=colour, shape=style.shape(methods), opacity=strength
        ),
        *labels,
    ]


def seconds_axis(title: str) -> alt.Axis:
    """Return a logarithmic axis of seconds with a label at every power of ten."""
    return alt.Axis(title=title, format="~g", tickCount=4, labelOverlap=True, ticks=False)
