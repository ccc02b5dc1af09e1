"""The command `bundle`, and how other commands take a bundle in place of a results file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from .options import Plugins


def bundle(
    store: Annotated[Path, typer.Argument(help="A results file.")],
    plugin: Plugins = None,
    out: Annotated[Path | None, typer.Option(help="The bundle. [default: the file's name with .zip]")] = None,
) -> None:
    """Pack a results file with the plugins and environments behind it, to hand it to others."""
    from ..store.bundle import write_bundle

    target = out or store.with_suffix(".zip")
    results = write_bundle(store, target, plugin or ())
    others = "--trust " if plugin else ""
    text = f"wrote {results} results to {target}; others check them with `dfl-bench verify {target} {others}`"
    Console().print(Text(text.rstrip(" `") + "`."), soft_wrap=True)


@contextmanager
def records_file(path: Path) -> Iterator[tuple[Path, list[Path]]]:
    """Give the results file and the plugins of a bundle; a results file is given as it is."""
    from ..store.bundle import is_bundle, opened_bundle

    if path.suffix != ".zip" and not (path.is_file() and is_bundle(path)):
        yield path, []
        return
    with opened_bundle(path) as opened:
        yield opened.records, list(opened.plugins)
