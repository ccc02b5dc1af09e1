"""The command line. Each command imports what it needs, so that `list` answers at once."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..errors import DflBenchError
from .check import rerun, verify
from .options import DEFAULT_STORE, USAGE, Plugins, StorePath, load_plugins
from .run import run
from .tune import tune

app = typer.Typer(
    help="A benchmark suite for decision-focused learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
data_app = typer.Typer(help="Data that is fetched once and checked by hash.", no_args_is_help=True)
app.add_typer(data_app, name="data")
for command in (run, rerun, verify, tune):
    app.command()(command)


class Kind(StrEnum):
    """What a starting file is for."""

    method = "method"
    problem = "problem"


def main() -> None:
    """Run the command line; an error a user can act on is one line and exit code 2."""
    try:
        app()
    except (DflBenchError, ValueError, OSError) as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        sys.exit(USAGE)


@app.command("list")
def list_(plugin: Plugins = None) -> None:
    """Show problems, methods, suites and data."""
    from .. import methods, problems
    from ..experiment.suite import built_in

    load_plugins(plugin)
    console = Console()
    for title, entries in (("Problems", problems.entries()), ("Methods", methods.entries())):
        _print_names(console, title, {name: entry.summary for name, entry in sorted(entries.items())})
    _print_names(console, "Suites", built_in())
    _print_names(console, "Data", _data_sources())


@app.command()
def leaderboard(
    store: StorePath = DEFAULT_STORE,
    problem: Annotated[str | None, typer.Option(help="Show one problem.")] = None,
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


@app.command()
def paper(store: StorePath = DEFAULT_STORE) -> None:
    """Show our numbers beside the paper's, cell by cell."""
    from ..show.terminal_published import show_pairs
    from ..store.store import Store

    with Store(store, readonly=True) as opened:
        show_pairs(Console(), opened.records())


@app.command()
def report(
    folder: Annotated[Path, typer.Option(help="Where the document, the page and the figures go.")],
    store: StorePath = DEFAULT_STORE,
) -> None:
    """Write a results file as a Markdown document with figures, and as the page."""
    from ..results.read import read_results
    from ..show.page import write_report

    path = write_report(read_results(store), folder)
    Console().print(Text(f"The report is {path}."), soft_wrap=True)


@app.command()
def compare(
    a: str, b: str, store: StorePath = DEFAULT_STORE, problem: Annotated[str | None, typer.Option()] = None
) -> None:
    """Compare two methods on every problem both have run: difference, interval, corrected p-value."""
    from ..results.boards import boards
    from ..show.terminal import show_comparison
    from ..store.store import Store

    with Store(store, readonly=True) as opened:
        made = boards(opened.records(problem=problem))
    show_comparison(Console(), made, a, b)


@app.command()
def speed(
    quick: Annotated[bool, typer.Option("--quick", help="Repeat each measurement less often.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write the table as CSV.")] = None,
) -> None:
    """Show our kernels against reference solvers: ratios within one run, each with its accuracy."""
    from ..speed import main as measure

    measure(quick, csv)


@app.command()
def new(kind: Kind, name: str) -> None:
    """Write a commented starting file that runs as it is."""
    from .new import write_start

    path = write_start(kind, name)
    names = (
        f"--method {name} --problem inventory" if kind is Kind.method else f"--problem {name} --method pfl"
    )
    Console().print(
        Text(f"wrote {path}; try: dfl-bench run --plugin {path} {names} --seeds 2"), soft_wrap=True
    )


@app.command()
def merge(into: Path, other: Path) -> None:
    """Take over the records of another results file; existing ones stay as they are."""
    from ..store.store import Store

    with Store(other, readonly=True) as source, Store(into) as target:
        new_records = target.merge(source)
    Console().print(Text(f"{new_records} new results from {other} in {into}."))


@app.command()
def export(target: Path, store: StorePath = DEFAULT_STORE) -> None:
    """Write the records to a .csv or .parquet file."""
    from ..store.export import export as write

    Console().print(Text(f"wrote {write(store, target)} records to {target}."))


@data_app.command("list")
def data_list() -> None:
    """Show what can be fetched."""
    _print_names(Console(), "Data", _data_sources())


@data_app.command("fetch")
def data_fetch(name: str) -> None:
    """Fetch a data set, check its hash and keep it."""
    from ..data.sources import fetch

    Console().print(Text(f"{name} is at {fetch(name)}."))


def _data_sources() -> dict[str, str]:
    from ..data.sources import sources

    return {source.name: f"{source.summary} [{source.path or 'not here'}]" for source in sources()}


def _print_names(console: Console, title: str, names: dict[str, str]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2))
    for name, summary in names.items():
        table.add_row(Text(name, style="bold"), Text(summary))
    console.print(Text(title, style="underline"))
    console.print(table)
    console.print()
