"""Results as a Markdown document with its figures, the page beside it: what a repository keeps of a run."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from ...results.boards import Board
from ...results.map import panels_worth_showing
from ...results.matrix import matrices
from ...results.papers import DEFAULT, load_paper, papers
from ...results.published import pairs
from ...results.read import Results
from ..format import describe
from ..map import markdown as map_markdown
from ..published import markdown, older_versions
from .figures.figure import Figure
from .gain_section import draw_map, off_the_map, pictures
from .write import draw_figures, place_of, templates, write_page


def write_report(results: Results, folder: str | Path, methods_page: str = "") -> Path:
    """Write `results.md`, `results.html` and `figures/` to a folder, and return the document's path.

    Args:
        results: what is reported.
        folder: where the files go.
        methods_page: address of the document about methods as seen from the page.
    """
    folder = Path(folder)
    panels = panels_worth_showing(results.records)
    # A family's tables stand together, then its figures; what is on the map has its tables there.
    made = sorted(off_the_map(results.boards, panels), key=_place_of)
    drawn = draw_figures(made, folder / "figures")
    draw_map(panels, folder / "figures")
    write_page(results, folder / "results.html", methods_page)
    document, paper = folder / "results.md", load_paper()
    beside = [pair for pair in pairs(results.records, paper) if pair.ours is not None]
    text = (
        templates()
        .get_template("report.md")
        .render(
            store=results.name,
            matrices=[(m, _pictures(("", m.protocol, m.device), drawn)) for m in matrices(made)],
            sections=[(list(family), _pictures(place, drawn)) for place, family in groupby(made, _place_of)],
            map=map_markdown(panels, pictures(panels, "figures")) if panels else "",
            machines=sorted({describe(facts) for board in results.boards for facts in board.environments}),
            pairs=beside,
            older=list(older_versions(beside)),
            divisors=paper.note,
            other_data=paper.track.other_data,
            beside=list(_beside_other_papers(results)),
        )
    )
    document.write_text(text, encoding="utf-8")
    return document


def _beside_other_papers(results: Results) -> Iterator[tuple[str, str]]:
    """The title and the tables of every other paper that has a cell among the records."""
    problems = {record.cell.problem for record in results.records}
    for paper in map(load_paper, papers()):
        if paper.name != DEFAULT and problems & {p.problem for p in paper.numbers}:
            if any(pair.ours is not None for pair in pairs(results.records, paper)):
                yield paper.title, markdown(results.records, paper)


Place = tuple[str, str, str]


def _place_of(shown: Board | Figure) -> Place:
    return shown.problem, shown.protocol, shown.device


def _pictures(place: Place, drawn: Sequence[tuple[Figure, Path]]) -> list[tuple[str, str]]:
    """The caption and the file of every figure of a problem under one protocol."""
    return [
        (f"{figure.title}, {place_of(figure)}", f"figures/{path.name}")
        for figure, path in drawn
        if _place_of(figure) == place
    ]
