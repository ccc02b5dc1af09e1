"""One figure: a chart, and the place it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import vl_convert

from ....results.boards import Board
from ....results.paper import Published
from ....results.papers import load_paper

Spec = dict[str, Any]  # Vega-Lite


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart and where it belongs."""

    kind: str
    title: str  # figures of one title stand together
    problem: str
    settings: str
    protocol: str
    device: str
    variant: str = ""  # what tells it from others of its kind and place, for file names
    note: str = ""  # what is special about this one
    spec: Spec

    @classmethod
    def of(cls, board: Board, spec: Spec, *, kind: str, title: str, note: str = "") -> "Figure":
        """Return the figure of one board.

        Args:
            board: what is drawn.
            spec: the chart.
            kind: the `KIND` of its module.
            title: the heading it stands under.
            note: what is special about this one.
        """
        return cls(
            kind=kind,
            title=title,
            problem=board.problem,
            settings=board.settings,
            protocol=board.protocol,
            device=board.device,
            note=note,
            spec=spec,
        )

    def svg(self) -> str:
        """Return the chart as SVG."""
        return vl_convert.vegalite_to_svg(self.spec)

    def png(self) -> bytes:
        """Return the chart as PNG, two pixels for each unit."""
        return vl_convert.vegalite_to_png(self.spec, scale=2)


def note_on_paper(board: Board, printed: Sequence[Published]) -> str:
    """Return what a reader has to know about the published numbers behind a figure."""
    if not printed:
        return "Not in the paper."
    return "The paper’s values are of other data." if board.problem in load_paper().track.other_data else ""
