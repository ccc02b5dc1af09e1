"""The command `advise`."""

import shlex
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from .completion import method_names, problem_names
from .options import (
    INTERRUPTED,
    MemoryLimit,
    Plugins,
    TimeLimit,
    cores,
    load_plugins,
    load_problem_files,
    make_limits,
)

if TYPE_CHECKING:
    from ..run.job import Plugin
    from ..run.supervisor import Limits
    from ..store.cell import Cell
    from ..store.record import Record

    Typed = tuple[str, Sequence[Any] | None]  # an option and its values


def advise(
    problem: Annotated[
        str | None,
        typer.Option(
            help="One that `list` shows, or one in a file, as mine.py:problem.", autocompletion=problem_names
        ),
    ] = None,
    problem_file: Annotated[
        str | None, typer.Option(help="A problem in a file, as mine.py:problem; the same as --problem.")
    ] = None,
    problem_set: Annotated[
        list[str] | None,
        typer.Option(
            "--problem-set", help="A problem's setting, as degree=8; several values, as dates, are pairs."
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help="Compare this one with pfl, in place of the usual ones; repeat for several.",
            autocompletion=method_names,
        ),
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(
            help="How many; with fewer than 6 a test that flips signs cannot reach p < 0.05. "
            "[default: 6, or 1 for each of several problems]"
        ),
    ] = None,
    first_seed: Annotated[int, typer.Option(help="The seeds are this one and those after it.")] = 0,
    set_: Annotated[list[str] | None, typer.Option("--set", help="A method's setting, as steps=300.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Cells side by side. [default: all cores]")] = None,
    store: Annotated[
        Path | None, typer.Option(help="Results file, to go on after a stop. [default: nothing is kept]")
    ] = None,
    plugin: Plugins = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show the answer and nothing else.")] = False,
) -> None:
    """Say whether decision-focused training pays: pfl against spo-plus, or else dfl, and lcgln-plus."""
    from ..advising import advise as ask
    from ..experiment.selection import parse_settings, parse_values
    from ..problems import make_problem
    from ..show.advice import advice_text
    from ..show.next_step import Asked

    plugins, _ = load_plugins(plugin)
    source, name, files = _find(problem, problem_file)
    values = parse_values(problem_set or (), "--problem-set")
    chosen = [
        make_problem(name, **dict(zip(values, given, strict=True))) for given in product(*values.values())
    ]
    limits, plugins = make_limits(time_limit, memory_limit), plugins + files

    def run(cells: "Sequence[Cell]") -> "list[Record]":
        with _results_file(store) as path:
            return _run(cells, path, jobs or cores(), limits, plugins, store is not None, quiet)

    settings = parse_settings(set_ or ())
    for setting in settings.keys() & signature(ask).parameters.keys():
        raise ValueError(f"--set {setting}: no method has such a setting.")
    answer = ask(chosen, seeds=seeds, first_seed=first_seed, methods=method or (), runner=run, **settings)
    kept = [store] if store else []
    also = [("--problem-set", problem_set), ("--set", set_), ("--plugin", plugin), ("--store", kept)]
    own = [("--method", method), ("--first-seed", [first_seed] if first_seed else [])]
    text = advice_text(answer, Asked(_typed([*source, *also]), _typed(own)))
    Console().print(Text(text), soft_wrap=True)


def _find(name: str | None, file: str | None) -> "tuple[list[Typed], str, list[Plugin]]":
    """Return how `run` is given the problem, what it is called, and the file it is in."""
    if (name is None) == (file is None):
        raise ValueError(
            "expected --problem NAME, --problem FILE.py:NAME or --problem-file FILE.py:NAME, one of them."
        )
    if file is None and name is not None and not (name.endswith(".py") or ".py:" in name):
        return [("--problem", [name])], name, []
    spec = str(file or name)
    (called,), files = load_problem_files([spec])
    return [("--problem-file", [spec])], called, files


def _typed(options: "Iterable[Typed]") -> str:
    """Return options as a user types them."""
    return shlex.join(
        str(word) for option, values in options for value in values or () for word in (option, value)
    )


@contextmanager
def _results_file(store: Path | None) -> Iterator[Path]:
    """Yield the user's results file, or one that is gone afterwards."""
    if store is not None:
        yield store
        return
    with tempfile.TemporaryDirectory(prefix="dfl-bench-advise-") as folder:
        yield Path(folder) / "results.sqlite"


def _run(
    cells: "Sequence[Cell]",
    path: Path,
    jobs: int,
    limits: "Limits",
    plugins: "list[Plugin]",
    kept: bool,
    quiet: bool,
) -> "list[Record]":
    """Run the cells that the file does not have, and return the records of all."""
    from ..experiment.estimate import typical_seconds
    from ..run.driver import run as run_cells
    from ..show.live import choose
    from ..show.plan import announce
    from ..store.store import Store

    console, keys = Console(stderr=True), {cell.key for cell in cells}
    with Store(path) as opened:
        if not quiet:
            console.print(Text(announce(cells, len(opened.has(keys)))), soft_wrap=True)
        progress = choose(console, quiet, typical_seconds(opened.records()))
        summary = run_cells(cells, opened, jobs=jobs, limits=limits, plugins=plugins, progress=progress)
        if summary.interrupted:
            then = "the same command goes on from here" if kept else "without --store nothing is kept"
            console.print(Text(f"interrupted; {then}."))
            raise typer.Exit(INTERRUPTED)
        return [record for record in (*opened.records(), *opened.failures()) if record.key in keys]
