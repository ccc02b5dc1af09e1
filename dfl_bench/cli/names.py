"""The command `list`: every name a user can type."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..errors import UnknownNameError
from .completion import listed_names
from .options import Plugins, load_plugins


def list_names(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A method, problem, suite or family: its settings, and what goes with what.",
            autocompletion=listed_names,
        ),
    ] = None,
    plugin: Plugins = None,
) -> None:
    """Show problems, methods, suites, papers and data; with a name, all about that one."""
    from .. import methods, problems
    from ..experiment.suite import built_in
    from ..results.papers import papers

    load_plugins(plugin)
    console = Console()
    if name is not None:
        _describe(console, name)
        return
    for title, entries in (("Problems", problems.entries()), ("Methods", methods.entries())):
        print_names(console, title, {name: entry.summary for name, entry in sorted(entries.items())})
    print_names(console, "Suites", built_in())
    print_names(console, "Papers", papers())
    print_names(console, "Data", data_sources())


def _describe(console: Console, name: str) -> None:
    from .. import methods, problems
    from ..contracts.settings import did_you_mean
    from ..experiment.suite import built_in
    from ..show.described import describe_method, describe_problem, describe_suite

    entries, suites = methods.entries(), built_in()
    families = sorted({entry.family for entry in entries.values()} - {""})
    if name in entries:
        describe_method(console, name)
    elif name in problems.names():
        describe_problem(console, name)
    elif name in suites:
        describe_suite(console, name, suites[name])
    elif name in families:
        print_names(console, name, {n: e.summary for n, e in sorted(entries.items()) if e.family == name})
    else:
        hint = did_you_mean(name, [*entries, *problems.names(), *suites, *families])
        raise UnknownNameError(
            f"no method, problem, suite or family named {name!r}.{hint} `dfl-bench list` shows all names."
        )


def data_sources() -> dict[str, str]:
    """Return each source of data with a line about it."""
    from ..data.sources import sources

    return {source.name: f"{source.summary} [{source.path or 'not here'}]" for source in sources()}


def print_names(console: Console, title: str, names: dict[str, str]) -> None:
    """Print names, each with a line about it.

    Args:
        console: where to print.
        title: what the names are of.
        names: a line of text by name.
    """
    table = Table(box=None, show_header=False, padding=(0, 2))
    for name, summary in names.items():
        table.add_row(Text(name, style="bold"), Text(summary))
    console.print(Text(title, style="underline"))
    console.print(table)
    console.print()
