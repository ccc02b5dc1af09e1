"""The commands that show a results file."""

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from ..errors import DflBenchError
from .completion import method_names, paper_names, problem_names
from .options import DEFAULT_STORE, StorePath

OneProblem = Annotated[str | None, typer.Option(help="Show one problem.", autocompletion=problem_names)]
FigureFormat = Literal["svg", "pdf", "png"]
MethodsPage = Annotated[
    str, typer.Option(help="Address of the document about methods, as seen from the page, for its links.")
]


def leaderboard(
    store: StorePath = DEFAULT_STORE,
    problem: OneProblem = None,
    matrix: Annotated[bool, typer.Option("--matrix", help="Show methods × problems in one table.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page.")] = None,
    methods_page: MethodsPage = "",
    figures: Annotated[Path | None, typer.Option(help="Write the page's figures to a folder.")] = None,
    format: Annotated[FigureFormat, typer.Option(help="Of the figures.")] = "png",
    csv: Annotated[
        Path | None, typer.Option(help="Write all records as CSV; with --matrix, one line for each method.")
    ] = None,
) -> None:
    """Show the methods on each problem, best first."""
    from ..results.read import read_results

    results = read_results(store, problem=problem)
    if html is not None:
        from ..show.page import write_page

        write_page(results, html, methods_page)
    if figures is not None:
        from ..show.page import write_figures

        write_figures(results, figures, format)
    if csv is not None and not matrix:
        from ..store.export import export

        export(store, csv)
    if not results.boards:
        raise DflBenchError(f"{store} has no records{f' of {problem}' if problem else ''}.")
    if not matrix:
        from ..show.terminal import show_boards

        show_boards(Console(), results.boards)
        return
    from ..results.matrix import matrices
    from ..results.spreadsheet import write_matrices
    from ..show.matrix_terminal import show_matrices

    made = matrices(results.boards)
    show_matrices(Console(), made)
    if csv is not None:
        for path in write_matrices(made, csv):
            Console().print(Text(f"The matrix is in {path}."), soft_wrap=True)


def latex(
    store: StorePath = DEFAULT_STORE,
    problem: OneProblem = None,
    matrix: Annotated[bool, typer.Option("--matrix", help="Write methods × problems as one table.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write to a file; without it, to the terminal.")] = None,
) -> None:
    """Write the boards as LaTeX tables in the style of booktabs."""
    from ..results.matrix import matrices
    from ..results.read import read_results
    from ..show.latex import board_latex, matrix_latex

    boards = read_results(store, problem=problem).boards
    if not boards:
        raise DflBenchError(f"{store} has no records{f' of {problem}' if problem else ''}.")
    tables = map(matrix_latex, matrices(boards)) if matrix else map(board_latex, boards)
    text = "\n".join(tables)
    if out is None:
        typer.echo(text, nl=False)
        return
    out.write_text(text, encoding="utf-8")
    Console().print(Text(f"The tables are in {out}."), soft_wrap=True)


def paper(
    store: Annotated[
        list[Path] | None, typer.Option(help="Results file; repeat it where tracks are in several.")
    ] = None,
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
    records = []
    for path in store or [DEFAULT_STORE]:
        with Store(path, readonly=True) as opened:
            records += opened.records()
    if problem is not None:
        wanted = wanted.of_problem(problem)
    if markdown is None:
        published.show_pairs(Console(), records, wanted)
        return
    from ..show.marked import write_between_marks

    write_between_marks(markdown, f"paper {of}", published.markdown(records, wanted))
    Console().print(Text(f"The tables are in {markdown}."), soft_wrap=True)


def ladder(
    store: StorePath = DEFAULT_STORE,
    suite: Annotated[str, typer.Option(help="A suite whose entries name steps.")] = "ladder",
    markdown: Annotated[
        Path | None, typer.Option(help="Write the tables into a Markdown file, between its marks.")
    ] = None,
    figures: Annotated[Path | None, typer.Option(help="Write a figure for each problem to a folder.")] = None,
    format: Annotated[FigureFormat, typer.Option(help="Of the figures.")] = "png",
) -> None:
    """Show what each step from published code to corrected code does to whom."""
    from ..results.ladder import ladders
    from ..show import ladder as shown
    from ..show.marked import write_between_marks
    from ..store.store import Store

    with Store(store, readonly=True) as opened:
        found = ladders(opened.records(), suite=suite)
    if figures is not None:
        from ..show.page import draw_ladders

        for path in draw_ladders(found, figures, format):
            Console().print(Text(f"The figure is {path}."), soft_wrap=True)
    if markdown is None:
        shown.show_ladders(Console(), found)
        return
    write_between_marks(markdown, f"ladder {suite}", shown.markdown(found))
    Console().print(Text(f"The tables are in {markdown}."), soft_wrap=True)


def report(
    folder: Annotated[Path, typer.Option(help="Where the document, the page and the figures go.")],
    store: StorePath = DEFAULT_STORE,
    methods_page: MethodsPage = "",
) -> None:
    """Write a results file as a Markdown document with figures, and as the page."""
    from ..results.read import read_results
    from ..show.page import write_report

    path = write_report(read_results(store), folder, methods_page)
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
