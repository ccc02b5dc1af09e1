"""Results as one self-contained HTML file, and its figures as PNG."""

from collections.abc import Callable, Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ...results.boards import Board
from ...results.columns import columns_of
from ...results.notes import marks, notes
from ...results.read import Results
from ..format import cell_text, exact, quantity, score, signed
from .content import content
from .figures.axes import Style
from .figures.figure import Figure
from .figures.gallery import figures
from .figures.palette import LIGHT, looks


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
    style = Style(LIGHT, looks(row.method for board in boards for row in board.rows), alone=True)
    drawn = []
    for figure in figures(boards, style):
        parts = [figure.kind, figure.variant, figure.problem, figure.settings, figure.protocol, figure.device]
        path = folder / f"{_file_name(parts)}.png"
        path.write_bytes(figure.png())
        drawn.append((figure, path))
    return drawn


def _file_name(parts: list[str]) -> str:
    text = "-".join(part for part in parts if part)
    return "".join(letter if letter.isalnum() or letter in "-_=." else "-" for letter in text)


def templates() -> Environment:
    """Return the templates of the package, with the filters and functions they share."""
    environment = Environment(
        loader=PackageLoader("dfl_bench.show.page"),
        autoescape=lambda name: name is None or not name.endswith(".md"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= _filters()
    environment.globals |= {"columns_of": columns_of, "cell_text": cell_text, "notes": notes}
    return environment


def _filters() -> dict[str, Callable[..., object]]:
    return {
        "score": lambda estimate: score(estimate.mean, estimate.sem),
        "signed": signed,
        "quantity": quantity,
        "exact": exact,
        "title": lambda board: f"{board.problem} {board.settings}".strip(),
        "markdown": _markdown,
        "marks": marks,
        "identity": id,
    }


def _markdown(text: str) -> str:
    """Write text so that Markdown shows it as it is, also in a table."""
    return text.replace("*", r"\*").replace("|", r"\|").replace("\n", " ")
