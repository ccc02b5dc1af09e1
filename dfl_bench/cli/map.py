"""The commands about the map: what decision-focused training gains where, and what may be said of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from .completion import suite_names
from .options import DEFAULT_STORE, FAILED, StorePath
from .show import FigureFormat

if TYPE_CHECKING:
    from ..store.record import Record

Document = Annotated[
    Path | None, typer.Option("--markdown", help="Write into a Markdown file, between its marks.")
]


def show_map(
    store: StorePath = DEFAULT_STORE,
    suite: Annotated[
        str, typer.Option(help="A suite whose entries have axes.", autocompletion=suite_names)
    ] = "map",
    markdown: Document = None,
    figures: Annotated[Path | None, typer.Option(help="Write the heat maps to a folder.")] = None,
    format: Annotated[FigureFormat, typer.Option(help="Of the figures.")] = "png",
) -> None:
    """Show what training for decisions gains over training for predictions, setting by setting."""
    from ..results.map import panels
    from ..show import map as shown
    from ..show.page.gain_section import draw_map, pictures
    from ..store.store import Store

    with Store(store, readonly=True) as opened:
        found = panels(opened.records(), suite=suite)
    console = Console()
    if figures is not None:
        draw_map(found, figures, format)
        console.print(Text(f"The heat maps are in {figures}."), soft_wrap=True)
    if markdown is not None:
        from ..show.marked import write_between_marks

        draw_map(found, markdown.with_suffix(""), most=1)  # those it shows, in a folder of its name
        text = shown.markdown(found, pictures(found, markdown.stem))
        write_between_marks(markdown, f"map {suite}", text)
        console.print(Text(f"The map is in {markdown}."), soft_wrap=True)
    if figures is None and markdown is None:
        shown.show_map(console, found)


def show_claims(
    store: StorePath = DEFAULT_STORE,
    held_back: Annotated[
        Path | None, typer.Option(help="Results of the suite map-check; without it, its part is not run.")
    ] = None,
    markdown: Document = None,
) -> None:
    """Judge the sentences about the map by its results, and by those held back."""
    from ..results.claims import judge_all
    from ..show import claims as shown
    from ..show.marked import write_between_marks
    from ..store.store import Store

    def records(path: Path | None) -> "list[Record]":
        if path is None:
            return []
        with Store(path, readonly=True) as opened:
            return opened.records()

    judged = judge_all(records(store), records(held_back))
    if markdown is None:
        shown.show_claims(Console(), judged)
    else:
        write_between_marks(markdown, "claims", shown.markdown(judged))
        Console().print(Text(f"The claims are in {markdown}."), soft_wrap=True)
    if any(here.status == "does not hold" for here, _ in judged):
        raise typer.Exit(FAILED)
