"""The command `list`: every name a user can type."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .options import Plugins, load_plugins


def list_names(plugin: Plugins = None) -> None:
    """Show problems, methods, suites, papers and data."""
    from .. import methods, problems
    from ..experiment.suite import built_in
    from ..results.papers import papers

    load_plugins(plugin)
    console = Console()
    for title, entries in (("Problems", problems.entries()), ("Methods", methods.entries())):
        print_names(console, title, {name: entry.summary for name, entry in sorted(entries.items())})
    print_names(console, "Suites", built_in())
    print_names(console, "Papers", papers())
    print_names(console, "Data", data_sources())


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
