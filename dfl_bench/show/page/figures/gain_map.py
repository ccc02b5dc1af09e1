"""A panel of the map as heat maps: on one axis, methods by its values; on two, one map for each method.

Not a kind of the gallery: it is drawn from panels, not from boards. Colour says the sign, its strength the
size, and the number stands in every cell, so nothing hangs on colour alone.
"""

from collections.abc import Iterator
from typing import NamedTuple

import altair as alt

from ....results.gain import Setting, gain_of
from ....results.map import Panel
from ....results.naming import in_words
from ...gain_text import NO_FLOOR, gain_at, tip, value_text
from .axes import Datum, Style, finish
from .figure import Figure, Spec

KIND_OF_FILE = "gain"
TITLE = "Gain over prediction"
CAPTION = (
    "Each number is a gain in percent of what pfl leaves above the floor. Blue: training for decisions "
    "gains, orange: it loses; strongest from 100 on. A frame and *: a paired test finds a difference. Grey:"
    " not run, or pfl is at the floor."
)
CELL_WIDTH, CELL_HEIGHT = 54, 26
FAINT, STRONG = 0.07, 0.6  # opacity of a cell; text stays readable on the strongest
UNKNOWN = 0.12
INSIDE = {"band": 0.88}  # of a cell


class Grid(NamedTuple):
    """What one heat map shows."""

    title: str
    rows: list[str]
    row_title: str
    columns: list[str]
    column_title: str
    cells: list[tuple[str, Setting, str]]  # row, setting, method


def gain_figures(panel: Panel, style: Style) -> Iterator[Figure]:
    """Yield the figures of a panel, that of the chosen method first."""
    *first, last = panel.axes
    columns = [value_text(value) for value in panel.axes[last]]
    if not first:
        cells = [(method, setting, method) for method in panel.methods for setting in panel.settings]
        yield _figure(
            panel, "", _spec(Grid(panel.title, list(panel.methods), "", columns, last, cells), style)
        )
        return
    (other,) = first
    rows = [value_text(value) for value in panel.axes[other]]
    for method in panel.methods:
        cells = [(value_text(setting.at[other]), setting, method) for setting in panel.settings]
        grid = Grid(f"{panel.title}, {method}", rows, other, columns, last, cells)
        yield _figure(panel, method, _spec(grid, style))


def _figure(panel: Panel, method: str, spec: Spec) -> Figure:
    return Figure(
        kind=KIND_OF_FILE,
        variant=method,
        title=TITLE,
        problem=panel.problem,
        settings=" × ".join(panel.axes) + (f", {method}" if method else ""),
        protocol=panel.protocol,
        device="cpu",
        note="" if panel.has_floor else NO_FLOOR.replace("`", ""),
        spec=spec,
    )


def _spec(grid: Grid, style: Style) -> Spec:
    drawn = [_datum(row, setting, method, style) for row, setting, method in grid.cells]
    bare = alt.Axis(ticks=False, domain=False, grid=False, labelAngle=0, titlePadding=8)
    x = alt.X("column:O", sort=grid.columns, axis=bare).title(in_words(grid.column_title))
    y = alt.Y("row:O", sort=grid.rows, axis=bare).title(in_words(grid.row_title) or None)
    every = alt.Chart(alt.NamedData("cells")).encode(x=x, y=y)
    framed = alt.Chart(alt.NamedData("found")).encode(x=x, y=y)
    p = style.palette
    layers = [
        every.mark_rect(aria=True, stroke=p.surface, strokeWidth=2).encode(
            fill=alt.Fill("colour:N", scale=None, legend=None),
            fillOpacity=alt.FillOpacity("opacity:Q", scale=None, legend=None),
            description=alt.Description("tip:N"),
        ),
        # Inside of its cell: frames that touch would frame their neighbours too.
        framed.mark_rect(filled=False, stroke=p.ink, strokeWidth=1.2, width=INSIDE, height=INSIDE),
        every.mark_text(fontSize=11, color=p.ink).encode(text=alt.Text("text:N")),
    ]
    tables = {"cells": drawn, "found": [datum for datum in drawn if datum["text"].endswith("*")]}
    size = (CELL_WIDTH * len(grid.columns), CELL_HEIGHT * len(grid.rows))
    return finish(layers, tables, style, grid.title, size)


def _datum(row: str, setting: Setting, method: str, style: Style) -> Datum:
    gain, p = gain_of([setting], method), style.palette
    value = None if gain is None else gain.value
    colour = p.muted if value is None else p.accent if value >= 0 else p.warning
    opacity = UNKNOWN if value is None else FAINT + (STRONG - FAINT) * min(abs(value), 1.0)
    return {
        "row": row, "column": value_text(list(setting.at.values())[-1]), "colour": colour, "opacity": opacity,
        "text": gain_at(setting, method), "tip": tip(setting, method),
    }  # fmt: skip
