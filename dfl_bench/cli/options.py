"""What several commands share: options, limits, plugins and exit codes."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from ..errors import DflBenchError

if TYPE_CHECKING:
    from ..run.dask_pool import Cluster
    from ..run.job import Plugin
    from ..run.supervisor import Limits

FAILED, USAGE, INTERRUPTED = 1, 2, 130

StorePath = Annotated[Path, typer.Option("--store", help="Results file.")]
Plugins = Annotated[list[Path] | None, typer.Option("--plugin", help="A .py file with a method or problem.")]
ProblemFiles = Annotated[
    list[str] | None,
    typer.Option("--problem-file", help="A problem in a file, as mine.py:problem; repeat for several."),
]
TimeLimit = Annotated[float, typer.Option(min=0.1, help="Seconds a cell may take.")]
MemoryLimit = Annotated[float | None, typer.Option(min=0.1, help="GiB a cell may take.")]
TlsCa = Annotated[Path | None, typer.Option(help="Certificate of the scheduler's authority (PEM).")]
TlsCert = Annotated[Path | None, typer.Option(help="Your certificate for the scheduler (PEM).")]
TlsKey = Annotated[Path | None, typer.Option(help="The key of your certificate (PEM).")]
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
        except (Exception, SystemExit) as error:  # a user's file may raise anything
            place = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            message = f"plugin {path}{place}: {type(error).__name__}: {error}"
            if errors is None:
                raise DflBenchError(message) from error
            errors.print(Text(f"error: {message}", style="red"), soft_wrap=True)
            broken = True
    return loaded, broken


def load_problem_files(specs: list[str] | None) -> "tuple[list[str], list[Plugin]]":
    """Register the problems of files, each as FILE.py:NAME; return what they are called, and the files."""
    if not specs:
        return [], []
    from ..problems.from_file import load_problem, split_name
    from ..run.job import Plugin

    names, files = [], []
    for spec in specs:
        path, inside = split_name(spec)
        try:
            names.append(load_problem(path, inside))
        except (FileNotFoundError, DflBenchError, ValueError):
            raise
        except (Exception, SystemExit) as error:  # a user's file may raise anything
            place = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
            raise DflBenchError(f"problem file {path}{place}: {type(error).__name__}: {error}") from error
        files.append(Plugin.read(path, inside))
    return names, files


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def make_limits(seconds: float, gib: float | None) -> "Limits":
    """Return the limits of a cell from what the user typed."""
    from ..run.supervisor import Limits

    return Limits(seconds, None if gib is None else int(gib * 2**30))


def make_cluster(
    address: str | None, ca: Path | None, cert: Path | None, key: Path | None
) -> "Cluster | None":
    """Return the scheduler to use and how to prove who speaks; None for a local run.

    Args:
        address: of the scheduler.
        ca: the certificate of the authority that both sides trust.
        cert: the driver's certificate.
        key: the key of that certificate.
    """
    files = [None if path is None else str(path) for path in (ca, cert, key)]
    if address is None:
        if any(files):
            raise ValueError("--tls-ca, --tls-cert and --tls-key are for --scheduler tls://HOST:PORT.")
        return None
    for path in (ca, cert, key):
        if path is not None and not path.is_file():
            raise FileNotFoundError(f"no file {path}; expected a certificate or key in PEM format.")
    from ..run.dask_pool import Cluster

    return Cluster(address, *files)
