"""All figures of a set of boards, in the order they are shown; the page and the README draw the same ones."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import altair as alt
import vl_convert

from ..leaderboard import Board
from ..paper import OTHER_DATA, Published, published
from .against_fakes import against_fakes, shown_samples
from .against_samples import against_samples
from .against_time import against_time
from .axes import Style
from .curves import learning_curves

KINDS = {
    "samples": "Regret against sample size",
    "fakes": "Regret by fake targets",
    "time": "Regret against time",
    "curves": "Learning curves",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart and where it belongs."""

    kind: str  # of KINDS
    problem: str
    settings: str
    protocol: str
    device: str
    note: str  # what is special about this one
    chart: alt.LayerChart

    def svg(self) -> str:
        """Return the chart as SVG."""
        return vl_convert.vegalite_to_svg(self.chart.to_dict())

    def png(self) -> bytes:
        """Return the chart as PNG, two pixels a unit."""
        return vl_convert.vegalite_to_png(self.chart.to_dict(), scale=2)


def figures(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    """Yield the figures that some boards have data for, kind by kind."""
    theirs = published()

    def of_each(
        kind: str, draw: Callable[[Board], alt.LayerChart | None], note: str = ""
    ) -> Iterator[Figure]:
        for b in boards:
            chart = draw(b)
            if chart is not None:
                yield Figure(
                    kind, b.problem, b.settings, b.protocol, b.device, note or _data(b, theirs), chart
                )

    yield from of_each("samples", lambda b: against_samples(b, theirs, style))
    families: dict[tuple[str, str, str], list[Board]] = defaultdict(list)
    for b in boards:
        if "fake_targets" in b.config:
            families[b.problem, b.protocol, b.device].append(b)
    for (problem, protocol, device), family in families.items():
        chart = against_fakes(family, theirs, style)
        if chart is not None:
            note = " ".join([f"K = {shown_samples(family)}.", _data(family[0], theirs)])
            yield Figure("fakes", problem, "", protocol, device, note.strip(), chart)
    yield from of_each("time", lambda b: against_time(b, style), " ")
    yield from of_each("curves", lambda b: learning_curves(b, style), " ")


def _data(board: Board, theirs: Sequence[Published]) -> str:
    if board.problem in OTHER_DATA:
        return f"Other data than the paper’s: {OTHER_DATA[board.problem]}."
    return "" if any(p.problem == board.problem for p in theirs) else "Not in the paper."
