"""One figure: a chart, and the place it belongs to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import vl_convert

from ....results.boards import Board
from ....results.paper import Published
from ....results.papers import load_paper
from .lean import lean

Spec = dict[str, Any]  # Vega-Lite
Format = Literal["svg", "pdf", "png"]
COLUMN = 300  # pixels inside the axes of what fits into a column of the page


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

    @property
    def is_wide(self) -> bool:
        """Whether a page gives it a row of its own."""
        return bool(self.problem) and self.spec.get("width", 0) > COLUMN

    @property
    def methods(self) -> set[str]:
        """The methods that are drawn."""
        tables = self.spec.get("datasets", {}).values()
        return {value["method"] for table in tables for value in table if "method" in value}

    def svg(self) -> str:
        """Return the chart as SVG."""
        return vl_convert.vegalite_to_svg(self.spec)

    def lean_svg(self) -> str:
        """Return the chart as SVG of about half the size, for a page that says what a figure is itself."""
        return lean(self.svg())

    def rendered(self, format: Format) -> bytes:
        """Return the chart as a file; a PNG has two pixels for each unit."""
        match format:
            case "svg":
                return self.svg().encode()
            case "pdf":
                return vl_convert.svg_to_pdf(self.svg())
            case "png":
                return vl_convert.vegalite_to_png(self.spec, scale=2)


def note_on_paper(board: Board, printed: Sequence[Published]) -> str:
    """Return what a reader has to know about the published numbers behind a figure."""
    if not printed:
        return "Not in the paper."
    return "The paper’s values are of other data." if board.problem in load_paper().track.other_data else ""
