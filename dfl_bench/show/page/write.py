"""Results as one self-contained HTML file, and its figures as PNG."""

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined

from ...results.boards import Board
from ...results.columns import SORTED_BY, columns_of
from ...results.headline import headline
from ...results.ladder import Ladder
from ...results.notes import marks, matrix_notes, notes
from ...results.read import Results
from ..format import brief, cell_text, exact, quantity, score, signed
from ..gain_text import NOTE
from ..matrix_text import (
    SUMMARY,
    factor_text,
    first_text,
    interval_text,
    problem_names,
    rank_text,
    regret_text,
    written,
)
from .content import content
from .figures.axes import Style
from .figures.figure import Figure, Format
from .figures.gain_map import CAPTION
from .figures.gallery import figures
from .figures.labels import tip
from .figures.ladder import figure_of
from .figures.palette import PAPER, looks
from .files import figure_name, matrix_name


def write_page(results: Results, html_path: str | Path, methods_page: str = "") -> None:
    """Write everything there is as one page that needs neither network nor other files.

    Args:
        results: what the page shows.
        html_path: the file.
        methods_page: address of the document about methods as seen from the page; "" links inside the page.
    """
    made, variables = templates(), content(results, methods_page)
    # Rendered apart, because the page's policy admits these two by their digest and no other style or script.
    parts = {"style": made.get_template("style.css"), "script": made.get_template("page.js")}
    rendered = {name: template.render(**variables) for name, template in parts.items()}
    text = made.get_template("page.html").render(store=results.name, **variables, **rendered)
    Path(html_path).write_text(text, encoding="utf-8")


def write_figures(results: Results, folder: str | Path, format: Format = "png") -> list[Path]:
    """Write the page's figures to files and return their paths; a missing folder is made.

    Args:
        results: what is drawn.
        folder: where the files go.
        format: of the files; svg and pdf stay sharp at every size.
    """
    return [path for _, path in draw_figures(results.boards, Path(folder), format)]


def draw_figures(boards: Sequence[Board], folder: Path, format: Format = "png") -> list[tuple[Figure, Path]]:
    """Write the figures of some boards to a folder, and return each with its file.

    Args:
        boards: what is drawn.
        folder: where the files go.
        format: of the files.
    """
    style = Style(PAPER, looks(row.method for board in boards for row in board.rows), alone=True)
    return _written(figures(boards, style), folder, format)


def _written(drawn: Iterable[Figure], folder: Path, format: Format) -> list[tuple[Figure, Path]]:
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for figure in drawn:
        path = folder / f"{figure_name(figure)}.{format}"
        path.write_bytes(figure.rendered(format))
        written.append((figure, path))
    return written


def draw_ladders(ladders: Iterable[Ladder], folder: Path, format: Format = "png") -> list[Path]:
    """Write a figure for every ladder that has a score, and return the paths; a missing folder is made.

    Args:
        ladders: what is drawn.
        folder: where the files go.
        format: of the files.
    """
    run = [ladder for ladder in ladders if any(rung.scores for r in ladder.rungs.values() for rung in r)]
    style = Style(PAPER, looks(name for ladder in run for name in ladder.rungs), alone=True)
    return [path for _, path in _written((figure_of(ladder, style) for ladder in run), folder, format)]


def place_of(figure: Figure) -> str:
    """Return the problem of a figure in words."""
    return f"{figure.problem} {figure.settings}".strip() or "all problems"


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
    environment.globals |= {
        "columns_of": columns_of, "cell_text": cell_text, "notes": notes, "headline": headline,
        "matrix_notes": matrix_notes, "matrix_name": matrix_name, "problem_names": problem_names,
        "written": written, "summary": SUMMARY, "sorted_by": SORTED_BY, "gain_caption": CAPTION,
        "gain_note": NOTE,
    }  # fmt: skip
    return environment


def _filters() -> dict[str, Callable[..., object]]:
    return {
        "score": lambda estimate: score(estimate.mean, estimate.sem),
        "rank_text": rank_text,
        "interval_text": interval_text,
        "first_text": first_text,
        "factor_text": factor_text,
        "regret_text": regret_text,
        "brief": brief,
        "tip": tip,
        "file_name": figure_name,
        "full_title": lambda figure: f"{figure.title}: {place_of(figure)}, protocol {figure.protocol}",
        "in_order": lambda names, order: [name for name in order if name in names],
        "signed": signed,
        "quantity": quantity,
        "exact": exact,
        "title": lambda board: f"{board.problem} {board.settings}".strip(),
        "markdown": _markdown,
        "digest": _digest,
        "marks": marks,
        "identity": id,
    }


def _digest(text: str) -> str:
    """A text as a content security policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _markdown(text: str) -> str:
    """Write text so that Markdown shows it as it is, also in a table."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", " ")
    return re.sub(r"([*|\[\]])", r"\\\1", plain)
