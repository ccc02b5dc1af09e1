"""The map on the page and as files: its figures and tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...results.boards import Board
from ...results.map import Panel
from ..map import Table, methods_table, settings_table, summary
from .figures.axes import Style
from .figures.figure import Figure, Format
from .figures.gain_map import gain_figures
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


def draw_map(
    panels: Iterable[Panel], folder: Path, format: Format = "png"
) -> list[tuple[Panel, Figure, Path]]:
    """Write the heat maps of what has been run to a folder, and return each with its panel and file.

    Args:
        panels: the map.
        folder: where the files go; it is made if it is missing.
        format: of the files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for panel in (panel for panel in panels if panel.run):
        for figure in gain_figures(panel, Style(PAPER, {}, alone=True)):
            name = file_name("gain", panel.problem, *panel.axes, figure.variant, panel.protocol)
            path = folder / f"{name}.{format}"
            path.write_bytes(figure.rendered(format))
            drawn.append((panel, figure, path))
    return drawn


def pictures_of(panels: Sequence[Panel], folder: Path, address: str) -> list[tuple[Panel, str, str]]:
    """Draw the map, and return for each panel what the figure that stands for it is called, and its address.

    Args:
        panels: the map.
        folder: where the files go.
        address: of that folder, as seen from the document that shows the figures.
    """
    first: dict[int, tuple[Panel, str, str]] = {}
    for panel, figure, path in draw_map(panels, folder):
        first.setdefault(
            id(panel),
            (panel, f"{figure.title}, {figure.problem}: {figure.settings}", f"{address}/{path.name}"),
        )
    return list(first.values())


def off_the_map(boards: Sequence[Board], panels: Sequence[Panel]) -> list[Board]:
    """Return the boards that are no setting of a panel: the map draws the others, in far fewer figures."""
    on_map = [(p.problem, p.protocol, s.changed) for p in panels for s in p.settings]
    return [board for board in boards if (board.problem, board.protocol, board.changed) not in on_map]
