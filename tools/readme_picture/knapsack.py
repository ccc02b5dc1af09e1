"""Two items, room for one: predictions with the same error, of which some change the decision."""

import math
from typing import Any

import altair as alt

from .svg import as_svg

TRUE = (40.0, 30.0)  # what the items are worth
ERROR = 10.0  # of every prediction on the circle
KEEPS, FLIPS = (48.0, 24.0), (32.0, 36.0)  # two predictions on it
BLUE, ORANGE = "#0b6aa8", "#c8500a"
LOW, HIGH = 15.0, 62.0


def chosen(prediction: tuple[float, float]) -> int:
    """Return the item that a prediction packs."""
    return 0 if prediction[0] >= prediction[1] else 1


def regret(prediction: tuple[float, float]) -> float:
    """Return what is lost by acting on a prediction instead of the truth."""
    return max(TRUE) - TRUE[chosen(prediction)]


def squared_error(prediction: tuple[float, float]) -> float:
    """Return the squared error of a prediction."""
    return sum((p - t) ** 2 for p, t in zip(prediction, TRUE, strict=True))


def draw_knapsack() -> str:
    """Return the picture as SVG."""
    chart = alt.layer(
        _half(chosen_item=0), _half(chosen_item=1), _diagonal(), _circle(), _radii(), _points(), _words()
    ).properties(width=500, height=500)
    return as_svg(chart)


def _axes() -> dict[str, Any]:
    scale = alt.Scale(domain=[LOW, HIGH], nice=False)
    axis = alt.Axis(grid=False, values=[20, 30, 40, 50, 60])
    return {
        "x": alt.X("a:Q", title="predicted value of item A", scale=scale, axis=axis),
        "y": alt.Y("b:Q", title="predicted value of item B", scale=scale, axis=axis),
    }


def _rows(*points: tuple[float, float], **more: Any) -> alt.Data:
    return alt.Data(values=[{"a": a, "b": b, "order": i, **more} for i, (a, b) in enumerate(points)])


def _half(chosen_item: int) -> alt.Chart:
    """The predictions that pack one of the items."""
    edge = LOW if chosen_item == 0 else HIGH
    rows = alt.Data(values=[{"a": v, "b": v, "edge": edge} for v in (LOW, HIGH)])
    colour = BLUE if chosen_item == 0 else ORANGE
    axes = _axes()
    return alt.Chart(rows).mark_area(opacity=0.10, color=colour).encode(x=axes["x"], y=axes["y"], y2="edge:Q")


def _diagonal() -> alt.Chart:
    return (
        alt.Chart(_rows((LOW, LOW), (HIGH, HIGH)))
        .mark_line(color="#555", strokeDash=[5, 4], strokeWidth=1.5)
        .encode(**_axes())
    )


def _circle() -> alt.LayerChart:
    """All predictions of one squared error, in pieces that pack the same item."""
    turns = [i * math.pi / 180 for i in range(361)]
    ring = [(TRUE[0] + ERROR * math.cos(t), TRUE[1] + ERROR * math.sin(t)) for t in turns]
    flips = [p for p in ring if chosen(p) == 1]
    end = ring.index(flips[-1])
    keeps = ring[end + 1 : -1] + ring[: ring.index(flips[0])]
    pieces = ((keeps, BLUE), (flips, ORANGE))
    return alt.layer(
        *(
            alt.Chart(_rows(*piece)).mark_line(color=c, strokeWidth=3).encode(**_axes(), order="order:Q")
            for piece, c in pieces
        )
    )


def _radii() -> alt.LayerChart:
    pairs = ((KEEPS, BLUE), (FLIPS, ORANGE))
    return alt.layer(
        *(alt.Chart(_rows(TRUE, p)).mark_line(color=c, strokeWidth=1).encode(**_axes()) for p, c in pairs)
    )


def _points() -> alt.LayerChart:
    points = ((TRUE, "#222"), (KEEPS, BLUE), (FLIPS, ORANGE))
    return alt.layer(
        *(
            alt.Chart(_rows(p)).mark_point(filled=True, size=90, color=c, opacity=1).encode(**_axes())
            for p, c in points
        )
    )


def _words() -> alt.LayerChart:
    texts = (
        (TRUE, ["the truth:", "A 40, B 30"], "#222", "left", 10, -22),
        (KEEPS, _about(KEEPS), BLUE, "left", 14, 4),
        (FLIPS, _about(FLIPS), ORANGE, "right", -8, -34),
        ((LOW, HIGH), ["predictions that pack B"], ORANGE, "left", 10, 16),
        ((HIGH, LOW), ["predictions that pack A"], BLUE, "right", -10, -10),
    )
    return alt.layer(*(_text(*text) for text in texts))


def _about(prediction: tuple[float, float]) -> list[str]:
    a, b = prediction
    packed = f"error² {squared_error(prediction):g}, packs {'AB'[chosen(prediction)]},"
    return [f"predicts {a:g}, {b:g}:", packed, f"regret {regret(prediction):g}"]


def _text(at: tuple[float, float], lines: list[str], colour: str, align: str, dx: int, dy: int) -> alt.Chart:
    mark = {"align": align, "dx": dx, "dy": dy, "color": colour, "fontSize": 13, "lineHeight": 16}
    return alt.Chart(_rows(at)).mark_text(text=lines, **mark).encode(**_axes())
