"""What every figure shares: a vertical axis of regret, and the reference policies as lines on it."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from ....results.boards import Board
from .figure import Spec
from .palette import Look, Palette

WIDTH, HEIGHT = 250, 210  # with axis and labels about 350: one column of a phone, a third of a desktop page
SIZE = (WIDTH, HEIGHT)
REGRET = "normalized regret"
LABEL_PIXELS = 12  # between the labels of two lines
DASHES = {"constant": [5, 3], "random": [2, 3], "floor": [1, 2]}
SOLID = [1, 0]
FRAMING = ("constant", "floor")  # lines the axis reaches, unless they are far away
FAR = 2.0  # times the range of the values

Datum = dict[str, Any]  # one mark of a figure: numbers and texts by field, as Vega-Lite takes them
Tables = dict[str, list[Datum]]  # the marks of a figure's layers, by name


@dataclass(frozen=True, slots=True)
class Style:
    """A palette, the look of every method, and whether the figure stands alone (title and legend)."""

    palette: Palette
    looks: Mapping[str, Look]
    alone: bool = False

    def ordered(self, methods: Collection[str]) -> list[str]:
        """Return methods in the order of the legend."""
        return [name for name in self.looks if name in methods]

    def colour(self, methods: Collection[str]) -> alt.Color:
        """Return the colour channel of the field `method`."""
        names = self.ordered(methods)
        colours = [self.palette.methods[self.looks[name].colour] for name in names]
        return alt.Color("method:N", scale=alt.Scale(domain=names, range=colours), legend=self._legend())

    def shape(self, methods: Collection[str]) -> alt.Shape:
        """Return the shape channel of the field `method`."""
        names = self.ordered(methods)
        shapes = [self.looks[name].shape for name in names]
        return alt.Shape("method:N", scale=alt.Scale(domain=names, range=shapes), legend=self._legend())

    def _legend(self) -> alt.Legend | None:
        return alt.Legend(title=None, orient="bottom", symbolOpacity=1) if self.alone else None


@dataclass(frozen=True, slots=True)
class Span:
    """The visible interval of regrets."""

    low: float
    high: float

    @classmethod
    def around(cls, values: Iterable[float], references: Mapping[str, float]) -> "Span":
        """Return an interval with a little air around values and the lines that frame them."""
        drawn = list(values)
        low, high = min(drawn), max(drawn)
        reach = FAR * (high - low) or abs(high)  # values that are all alike have no range
        near = [references[name] for name in FRAMING if name in references]
        kept = [low, high, *(value for value in near if low - reach <= value <= high + reach)]
        low, high = min(kept), max(kept)
        air = 0.06 * (high - low) or 0.05 * abs(high) or 0.05
        return cls(max(low - air, min(low, 0.0)), high + air)

    def axis(self, field: str = "regret", title: str = REGRET) -> alt.Y:
        """Return the vertical channel of a field."""
        scale = alt.Scale(domain=[self.low, self.high], nice=False, zero=False)
        return alt.Y(f"{field}:Q", scale=scale, axis=alt.Axis(title=title, tickCount=5))


def references(board: Board) -> dict[str, float]:
    """Return the mean normalized regret of each reference policy of a board."""
    return {row.method: row.mean for row in board.references if row.mean is not None}


def reference_lines(
    lines: Mapping[str, float], span: Span, style: Style, title: str = REGRET
) -> tuple[list[alt.Chart], Tables]:
    """Return a dashed line and a label for each reference; one beyond the axis is an arrow at its edge.

    Args:
        lines: the regret of each reference policy.
        span: the visible interval.
        style: the colours.
        title: the title of the vertical axis.
    """
    rows = _labels(lines, span)
    tables = {"lines": [row for row in rows if row["inside"]], "labels": rows}
    rules = alt.Chart(alt.NamedData("lines")).mark_rule(color=style.palette.muted)
    text = alt.Chart(alt.NamedData("labels")).mark_text(
        align="left", dx=5, fontSize=10, color=style.palette.muted
    )
    layers = [
        rules.encode(y=span.axis(title=title), strokeDash=alt.StrokeDash("dash:N", scale=None)),
        text.encode(x=alt.XValue(WIDTH), y=span.axis("place", title), text=alt.Text("text:N")),
    ]
    return layers, tables


def _labels(lines: Mapping[str, float], span: Span) -> list[Datum]:
    """Labels from below, each far enough above the last to be read."""
    step = LABEL_PIXELS * (span.high - span.low) / HEIGHT
    rows: list[Datum] = []
    for name, value in sorted(lines.items(), key=lambda item: item[1]):
        inside = span.low <= value <= span.high
        place = min(max(value, span.low + step / 2), span.high)
        if rows:
            place = max(place, rows[-1]["place"] + step)
        arrow = "" if inside else " ↓" if value < span.low else " ↑"
        text = name if inside else f"{name} {value:.2f}{arrow}"
        dash = DASHES.get(name, SOLID)
        rows.append({"regret": value, "dash": dash, "inside": inside, "place": place, "text": text})
    return rows


def names(style: Style) -> list[alt.Chart]:
    """Return the layers of the names that `spreading` has found a place for."""
    return [
        alt.Chart(alt.NamedData(align))
        .mark_text(align=align, baseline="middle", fontSize=10, color=style.palette.ink)
        .encode(x=alt.X("x:Q", scale=None), y=alt.Y("y:Q", scale=None), text=alt.Text("label:N"))
        for align in ("left", "right", "center")
    ]


def seconds_axis(title: str) -> alt.Axis:
    """Return a logarithmic axis of seconds with a label at every power of ten."""
    return alt.Axis(title=title, format="~g", tickCount=4, labelOverlap=True, ticks=False)


def pointed(chart: alt.Chart, *, size: int, opacity: float = 1.0) -> alt.Chart:
    """Return a chart drawn as points that say the field `tip` of their values to whoever points at them.

    Args:
        chart: what is drawn.
        size: of a point, in square pixels.
        opacity: 0 for points that can be pointed at and not seen.
    """
    return chart.mark_point(filled=True, size=size, opacity=opacity, aria=True).encode(
        description=alt.Description("tip:N")
    )


def finish(
    layers: Sequence[alt.Chart], tables: Tables, style: Style, title: str, size: tuple[int, int] = SIZE
) -> Spec:
    """Join layers and the tables they name into a Vega-Lite specification in the colours of a style.

    Args:
        layers: the parts of the chart, from the back to the front.
        tables: the data that the layers name.
        style: the colours, and whether the figure stands alone.
        title: shown on a figure that stands alone.
        size: width and height of the space inside the axes.
    """
    # Not `alt.layer`, which copies every part of every layer several times.
    parts = [layer.to_dict(validate=False) for layer in layers]
    spec: Spec = {"$schema": parts[0]["$schema"], "width": size[0], "height": size[1]}
    spec["layer"] = [
        {name: part[name] for name in part if name not in ("$schema", "config")} for part in parts
    ]
    p = style.palette
    spec["datasets"] = dict(tables)
    # Labels are measured in the font of the renderer; a reader's font may be wider.
    spec["padding"] = {"left": 2, "top": 4, "bottom": 4, "right": 12}
    spec["background"] = p.surface if style.alone else "transparent"
    spec["config"] = {
        "font": "sans-serif",
        # The page describes a figure as a whole; of its parts, points alone say what they are.
        "mark": {"aria": False},
        "view": {"stroke": None},
        "axis": {
            "aria": False,
            "labelColor": p.muted, "titleColor": p.muted, "gridColor": p.hairline, "domainColor": p.hairline,
            "tickColor": p.hairline, "labelFontSize": 10, "titleFontSize": 11, "titleFontWeight": "normal",
        },
        "axisX": {"grid": False, "labelPadding": 6},  # below the lowest label of the other axis
        "legend": {
            "aria": False, "labelColor": p.ink, "labelFontSize": 11,
            "columns": max(4, size[0] // 100), "symbolLimit": 0,  # every method, however many
        },
        "title": {
            "aria": False, "color": p.ink, "fontSize": 13, "fontWeight": 600, "anchor": "start", "offset": 10,
        },
    }  # fmt: skip
    return spec | {"title": title} if style.alone else spec
