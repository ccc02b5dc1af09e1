"""The commands `data list` and `data fetch`."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from .completion import data_names
from .examples import examples_of
from .names import data_sources, print_names

app = typer.Typer(help="Data that is fetched once and checked by hash.", no_args_is_help=True)


@app.command("list", epilog=examples_of("data list"))
def data_list() -> None:
    """Show what can be fetched."""
    print_names(Console(), "Data", data_sources())


@app.command("fetch", epilog=examples_of("data fetch"))
def data_fetch(name: Annotated[str, typer.Argument(autocompletion=data_names)]) -> None:
    """Fetch a data set, check its hash and keep it."""
    from ..data.sources import fetch

    Console().print(Text(f"{name} is at {fetch(name)}."))
