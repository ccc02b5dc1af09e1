"""The commands that run stored cells again: `rerun` and `verify`."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from ..errors import DflBenchError
from .bundle import records_file
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

if TYPE_CHECKING:
    from ..store.record import Record


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
        _require_plugins([record], store, bool(plugins))
        check = Check(*run_again(record, plugins=plugins, limits=make_limits(time_limit, memory_limit)))
        if record.status in ("failed", "timeout"):
            opened.add(check.here)
    show_checks(Console(), [check])
    if check.verdict != "agrees":
        raise typer.Exit(FAILED)


def verify(
    file: Annotated[Path, typer.Argument(help="A results file or a bundle, perhaps somebody else's.")],
    cells: Annotated[int, typer.Option(min=1, help="How many to run again.")] = 5,
    seed: Annotated[int | None, typer.Option(help="Draw the same cells again.")] = None,
    plugin: Plugins = None,
    problem_file: ProblemFiles = None,
    trust: Annotated[bool, typer.Option("--trust", help="Run the plugins that a bundle holds.")] = False,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
) -> None:
    """Run random cells of a results file again and say whether the scores agree."""
    from ..results.check import Check
    from ..run.verify import verify as run_again
    from ..show.format import describe
    from ..show.terminal import show_checks
    from ..store.store import Store

    with records_file(file) as (path, packed):
        if packed and not trust:
            names = ", ".join(sorted(p.name for p in packed))
            raise DflBenchError(
                f"{file} holds code that would run with your rights: {names}. Unpack the zip file and "
                "read it; then give --trust."
            )
        plugins = load_plugins([*packed, *(plugin or ())])[0] + load_problem_files(problem_file)[1]
        with Store(path, readonly=True) as opened:
            records = opened.records()
        _require_plugins(records, file, bool(plugins))
        limits = make_limits(time_limit, memory_limit)
        again = run_again(records, cells, seed=seed, plugins=plugins, limits=limits)
        checks = [Check(*pair) for pair in again]
    if not checks:
        raise DflBenchError(f"{file} has no scored cell to verify.")
    console = Console()
    for facts in {check.stored.machine: check.stored.environment for check in checks}.values():
        console.print(Text(f"stored: {describe(facts)}", style="dim"), soft_wrap=True)
    show_checks(console, checks)
    if any(check.verdict != "agrees" for check in checks):
        raise typer.Exit(FAILED)
    console.print(Text(f"`dfl-bench merge {DEFAULT_STORE} {file}` takes its records over."), soft_wrap=True)


def _require_plugins(records: "Iterable[Record]", file: Path, given: bool) -> None:
    """Refuse to run a user's method or problem whose file is not at hand, or is not the one that was run."""
    from .. import methods, problems

    cells = [record.cell for record in records]
    missing = {
        name
        for registry, used in (
            (methods.registry, {(cell.method, cell.method_code) for cell in cells}),
            (problems.registry, {(cell.problem, cell.problem_code) for cell in cells}),
        )
        for name, code in used
        if code and not (name in registry.names() and registry.code_of(name) == code)
    }
    if missing:
        reason = (
            "not made by the code at hand: a --plugin file was changed since, or another one is needed. "
            "Ask for the file as it was"
            if given
            else "not of a part of the suite: give the file that made them with --plugin FILE.py "
            "or --problem-file FILE.py:NAME. "
            "It is code that runs with your rights"
        )
        raise DflBenchError(f"{file}: the records of {', '.join(sorted(missing))} are {reason}.")
