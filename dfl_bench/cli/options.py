"""What several commands share: options, limits, plugins and exit codes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from ..errors import DflBenchError

if TYPE_CHECKING:
    from ..run.job import Plugin
    from ..run.supervisor import Limits

FAILED, USAGE, INTERRUPTED = 1, 2, 130

StorePath = Annotated[Path, typer.Option("--store", help="Results file.")]
Plugins = Annotated[list[Path] | None, typer.Option("--plugin", help="A .py file with a method or problem.")]
TimeLimit = Annotated[float, typer.Option(min=0.1, help="Seconds a cell may take.")]
MemoryLimit = Annotated[float | None, typer.Option(min=0.1, help="GiB a cell may take.")]
DEFAULT_STORE = Path("results.sqlite")


def load_plugins(paths: list[Path] | None, errors: Console | None = None) -> "tuple[list[Plugin], bool]":
    """Import plugins; with a console for errors, one that cannot be imported is told there and left out."""
    if not paths:
        return [], False
    from ..contracts.registry import load_plugin
    from ..run.job import Plugin

    loaded, broken = [], False
    for path in paths:
        try:
            load_plugin(path)
            loaded.append(Plugin.read(path))
        except FileNotFoundError:
            raise
        except Exception as error:  # a user's file may raise anything
            place = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            message = f"plugin {path}{place}: {type(error).__name__}: {error}"
            if errors is None:
                raise DflBenchError(message) from error
            errors.print(Text(f"error: {message}", style="red"), soft_wrap=True)
            broken = True
    return loaded, broken


def make_limits(seconds: float, gib: float | None) -> "Limits":
    """Return the limits of a cell from what the user typed."""
    from ..run.supervisor import Limits

    return Limits(seconds, None if gib is None else int(gib * 2**30))
