"""Regret against seconds, with the methods nothing is both faster and better than."""

from collections.abc import Iterable
from typing import Any

import altair as alt

from ..leaderboard import Board, Row
from .axes import Span, Style, data, finish, reference_lines, references


def pareto_front(rows: Iterable[Row]) -> list[Row]:
    """Return the timed rows no other beats in both seconds and regret, fastest first."""
    front: list[Row] = []
    timed = [row for row in rows if row.mean is not None and row.total_seconds is not None]
    for row in sorted(timed, key=lambda row: (row.total_seconds, row.mean)):
        if not front or row.mean < front[-1].mean:  # type: ignore[operator]
            front.append(row)
    return front


def against_time(board: Board, style: Style) -> alt.LayerChart | None:
    """Return the figure of a board; None where no cell was timed on its own."""
    timed = [row for row in board.rows if row.mean is not None and row.total_seconds]
    if not timed:
        return None
    front = pareto_front(timed)
    best = {id(row) for row in front}
    values = [
        {
            "method": row.method, "label": row.label, "seconds": row.total_seconds, "regret": row.mean,
            "low": row.mean - (row.sem or 0.0), "high": row.mean + (row.sem or 0.0), "front": id(row) in best,
        }
        for row in timed
        if row.mean is not None
    ]  # fmt: skip
    lines = references(board)
    span = Span.around([value[end] for value in values for end in ("low", "high")], lines)
    return finish(
        [*reference_lines(lines, span, style), *_layers(values, span, style)],
        style,
        f"{board.problem} {board.settings}".strip(),
    )


def _layers(values: list[dict[str, Any]], span: Span, style: Style) -> list[alt.Chart]:
    seconds = [value["seconds"] for value in values]
    domain = [0.7 * min(seconds), 1.6 * max(seconds)]
    scale = alt.Scale(type="log", domain=domain, nice=False)
    x = alt.X("seconds:Q", scale=scale, axis=seconds_axis("seconds of one seed"))
    y, methods = span.axis(), [value["method"] for value in values]
    best = sorted((v for v in values if v["front"]), key=lambda v: v["seconds"])
    everything = alt.Chart(data(values)).encode(x=x, color=style.colour(methods))
    strength = alt.condition("datum.front", alt.value(1.0), alt.value(0.45))
    # To the right edge: with more seconds, the last method of the front is still to be had.
    steps = alt.Chart(data([*best, {**best[-1], "seconds": domain[1]}]))
    middle = (domain[0] * domain[1]) ** 0.5
    labels = [
        alt.Chart(data([value for value in best if (value["seconds"] > middle) == right]))
        .mark_text(align=align, dx=dx, dy=9, fontSize=10, color=style.palette.ink)
        .encode(x=x, y=y, text="label:N")
        for right, align, dx in ((False, "left", 6), (True, "right", -6))
    ]
    return [
        steps.mark_line(
            interpolate="step-after", color=style.palette.muted, opacity=0.6, strokeWidth=1
        ).encode(x=x, y=y),
        everything.mark_rule().encode(y=span.axis("low"), y2="high:Q", opacity=strength),
        everything.mark_point(filled=True, size=48).encode(y=y, shape=style.shape(methods), opacity=strength),
        *labels,
    ]


def seconds_axis(title: str) -> alt.Axis:
    """Return a logarithmic axis of seconds with a label at every power of ten."""
    return alt.Axis(title=title, format="~g", tickCount=4, labelOverlap=True, ticks=False)
