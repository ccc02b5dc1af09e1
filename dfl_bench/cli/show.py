"""The commands that show a results file."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ..errors import DflBenchError
from .completion import method_names, paper_names, problem_names
from .options import DEFAULT_STORE, StorePath

OneProblem = Annotated[str | None, typer.Option(help="Show one problem.", autocompletion=problem_names)]


def leaderboard(
    store: StorePath = DEFAULT_STORE,
    problem: OneProblem = None,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page.")] = None,
    figures: Annotated[Path | None, typer.Option(help="Write the page's figures as PNG to a folder.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write all records as CSV.")] = None,
) -> None:
    """Show the methods on each problem, best first."""
    from ..results.read import read_results
    from ..show.terminal import show_boards

    results = read_results(store, problem=problem)
    if html is not None:
        from ..show.page import write_page

        write_page(results, html)
    if figures is not None:
        from ..show.page import write_figures

        write_figures(results, figures)
    if csv is not None:
        from ..store.export import export

        export(store, csv)
    if not results.boards:
        raise DflBenchError(f"{store} has no records{f' of {problem}' if problem else ''}.")
    show_boards(Console(), results.boards)


def paper(
    store: StorePath = DEFAULT_STORE,
    of: Annotated[
        str, typer.Option(help="Which paper; `dfl-bench list` names them.", autocompletion=paper_names)
    ] = "lcgln",
    problem: OneProblem = None,
    markdown: Annotated[
        Path | None, typer.Option(help="Write the tables into a Markdown file, between its marks.")
    ] = None,
) -> None:
    """Show our numbers beside a paper's, cell by cell."""
    from ..results.papers import load_paper
    from ..show import published
    from ..store.store import Store

    wanted = load_paper(of)
    with Store(store, readonly=True) as opened:
        records = opened.records()
    if problem is not None:
        wanted = wanted.of_problem(problem)
    if markdown is None:
        published.show_pairs(Console(), records, wanted)
        return
    from ..show.marked import write_between_marks

    write_between_marks(markdown, f"paper {of}", published.markdown(records, wanted))
    Console().print(Text(f"The tables are in {markdown}."), soft_wrap=True)


def report(
    folder: Annotated[Path, typer.Option(help="Where the document, the page and the figures go.")],
    store: StorePath = DEFAULT_STORE,
) -> None:
    """Write a results file as a Markdown document with figures, and as the page."""
    from ..results.read import read_results
    from ..show.page import write_report

    path = write_report(read_results(store), folder)
    Console().print(Text(f"The report is {path}."), soft_wrap=True)


def compare(
    a: Annotated[str, typer.Argument(help="A method.", autocompletion=method_names)],
    b: Annotated[str, typer.Argument(help="The method it is compared with.", autocompletion=method_names)],
    store: StorePath = DEFAULT_STORE,
    problem: OneProblem = None,
) -> None:
    """Compare two methods on every problem both have run: difference, interval, corrected p-value."""
    from ..results.boards import boards
    from ..show.terminal import show_comparison
    from ..store.store import Store

    with Store(store, readonly=True) as opened:
        made = boards(opened.records(problem=problem))
    show_comparison(Console(), made, a, b)


def speed(
    quick: Annotated[bool, typer.Option("--quick", help="Repeat each measurement less often.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write the table as CSV.")] = None,
) -> None:
    """Show our kernels against reference solvers: ratios within one run, each with its accuracy."""
    from ..speed import main as measure

    measure(quick, csv)
