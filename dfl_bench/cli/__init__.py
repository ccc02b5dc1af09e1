"""The command line: one module for each group of commands.

Each command imports what it needs when it is called, so that `list` answers at once.
"""

import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ..errors import DflBenchError
from . import advise, bundle, check, data, map, names, new, run, show, store, tune
from .examples import examples_of
from .options import USAGE

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("list", epilog=examples_of("list"))(names.list_names)
for command in (
    run.run, advise.advise, show.leaderboard, show.latex, show.paper, show.ladder, show.compare, show.report,
    check.verify, check.rerun, tune.tune, new.new, bundle.bundle, store.merge, store.export, show.speed,
):  # fmt: skip
    app.command(epilog=examples_of(command.__name__))(command)
for name, shown in (("map", map.show_map), ("claims", map.show_claims)):
    app.command(name, epilog=examples_of(name))(shown)
app.add_typer(data.app, name="data")
app.add_typer(store.app, name="store")


def _print_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"dfl-bench {__version__}")
        raise typer.Exit


@app.callback(epilog=examples_of(""))
def _group(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """A benchmark suite for decision-focused learning."""


def main() -> None:
    """Run the command line; an error a user can act on is one line and exit code 2."""
    try:
        app()
    except (DflBenchError, ValueError, OSError) as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        sys.exit(USAGE)
