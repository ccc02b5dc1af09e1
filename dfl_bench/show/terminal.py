"""Boards and comparisons as Rich tables."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..contracts.ledger import PHASES
from ..errors import DflBenchError
from ..results.boards import Board, Row, scores_of
from ..results.check import Check
from ..results.statistics import TOO_FEW, compare, holm

SHORT_PHASES = ("label", "surr.", "train", "infer")


def plain_table(*columns: str) -> Table:
    """Return a table with little ink: eighty characters are few."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for column in columns:
        table.add_column(Text(column))
    return table


def show_boards(console: Console, boards: list[Board]) -> None:
    """Print every board with its footer."""
    for board in boards:
        for part in _board(board):
            console.print(part)
        console.print()


def _board(board: Board) -> Iterator[RenderableType]:
    table = Table(
        title=Text(board.title, style="bold"),
        title_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    table.add_column("method", overflow="fold")  # alone in being wrapped: names of variants may be long
    for name in ("regret", "n", "group", *SHORT_PHASES, "solves"):
        table.add_column(name, justify="right", no_wrap=True)
    failing = any(row.failures for row in (*board.rows, *board.references))
    if failing:
        table.add_column("fail", justify="right")
    for i, row in enumerate(board.rows):
        table.add_row(*_cells(row, failing), style="bold" if i == 0 and row.mean is not None else "")
    if board.references:
        table.add_section()
        for row in board.references:
            table.add_row(*_cells(row, failing), style="dim")
    yield table
    yield Text(
        "regret: normalized, mean ± SEM over n seeds; solves: instances given to the solver", style="dim"
    )
    yield Text(f"data: {board.provenance}", style="dim")
    for facts in board.environments:
        yield Text(f"seconds: one seed on one thread, {describe(facts)}", style="dim")
    yield from (Text(note, style="dim") for note in notes(board))


def notes(board: Board) -> Iterator[str]:
    """Yield what has to be said below a board."""
    everybody = [*board.rows, *board.references]
    if board.has_too_few_seeds:
        yield f"group: {TOO_FEW} (six or more are needed)."
    if board.has_unranked_samples:
        yield "group: each method at its largest K."
    if any(row.timed and not row.alone for row in everybody):
        yield "* measured while the machine had other work; --jobs 1 on an idle machine times cells alone."
    if any(row.beats_constant is False for row in board.rows):
        yield "† not better than `constant`, the same prediction for every instance."
    for row in everybody:
        if row.reason:
            yield f"{row.label}: {row.reason}"


def _cells(row: Row, failing: bool) -> list[Text]:
    mark = " †" if row.beats_constant is False and not row.reference else ""
    busy = " *" if row.timed and not row.alone else ""
    rank = "" if row.reference or row.mean is None else str(row.rank or "–")
    missing = "failed" if row.failures else "n/a"
    return [
        Text(row.label + mark + busy),
        Text(missing if row.mean is None else score(row.mean, row.sem)),
        Text(str(len(row.scores))),
        Text(rank),
        *(Text(_short(row.seconds[phase]) if row.seconds else "") for phase in PHASES),
        Text(_short(sum(row.solves.values())) if row.solves else ""),
        *([Text(str(row.failures or ""), style="red")] if failing else []),
    ]


def _short(number: float) -> str:
    """At most five characters: eleven columns must fit into eighty."""
    for factor, unit in ((1e6, "M"), (1e3, "k")):
        if number >= factor:
            return f"{number / factor:.3g}{unit}"
    return f"{number:.2f}" if number < 10 else f"{number:.1f}" if number < 100 else f"{number:.0f}"


def show_comparison(console: Console, boards: list[Board], a: str, b: str) -> None:
    """Print method a against method b on every board that has both, with Holm's correction over the lines."""
    found = [(board, x, y) for board in boards for x, y in _matches(board, a, b)]
    if not found:
        raise DflBenchError(f"no problem has scores of both {a} and {b}; see `dfl-bench leaderboard`.")
    results = [
        compare(scores_of(x.records), scores_of(y.records), names=(x.method, y.method)) for _, x, y in found
    ]
    tested = [result.p_value for result in results if result.p_value is not None]
    adjusted = iter(holm(tested))
    table = plain_table("problem", a, b, "difference", "95 % interval", "n", "p (Holm)")
    for (board, x, y), result in zip(found, results, strict=True):
        table.add_row(
            Text(board.name),
            f"{result.mean_a:.4f} {x.settings}",
            f"{result.mean_b:.4f} {y.settings}",
            f"{result.difference:+.4f}",
            f"[{result.low:+.4f}, {result.high:+.4f}]",
            str(result.seeds),
            TOO_FEW if result.p_value is None else f"{next(adjusted):.4f}",
        )
    console.print(table)
    console.print(
        Text(f"A negative difference favours {a}. Interval: seeds, then instances, resampled together.")
    )


def _matches(board: Board, a: str, b: str) -> Iterator[tuple[Row, Row]]:
    scored = [row for row in (*board.rows, *board.references) if row.scores]
    for x in scored:
        for y in scored:
            samples = {row.config.get("samples") for row in (x, y)} - {None}
            if (x.method, y.method) == (a, b) and len(samples) <= 1 and x.scores.keys() & y.scores.keys():
                yield x, y


def show_checks(console: Console, checks: Sequence[Check]) -> None:
    """Print stored scores beside those of a new run."""
    table = plain_table("key", "cell", "stored", "here", "verdict")
    for check in checks:
        cell = check.stored.cell
        scores = [r.normalized_regret for r in (check.stored, check.here)]
        stored, here = ("" if s is None else f"{s:.9f}" for s in scores)
        style = "green" if check.verdict == "agrees" else "red"
        label = f"{cell.problem} {cell.method} seed {cell.seed}"
        table.add_row(check.stored.key, Text(label), stored, here, Text(check.verdict, style=style))
    console.print(table)
    agreed = sum(check.verdict == "agrees" for check in checks)
    console.print(Text(f"{agreed} of {len(checks)} agree."))


def score(mean: float, sem: float | None) -> str:
    """Write a score as the paper does: mean ± SEM, three decimals."""
    return f"{mean:.3f} ± {sem:.3f}" if sem is not None else f"{mean:.3f}"


def describe(facts: Mapping[str, Any]) -> str:
    """Write an environment in one line."""
    versions = " ".join(f"{name} {version}" for name, version in facts.get("versions", {}).items())
    commit = f", commit {facts['commit']}" if facts.get("commit") else ""
    machine = f"{facts.get('cpu', 'unknown CPU')}, {facts.get('cores')} cores"
    return f"{machine}, Python {facts.get('python')}, {versions}{commit}"
