"""The command line. Each command imports what it needs, so that `list` answers at once."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .errors import DflBenchError

if TYPE_CHECKING:
    from .execute import Plugin
    from .runner import Summary
    from .slot import Limits

app = typer.Typer(
    help="A benchmark suite for decision-focused learning.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
data_app = typer.Typer(help="Data that is fetched once and checked by hash.", no_args_is_help=True)
app.add_typer(data_app, name="data")

USAGE, FAILED, INTERRUPTED = 2, 1, 130


class Protocol(StrEnum):
    """How methods are configured."""

    paper = "paper"
    tuned = "tuned"


class Device(StrEnum):
    """Where methods are trained."""

    cpu = "cpu"
    cuda = "cuda"


class Kind(StrEnum):
    """What a starting file is for."""

    method = "method"
    problem = "problem"


StorePath = Annotated[Path, typer.Option("--store", help="Results file.")]
Plugins = Annotated[list[Path] | None, typer.Option("--plugin", help="A .py file with a method or problem.")]
TimeLimit = Annotated[float, typer.Option(min=0.1, help="Seconds a cell may take.")]
MemoryLimit = Annotated[float | None, typer.Option(min=0.1, help="GiB a group of cells may take.")]
DEFAULT_STORE = Path("results.sqlite")


def main() -> None:
    """Run the command line; an error a user can act on is one line and exit code 2."""
    try:
        app()
    except (DflBenchError, ValueError, OSError) as error:
        Console(stderr=True).print(Text(f"error: {error}", style="red"), soft_wrap=True)
        sys.exit(USAGE)


@app.command("list")
def list_(plugin: Plugins = None) -> None:
    """Show problems, methods, suites and data."""
    from .method import methods
    from .problem import problems
    from .suite import built_in

    _load_plugins(plugin)
    console = Console()
    for title, entries in (("Problems", problems.entries()), ("Methods", methods.entries())):
        _print_names(console, title, {name: entry.summary for name, entry in sorted(entries.items())})
    _print_names(console, "Suites", built_in())
    _print_names(console, "Data", _data_sources())


@app.command()
def run(
    suite: Annotated[str | None, typer.Option(help="quick, paper, or a .toml file. [default: quick]")] = None,
    problem: Annotated[list[str] | None, typer.Option(help="Repeat for several.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="Repeat for several.")] = None,
    samples: Annotated[
        list[int] | None, typer.Option(help="Samples an instance; repeat for several.")
    ] = None,
    fake_targets: Annotated[list[int] | None, typer.Option(help="Of the problem budget; repeat.")] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Seeds 0 … N-1. [default: 10, or the suite's]")
    ] = None,
    protocol: Annotated[Protocol, typer.Option()] = Protocol.paper,
    device: Annotated[Device, typer.Option()] = Device.cpu,
    set_: Annotated[list[str] | None, typer.Option("--set", help="A method's setting, as steps=300.")] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="Cells side by side. [default: all cores]")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Address of a Dask scheduler.")] = None,
    store: StorePath = DEFAULT_STORE,
    plugin: Plugins = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the cells and the estimated time.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show errors and nothing else.")] = False,
) -> None:
    """Run what is missing from the results file; stop with Ctrl-C at any time and go on later."""
    from .plan import plan
    from .progress import choose
    from .runner import check_device
    from .runner import run as run_groups
    from .selection import Selection, parse_settings
    from .store import Store

    if scheduler is not None and jobs is not None:
        raise ValueError(
            "--jobs is for local runs; the workers of --scheduler decide how many cells run at once."
        )
    check_device(device)
    errors = Console(stderr=True)
    plugins, broken = _load_plugins(plugin, errors=errors)
    selection = Selection(
        suite=suite,
        problems=problem or (),
        methods=method or (),
        samples=samples or (),
        fake_targets=fake_targets or (),
        seeds=seeds,
        settings=parse_settings(set_ or ()),
    )
    if broken:
        selection, missing = selection.known()
        for name in missing:
            errors.print(Text(f"failed: {name} is not registered; is it in the plugin above?", style="red"))
    groups = plan(selection.entries(), protocol=protocol, device=device)
    if dry_run:
        from .estimate import show_plan

        show_plan(Console(), groups, store)
        return
    with Store(store) as opened:
        summary = run_groups(
            groups,
            opened,
            jobs=jobs or _cores(),
            limits=_limits(time_limit, memory_limit),
            plugins=plugins,
            scheduler=scheduler,
            progress=choose(Console(), quiet),
        )
        if not quiet:
            _show_results(opened, {cell.key for group in groups for cell in group.cells})
    _conclude(summary, store, quiet, errors)
    if broken:
        raise typer.Exit(FAILED)


@app.command()
def leaderboard(
    store: StorePath = DEFAULT_STORE,
    problem: Annotated[str | None, typer.Option(help="Show one problem.")] = None,
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the records as CSV.")] = None,
) -> None:
    """Show the methods on each problem, best first."""
    from .leaderboard import boards
    from .render import show_boards
    from .store import Store

    with Store(store, readonly=True) as opened:
        made = boards(opened.records(problem=problem), opened.failures(problem=problem))
        if html is not None:
            from .page import write_page

            write_page(opened, html)
    if csv is not None:
        from .frame import export

        export(store, csv)
    if not made:
        raise DflBenchError(f"{store} has no records{f' of {problem}' if problem else ''}.")
    show_boards(Console(), made)


@app.command()
def paper(store: StorePath = DEFAULT_STORE) -> None:
    """Show our numbers beside the paper's, cell by cell."""
    from .render_paper import show_pairs
    from .store import Store

    with Store(store, readonly=True) as opened:
        show_pairs(Console(), opened)


@app.command()
def compare(
    a: str, b: str, store: StorePath = DEFAULT_STORE, problem: Annotated[str | None, typer.Option()] = None
) -> None:
    """Compare two methods on every problem both have run: difference, interval, corrected p-value."""
    from .leaderboard import boards
    from .render import show_comparison
    from .store import Store

    with Store(store, readonly=True) as opened:
        made = boards(opened.records(problem=problem))
    show_comparison(Console(), made, a, b)


@app.command()
def rerun(
    key: Annotated[str, typer.Argument(help="The cell's key, or its first digits.")],
    store: StorePath = DEFAULT_STORE,
    plugin: Plugins = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
) -> None:
    """Run one cell again and compare; a cell that had failed and now succeeds is kept."""
    from .render import show_checks
    from .store import Store
    from .verify import rerun as run_again

    plugins, _ = _load_plugins(plugin)
    with Store(store) as opened:
        record = opened.find(key)
        check = run_again(record, plugins=plugins, limits=_limits(time_limit, memory_limit))
        if record.status in ("failed", "timeout"):
            opened.add(check.here)
    show_checks(Console(), [check])
    if check.verdict != "agrees":
        raise typer.Exit(FAILED)


@app.command()
def verify(
    file: Annotated[Path, typer.Argument(help="A results file, perhaps somebody else's.")],
    cells: Annotated[int, typer.Option(min=1, help="How many to run again.")] = 5,
    seed: Annotated[int | None, typer.Option(help="Draw the same cells again.")] = None,
    plugin: Plugins = None,
    time_limit: TimeLimit = 3600.0,
    memory_limit: MemoryLimit = None,
) -> None:
    """Run random cells of a results file again and say whether the scores agree."""
    from .render import show_checks
    from .store import Store
    from .verify import verify as run_again

    plugins, _ = _load_plugins(plugin)
    with Store(file, readonly=True) as opened:
        records = opened.records()
    limits = _limits(time_limit, memory_limit)
    checks = list(run_again(records, cells, seed=seed, plugins=plugins, limits=limits))
    if not checks:
        raise DflBenchError(f"{file} has no scored cell to verify.")
    show_checks(Console(), checks)
    if any(check.verdict != "agrees" for check in checks):
        raise typer.Exit(FAILED)


@app.command()
def speed(
    quick: Annotated[bool, typer.Option("--quick", help="Repeat each measurement less often.")] = False,
    csv: Annotated[Path | None, typer.Option(help="Write the table as CSV.")] = None,
) -> None:
    """Show our kernels against reference solvers: ratios within one run, each with its accuracy."""
    from .speed import main as measure

    measure(quick, csv)


@app.command()
def new(kind: Kind, name: str) -> None:
    """Write a commented starting file that runs as it is."""
    from .scaffold import write_start

    path = write_start(kind, name)
    option = "--method" if kind is Kind.method else "--problem"
    Console().print(Text(f"wrote {path}; try: dfl-bench run --plugin {path} {option} {name} --seeds 2"))


@app.command()
def merge(into: Path, other: Path) -> None:
    """Take over the records of another results file; existing ones stay as they are."""
    from .store import Store

    with Store(other, readonly=True) as source, Store(into) as target:
        new_records = target.merge(source)
    Console().print(Text(f"{new_records} new results from {other} in {into}."))


@app.command()
def export(target: Path, store: StorePath = DEFAULT_STORE) -> None:
    """Write the records to a .csv or .parquet file."""
    from .frame import export as write

    Console().print(Text(f"wrote {write(store, target)} records to {target}."))


@data_app.command("list")
def data_list() -> None:
    """Show what can be fetched."""
    _print_names(Console(), "Data", _data_sources())


@data_app.command("fetch")
def data_fetch(name: str) -> None:
    """Fetch a data set, check its hash and keep it."""
    from .data import fetch

    Console().print(Text(f"{name} is at {fetch(name)}."))


def _data_sources() -> dict[str, str]:
    from .data import sources

    return {source.name: f"{source.summary} [{source.path or 'not here'}]" for source in sources()}


def _print_names(console: Console, title: str, names: dict[str, str]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2))
    for name, summary in names.items():
        table.add_row(Text(name, style="bold"), Text(summary))
    console.print(Text(title, style="underline"))
    console.print(table)
    console.print()


def _load_plugins(paths: list[Path] | None, errors: Console | None = None) -> "tuple[list[Plugin], bool]":
    """Import plugins; with a console for errors, one that cannot be imported is told there and left out."""
    if not paths:
        return [], False
    from .execute import Plugin
    from .registry import load_plugin

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


def _limits(seconds: float, gib: float | None) -> "Limits":
    from .slot import Limits

    return Limits(seconds, None if gib is None else int(gib * 2**30))


def _cores() -> int:
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _show_results(store: Any, keys: set[str]) -> None:
    from .leaderboard import boards
    from .render import show_boards

    records, failures = ([r for r in rs if r.key in keys] for rs in (store.records(), store.failures()))
    show_boards(Console(), boards(records, failures))


def _conclude(summary: "Summary", store: Path, quiet: bool, errors: Console) -> None:
    for record in summary.errors:
        label = f"{record.cell.problem} {record.cell.method} seed {record.cell.seed} [{record.key}]"
        reason = record.error.partition("\n")[0]
        errors.print(Text(f"{record.status}: {label}: {reason}", style="red"), soft_wrap=True)
    if not quiet:
        parts = f"{summary.new} new, {summary.reused} reused, {summary.failed} failed"
        applicable = f" ({summary.not_applicable} n/a)" if summary.not_applicable else ""
        Console().print(Text(f"{parts}{applicable}. Results: {store}"), soft_wrap=True)
    if summary.interrupted:
        errors.print(Text("interrupted; the same command goes on from here."))
        raise typer.Exit(INTERRUPTED)
    if summary.failed:
        raise typer.Exit(FAILED)
