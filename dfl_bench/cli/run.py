"""The command `run`."""

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from .completion import method_names, problem_names, suite_names
from .options import (
    DEFAULT_STORE,
    FAILED,
    INTERRUPTED,
    MemoryLimit,
    Plugins,
    ProblemFiles,
    StorePath,
    TimeLimit,
    TlsCa,
    TlsCert,
    TlsKey,
    cores,
    load_plugins,
    load_problem_files,
    make_cluster,
    make_limits,
)

if TYPE_CHECKING:
    from ..run.driver import Summary
    from ..store.store import Store


class Device(StrEnum):
    """Where methods are trained."""

    cpu = "cpu"
    cuda = "cuda"


def run(
    suite: Annotated[
        str | None,
        typer.Option(
            help="One that `list` shows, or a .toml file. [default: quick]", autocompletion=suite_names
        ),
    ] = None,
    problem: Annotated[
        list[str] | None, typer.Option(help="Repeat for several.", autocompletion=problem_names)
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(help="A method or a family; repeat for several.", autocompletion=method_names),
    ] = None,
    problem_file: ProblemFiles = None,
    samples: Annotated[
        list[int] | None, typer.Option(help="Samples an instance; repeat for several.")
    ] = None,
    problem_set: Annotated[
        list[str] | None,
        typer.Option("--problem-set", help="A problem's setting, as fake_targets=5; repeat for several."),
    ] = None,
    fake_targets: Annotated[
        list[int] | None, typer.Option(help="Short for --problem-set fake_targets=N; repeat.")
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Seeds 0 … N-1. [default: 10, or the suite's]")
    ] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            help="paper, tuned or survey: published, searched, or as a survey found. [default: the suite's]"
        ),
    ] = None,
    searches: Annotated[
        Path | None,
        typer.Option(help="A folder that `tune` wrote; it comes before the package's searches."),
    ] = None,
    device: Annotated[Device, typer.Option()] = Device.cpu,
    set_: Annotated[list[str] | None, typer.Option("--set", help="A method's setting, as steps=300.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Cells side by side. [default: all cores]")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    tls_ca: TlsCa = None,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    store: StorePath = DEFAULT_STORE,
    plugin: Plugins = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
    force: Annotated[
        bool, typer.Option("--force", help="Run cells that have a result again, and replace it.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the cells and the estimated time.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show errors and nothing else.")] = False,
) -> None:
    """Run what is missing from the results file; stop with Ctrl-C at any time and go on later."""
    from ..contracts import devices
    from ..experiment.estimate import typical_seconds
    from ..experiment.plan import plan
    from ..experiment.protocols import get_protocol
    from ..experiment.selection import Selection, parse_settings, parse_values
    from ..run.driver import run as run_cells
    from ..show.format import duration
    from ..show.live import choose
    from ..show.plan import announce
    from ..store.store import Store

    if scheduler is not None and jobs is not None:
        raise ValueError(
            "--jobs is for local runs; the workers of --scheduler decide how many cells run at once."
        )
    cluster = make_cluster(scheduler, tls_ca, tls_cert, tls_key)
    devices.require(device)
    if protocol is not None:
        get_protocol(protocol)
    if searches is not None and not searches.is_dir():
        raise ValueError(f"--searches {searches}: no such folder; `dfl-bench tune` makes one.")
    fakes = [f"fake_targets={value}" for value in fake_targets or ()]
    errors = Console(stderr=True)
    plugins, broken = load_plugins(plugin, errors=errors)
    own, files = load_problem_files(problem_file)
    plugins += files
    selection = Selection(
        suite=suite,
        problems=[*(problem or ()), *own],
        methods=method or (),
        samples=samples or (),
        problem_settings=parse_values([*(problem_set or ()), *fakes], "--problem-set"),
        seeds=seeds,
        settings=parse_settings(set_ or ()),
    )
    if broken:
        selection, missing = selection.known()
        for name in missing:
            errors.print(Text(f"failed: {name} is not registered; is it in the plugin above?", style="red"))
    cells = plan(selection.entries(), protocol=protocol, device=device.value, searches=searches)
    if dry_run:
        from ..experiment.estimate import estimate
        from ..show.plan import show_plan

        show_plan(Console(), estimate(cells, store))
        return
    begun = time.monotonic()
    with Store(store) as opened:
        if not quiet:
            stored = 0 if force else len(opened.has(cell.key for cell in cells))
            Console().print(Text(announce(cells, stored)), soft_wrap=True)
        summary = run_cells(
            cells,
            opened,
            jobs=jobs or cores(),
            limits=make_limits(time_limit, memory_limit),
            plugins=plugins,
            scheduler=cluster,
            progress=choose(Console(), quiet, typical_seconds(opened.records())),
            force=force,
        )
        if not quiet:
            _show_results(opened, {cell.key for cell in cells})
    _conclude(summary, f"{store}, in {duration(time.monotonic() - begun)}", quiet, errors)
    if broken:
        raise typer.Exit(FAILED)


def _show_results(store: "Store", keys: set[str]) -> None:
    from ..results.boards import boards
    from ..show.terminal import show_boards

    records, failures = ([r for r in rs if r.key in keys] for rs in (store.records(), store.failures()))
    show_boards(Console(), boards(records, failures))


def _conclude(summary: "Summary", where: str, quiet: bool, errors: Console) -> None:
    for record in summary.errors:
        label = f"{record.cell.problem} {record.cell.method} seed {record.cell.seed} [{record.key}]"
        reason = record.error.partition("\n")[0]
        errors.print(Text(f"{record.status}: {label}: {reason}", style="red"), soft_wrap=True)
    if not quiet:
        parts = f"{summary.new} new, {summary.reused} reused, {summary.failed} failed"
        applicable = f" ({summary.not_applicable} n/a)" if summary.not_applicable else ""
        Console().print(Text(f"{parts}{applicable}. Results: {where}."), soft_wrap=True)
    if summary.interrupted:
        errors.print(Text("interrupted; the same command goes on from here."))
        raise typer.Exit(INTERRUPTED)
    if summary.failed:
        raise typer.Exit(FAILED)
