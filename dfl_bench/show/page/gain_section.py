"""The map on the page and as files: its figures and tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ...results.boards import Board
from ...results.choice import CHOSEN
from ...results.map import Panel
from ..map import methods_table, settings_table, summary
from ..table import Table
from .figures.axes import Style
from .figures.figure import Figure, Format
from .figures.gain_map import TITLE, gain_figures
from .figures.palette import CSS, PAPER
from .files import file_name


@dataclass(frozen=True, slots=True)
class MapPart:
    """One panel, ready for the template: figures with their SVG, the first stands for the panel."""

    panel: Panel
    figures: list[tuple[Figure, str]]
    tables: tuple[Table, Table, Table]  # all settings together, setting by setting, method by method


def map_parts(panels: Iterable[Panel]) -> list[MapPart]:
    """Return what the page says about each panel."""
    return [
        MapPart(
            panel,
            [(figure, figure.lean_svg()) for figure in gain_figures(panel, Style(CSS, {}))],
            (summary(panel), settings_table(panel), methods_table(panel)),
        )
        for panel in panels
    ]


def draw_map(panels: Iterable[Panel], folder: Path, format: Format = "png", most: int | None = None) -> None:
    """Write the heat maps of what has been run to a folder.

    Args:
        panels: the map.
        folder: where the files go; it is made if it is missing.
        format: of the files.
        most: of a panel: one shows the chosen method alone where there are two axes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for panel in (panel for panel in panels if panel.run):
        for figure in islice(gain_figures(panel, Style(PAPER, {}, alone=True)), most):
            (folder / _file_of(panel, figure.variant, format)).write_bytes(figure.rendered(format))


def pictures(panels: Iterable[Panel], folder: str) -> list[tuple[Panel, str, str]]:
    """Return for each panel what its first heat map is called, and the address of its file.

    Args:
        panels: the map.
        folder: where `draw_map` has written, as seen from the document that shows the pictures.
    """
    found = []
    for panel in (panel for panel in panels if panel.run):
        variant = CHOSEN if len(panel.axes) > 1 else ""
        found.append((panel, f"{TITLE}, {panel.title}", f"{folder}/{_file_of(panel, variant, 'png')}"))
    return found


def _file_of(panel: Panel, variant: str, format: Format) -> str:
    return f"{file_name('gain', panel.problem, *panel.axes, variant, panel.protocol)}.{format}"


def off_the_map(boards: Sequence[Board], panels: Sequence[Panel]) -> list[Board]:
    """Return the boards that are no setting of a panel: the map draws the others, in far fewer figures."""
    on_map = [(p.problem, p.protocol, s.changed) for p in panels for s in p.settings]
    return [board for board in boards if (board.problem, board.protocol, board.changed) not in on_map]
