"""Boards and comparisons as Rich tables."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from .ledger import PHASES
from .leaderboard import Board, Row
from .statistics import TOO_FEW


def show_boards(console: Console, boards: list[Board]) -> None:
    """Print every board with its footer."""
    for board in boards:
        for part in _board(board):
            console.print(part)
        console.print()


def _board(board: Board) -> Iterator[RenderableType]:
    table = Table(title=Text(board.title), title_justify="left")
    for name in ("method", "normalized regret", "seeds", "group"):
        table.add_column(name, justify="left" if name == "method" else "right")
    for phase in PHASES:
        table.add_column(f"{phase} s", justify="right")
    table.add_column("solver calls", justify="right")
    table.add_column("failed", justify="right")
    for i, row in enumerate(board.rows):
        table.add_row(*_cells(row, board), style="bold" if i == 0 and row.mean is not None else "")
    if board.references:
        table.add_section()
        for row in board.references:
            table.add_row(*_cells(row, board), style="dim")
    yield table
    yield Text(f"data: {board.provenance}", style="dim")
    for facts in board.environments:
        yield Text(f"seconds: one seed on one thread, {describe(facts)}", style="dim")
    yield from (Text(note, style="dim") for note in _notes(board))


def _notes(board: Board) -> Iterator[str]:
    everybody = [*board.rows, *board.references]
    if any(row.rank is None for row in board.rows):
        yield f"group: {TOO_FEW} (six or more are needed)."
    if any(row.timed and not row.alone for row in everybody):
        yield "* measured while other cells ran on the same machine; --jobs 1 gives cells the machine alone."
    if any(row.beats_constant is False for row in board.rows):
        yield "† not better than `constant`, the same prediction for every instance."
    for row in everybody:
        if row.reason:
            yield f"{row.label}: {row.reason}"


def _cells(row: Row, board: Board) -> list[Text]:
    mark = " †" if row.beats_constant is False and not row.reference else ""
    seconds = [_number(row.seconds.get(phase), "" if row.alone else "*") for phase in PHASES]
    rank = "" if row.reference or row.mean is None else str(row.rank or "–")
    calls = f"{sum(row.solves.values()):,.0f}" if row.solves else ""
    return [
        Text(row.label + mark),
        Text(score(row.mean, row.sem) if row.mean is not None else "n/a" if not row.failures else "failed"),
        Text(str(len(row.scores))),
        Text(rank),
        *seconds,
        Text(calls),
        Text(str(row.failures) if row.failures else "", style="red"),
    ]


def score(mean: float, sem: float | None) -> str:
    """Write a score as the paper does: mean ± SEM, three decimals."""
    return f"{mean:.3f} ± {sem:.3f}" if sem is not None else f"{mean:.3f}"


def describe(facts: Mapping[str, Any]) -> str:
    """Write an environment in one line."""
    versions = " ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items())
    commit = f", commit {facts['commit']}" if facts.get("commit") else ""
    return f"{facts.get('cpu', 'unknown CPU')}, {facts.get('cores')} cores, Python {facts.get('python')}, {versions}{commit}"


def _number(value: float | None, mark: str) -> Text:
    return Text("" if value is None else f"{value:.2f}{mark}")
