"""Mean rank against time over all problems: one point for each method of a matrix."""

from collections.abc import Iterator, Sequence
from math import log

import altair as alt

from ....results.boards import Board
from ....results.headline import places
from ....results.matrix import Line, Matrix, matrices
from ...matrix_text import factor_text, first_text, interval_text, rank_text
from .axes import Datum, Style, Tables, finish, names, pointed
from .figure import Figure, Spec
from .labels import cut
from .spreading import Box, Spot, spread, steps, tables_of

KIND = "cost"
ORDER = 0
TITLE = "Quality against cost"
CAPTION = (
    "The mean rank of each method over all problems, with its 95 % interval, against its time: its seconds "
    "over those of the median method of the same problem, geometric mean. Methods with a score on at least "
    "half of the problems. No method is both faster and better ranked than those on the line."
)
SIZE = (620, 340)


def draw(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    """Yield the figure of every protocol with two problems or more, and two timed methods."""
    for matrix in matrices(boards):
        lines = [line for line in matrix.lines if line.rank and line.time_factor and not line.is_partial]
        if len(matrix.boards) > 1 and len(lines) > 1:
            yield Figure(
                kind=KIND,
                title=TITLE,
                problem="",
                settings="",
                protocol=matrix.protocol,
                device=matrix.device,
                spec=_spec(matrix, lines, style),
            )


def _spec(matrix: Matrix, lines: Sequence[Line], style: Style) -> Spec:
    values = [_datum(line) for line in lines]
    front = _front(values)
    for value in values:
        value["strength"] = 1.0 if value in front else 0.7
    domain = [0.8 * min(v["time"] for v in values), 1.3 * max(v["time"] for v in values)]
    ranks = [0.5, max(v["high"] for v in values) + 0.5]
    # To the right edge: whoever has more time still has the last method of the front.
    tables = {"ours": values, "front": [*front, {**front[-1], "time": domain[1]}]}
    tables |= _names(front, values, domain, ranks)
    layers = _layers({line.method for line in lines}, domain, ranks, style)
    return finish(layers, tables, style, f"{places(matrix)}, protocol {matrix.protocol}", SIZE)


def _datum(line: Line) -> Datum:
    assert line.rank is not None
    low, high = line.rank.interval or (line.rank.mean, line.rank.mean)
    interval = f" ({interval_text(line)})" if line.rank.interval else ""
    first = f", first {first_text(line)}" if line.ranked else ""
    return {
        "method": line.method, "label": cut(line.label), "time": line.time_factor, "rank": line.rank.mean,
        "low": low, "high": high,
        "tip": f"{line.label}: mean rank {rank_text(line)}{interval}{first}, time {factor_text(line)}",
    }  # fmt: skip


def _front(values: Sequence[Datum]) -> list[Datum]:
    """The points no other beats in both time and rank, fastest first."""
    front: list[Datum] = []
    for value in sorted(values, key=lambda value: (value["time"], value["rank"])):
        if not front or value["rank"] < front[-1]["rank"]:
            front.append(value)
    return front


def _names(
    front: Sequence[Datum], values: Sequence[Datum], domain: Sequence[float], ranks: Sequence[float]
) -> Tables:
    """The labels that have room, by their alignment; those of the front first, then the best ranks."""
    order = [*front, *sorted((v for v in values if v not in front), key=lambda v: v["rank"])]
    spots = [
        Spot(
            SIZE[0] * log(v["time"] / domain[0]) / log(domain[1] / domain[0]),
            SIZE[1] * (ranks[1] - v["rank"]) / (ranks[1] - ranks[0]),
            v["label"],
        )
        for v in order
    ]
    line = steps(spots[: len(front)], SIZE[0])
    return tables_of(list(spread(spots, Box(0, 0, *SIZE), line)))


def _layers(methods: set[str], domain: list[float], ranks: list[float], style: Style) -> list[alt.Chart]:
    axis = alt.Axis(title="time, as a multiple of the median method", format="~g", tickCount=4, ticks=False)
    x = alt.X("time:Q", scale=alt.Scale(type="log", domain=domain, nice=False), axis=axis)
    scale, colour = alt.Scale(domain=ranks, nice=False, zero=False), style.colour(methods)
    strength = alt.Opacity("strength:Q", scale=None)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=scale, axis=alt.Axis(title="mean rank, 1 is best", tickCount=6))

    ours, front = (alt.Chart(alt.NamedData(name)).encode(x=x) for name in ("ours", "front"))
    return [
        front.mark_line(
            interpolate="step-after", color=style.palette.muted, opacity=0.6, strokeWidth=1
        ).encode(y=y("rank")),
        ours.mark_rule(opacity=0.22).encode(y=y("low"), y2=alt.Y2("high:Q"), color=colour),
        pointed(ours, size=60).encode(
            y=y("rank"), color=colour, shape=style.shape(methods), opacity=strength
        ),
        *names(style),
    ]
