"""The command line: one module for each group of commands.

Each command imports what it needs when it is called, so that `list` answers at once.
"""

import sys

import typer
from rich.console import Console
from rich.text import Text

from ..errors import DflBenchError
from . import check, data, names, new, run, show, store, tune
from .options import USAGE

app = typer.Typer(
    help="A benchmark suite for decision-focused learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("list")(names.list_names)
for command in (
    run.run, show.leaderboard, show.paper, show.compare, show.report, show.latex, check.verify, check.rerun,
    tune.tune, new.new, store.merge, store.export, show.speed,
):  # fmt: skip
    app.command()(command)
app.add_typer(data.app, name="data")
app.add_typer(store.app, name="store")


def main() -> None:
    """Run the command line; an error a user can act on is one line and exit code 2."""
    try:
        app()
    except (DflBenchError, ValueError, OSError) as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        sys.exit(USAGE)
