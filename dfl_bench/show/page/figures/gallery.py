"""All figures of a set of boards, in the order they are shown; the page and the README draw the same ones."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import vl_convert
from altair.utils.schemapi import debug_mode

from ....contracts.fingerprint import canonical
from ....results.boards import Board
from ....results.published import OTHER_DATA, Published, published_for
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
    spec: dict[str, Any]  # Vega-Lite

    def svg(self) -> str:
        """Return the chart as SVG."""
        return vl_convert.vegalite_to_svg(self.spec)

    def png(self) -> bytes:
        """Return the chart as PNG, two pixels a unit."""
        return vl_convert.vegalite_to_png(self.spec, scale=2)


def figures(boards: Sequence[Board], style: Style) -> list[Figure]:
    """Return the figures that some boards have data for, kind by kind."""
    # Altair checks every part of every chart against its schema, at half the cost of a page; our tests do it.
    with debug_mode(False):
        return list(_figures(boards, style))


def _figures(boards: Sequence[Board], style: Style) -> Iterator[Figure]:
    for b in boards:
        printed = published_for(b.problem, b.config)
        spec = against_samples(b, printed, style)
        if spec is not None:
            yield Figure("samples", b.problem, b.settings, b.protocol, b.device, _data(b, printed), spec)
    for family in _families(boards):
        first = family[0]
        printed = [p for b in family for p in published_for(b.problem, b.config)]
        spec = against_fakes(family, printed, style)
        if spec is not None:
            settings = " ".join(s for s in first.settings.split() if not s.startswith("fake_targets="))
            note = f"K = {shown_samples(family)}. {_data(first, printed)}".strip()
            yield Figure("fakes", first.problem, settings, first.protocol, first.device, note, spec)
    yield from _each("time", boards, lambda b: against_time(b, style))
    yield from _each("curves", boards, lambda b: learning_curves(b, style))


def _each(
    kind: str, boards: Sequence[Board], draw: Callable[[Board], dict[str, Any] | None]
) -> Iterator[Figure]:
    for b in boards:
        spec = draw(b)
        if spec is not None:
            yield Figure(kind, b.problem, b.settings, b.protocol, b.device, "", spec)


def _families(boards: Sequence[Board]) -> Iterable[list[Board]]:
    """Boards that differ in their fake targets alone."""
    families: dict[str, list[Board]] = defaultdict(list)
    for b in boards:
        if "fake_targets" in b.config:
            config = {**b.config, "fake_targets": None}
            families[canonical([b.problem, config, b.protocol, b.device])].append(b)
    return families.values()


def _data(board: Board, printed: Sequence[Published]) -> str:
    if not printed:
        return "Not in the paper."
    return "The paper’s values are of other data." if board.problem in OTHER_DATA else ""
