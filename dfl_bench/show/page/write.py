"""Results as one self-contained HTML file, and its figures as PNG."""

from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ...results.boards import Board
from ...results.read import Results
from ..terminal import score
from .content import content
from .figures.axes import Style
from .figures.gallery import Figure, figures
from .figures.palette import LIGHT, places


def write_page(results: Results, html_path: str | Path) -> None:
    """Write everything there is as one page that needs neither network nor other files."""
    text = templates().get_template("page.html").render(store=results.name, **content(results))
    Path(html_path).write_text(text, encoding="utf-8")


def write_figures(results: Results, folder: str | Path) -> list[Path]:
    """Write the page's figures as PNG files and return their paths; a missing folder is made."""
    return [path for _, path in draw_figures(results.boards, Path(folder))]


def draw_figures(boards: Sequence[Board], folder: Path) -> list[tuple[Figure, Path]]:
    """Write the figures of some boards to a folder, and return each with its file."""
    folder.mkdir(parents=True, exist_ok=True)
    style = Style(LIGHT, places(row.method for board in boards for row in board.rows), alone=True)
    drawn = []
    for figure in figures(boards, style):
        parts = [figure.kind, figure.problem, figure.settings, figure.protocol, figure.device]
        path = folder / f"{_file_name(parts)}.png"
        path.write_bytes(figure.png())
        drawn.append((figure, path))
    return drawn


def _file_name(parts: list[str]) -> str:
    text = "-".join(part for part in parts if part)
    return "".join(letter if letter.isalnum() or letter in "-_=." else "-" for letter in text)


def templates() -> Environment:
    """Return the templates of the package, with the filters they share."""
    environment = Environment(
        loader=PackageLoader("dfl_bench.show.page"),
        autoescape=lambda name: name is None or not name.endswith(".md"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["score"] = lambda row: score(row.mean, row.sem)
    environment.filters["signed"] = lambda value: "" if value is None else f"{value:+.1f}"
    environment.filters["number"] = number
    environment.filters["exact"] = lambda value: f"{value:,.4g}".replace("-", "−")
    environment.filters["seconds"] = _seconds
    environment.filters["title"] = _title
    environment.filters["identity"] = id
    return environment


def number(value: float) -> str:
    """Write a quantity with three significant digits, thousands and millions by letter."""
    for factor, unit in ((1e6, "M"), (1e3, "k")):
        if abs(value) >= factor:
            return f"{value / factor:.3g}{unit}"
    return f"{value:.3g}".replace("-", "−")


def _title(board: Board) -> str:
    return f"{board.problem} {board.settings}".strip()


def _seconds(value: float) -> str:
    if value < 0.005:
        return "0" if value == 0 else "<0.01"
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"
