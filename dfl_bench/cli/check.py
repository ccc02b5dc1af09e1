"""The commands that run stored cells again: `rerun` and `verify`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from ..errors import DflBenchError
from .options import (
    DEFAULT_STORE,
    FAILED,
    MemoryLimit,
    Plugins,
    ProblemFiles,
    StorePath,
    TimeLimit,
    load_plugins,
    load_problem_files,
    make_limits,
)


def rerun(
    key: Annotated[str, typer.Argument(help="The cell's key, or its first digits.")],
    store: StorePath = DEFAULT_STORE,
    plugin: Plugins = None,
    problem_file: ProblemFiles = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
) -> None:
    """Run one cell again and compare; a cell that had failed and now succeeds is kept."""
    from ..results.check import Check
    from ..run.verify import rerun as run_again
    from ..show.terminal import show_checks
    from ..store.store import Store

    plugins = load_plugins(plugin)[0] + load_problem_files(problem_file)[1]
    with Store(store) as opened:
        record = opened.find(key)
        check = Check(*run_again(record, plugins=plugins, limits=make_limits(time_limit, memory_limit)))
        if record.status in ("failed", "timeout"):
            opened.add(check.here)
    show_checks(Console(), [check])
    if check.verdict != "agrees":
        raise typer.Exit(FAILED)


def verify(
    file: Annotated[Path, typer.Argument(help="A results file, perhaps somebody else's.")],
    cells: Annotated[int, typer.Option(min=1, help="How many to run again.")] = 5,
    seed: Annotated[int | None, typer.Option(help="Draw the same cells again.")] = None,
    plugin: Plugins = None,
    problem_file: ProblemFiles = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
) -> None:
    """Run random cells of a results file again and say whether the scores agree."""
    from ..results.check import Check
    from ..run.verify import verify as run_again
    from ..show.terminal import show_checks
    from ..store.store import Store

    plugins = load_plugins(plugin)[0] + load_problem_files(problem_file)[1]
    with Store(file, readonly=True) as opened:
        records = opened.records()
    limits = make_limits(time_limit, memory_limit)
    again = run_again(records, cells, seed=seed, plugins=plugins, limits=limits)
    checks = [Check(*pair) for pair in again]
    if not checks:
        raise DflBenchError(f"{file} has no scored cell to verify.")
    console = Console()
    show_checks(console, checks)
    if any(check.verdict != "agrees" for check in checks):
        raise typer.Exit(FAILED)
    console.print(Text(f"`dfl-bench merge {DEFAULT_STORE} {file}` takes its records over."), soft_wrap=True)
