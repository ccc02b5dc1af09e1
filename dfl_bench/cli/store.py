"""The commands that check, repair, join and convert results files."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from .bundle import records_file
from .examples import examples_of
from .options import DEFAULT_STORE, FAILED, StorePath

if TYPE_CHECKING:
    from ..store.check import Examination
    from ..store.conflicts import Conflict

MOST_CONFLICTS = 20

app = typer.Typer(help="Results files: look for damage, and keep what is whole.", no_args_is_help=True)
File = Annotated[Path, typer.Argument(help="A results file.")]


@app.command("check", epilog=examples_of("store check"))
def check(file: File) -> None:
    """List the damaged records of a results file, which stays as it is; exit code 1 when there are any."""
    from ..store.check import examine

    found = examine(file)
    _show(found)
    if not found.is_whole:
        _print(f"`dfl-bench store repair {file}` keeps what is whole.")
        raise typer.Exit(FAILED)
    _print(f"{file} is as it was written.")


@app.command("repair", epilog=examples_of("store repair"))
def repair(
    file: File,
    into: Annotated[Path | None, typer.Option(help="A new file; without it, FILE is replaced.")] = None,
) -> None:
    """Keep the whole records of a results file; without --into, the old file is kept as FILE.damaged."""
    from ..store.check import repair as keep_whole

    found = keep_whole(file, into)
    _show(found)
    if into is not None:
        _print(f"wrote what is whole to {into}; {file} stays as it is.")
    elif found.is_whole:
        _print(f"{file} is as it was written; nothing to repair.")
    else:
        _print(f"{file} holds what is whole; the old file is {file}.damaged.")


def merge(
    into: Annotated[Path, typer.Argument(help="The results file that grows.")],
    other: Annotated[Path, typer.Argument(help="Another results file, or a bundle.")],
) -> None:
    """Take over the records of another results file or bundle; existing ones stay as they are."""
    from ..store.conflicts import find_conflicts
    from ..store.store import Store

    with records_file(other) as (file, _), Store(file, readonly=True) as source, Store(into) as target:
        conflicts = find_conflicts(target.records(), source.records())
        new_records = target.merge(source)
    _print(f"{new_records} new results from {other} in {into}.")
    if conflicts:
        _show_conflicts(conflicts, into, other)


def export(target: Path, store: StorePath = DEFAULT_STORE) -> None:
    """Write the records to a .csv or .parquet file."""
    from ..store.export import export as write

    _print(f"wrote {write(store, target)} records to {target}.")


def _show(found: "Examination") -> None:
    for fault in found.faults:
        _print(f"file: {fault}.")
    for damaged in found.damaged:
        _print(f"record {damaged.key}: {damaged}.")
    results = sum(row.is_final for row in found.whole)
    failures = len(found.whole) - results
    _print(f"{results} results and {failures} failures are whole, {len(found.damaged)} records are damaged.")


def _show_conflicts(conflicts: "list[Conflict]", into: Path, other: Path) -> None:
    _print(
        f"{len(conflicts)} cells have one key and two scores (first in {into}, then in {other}). "
        "The same settings and versions gave different scores: the code was changed and its version was not "
        f"raised, or one machine computes otherwise. The scores in {into} are kept; "
        "`dfl-bench rerun KEY` shows which of the two the code here gives."
    )
    for conflict in conflicts[:MOST_CONFLICTS]:
        _print(f"  {conflict}")
    if len(conflicts) > MOST_CONFLICTS:
        _print(f"  and {len(conflicts) - MOST_CONFLICTS} more")


def _print(text: str) -> None:
    Console().print(Text(text), soft_wrap=True)
