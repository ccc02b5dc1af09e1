"""Boards and comparisons as Rich tables."""

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from ..errors import DflBenchError
from ..results.boards import Board, Row, scores_of
from ..results.check import Check
from ..results.columns import COLUMNS, Column, columns_of
from ..results.notes import notes
from ..results.statistics import TOO_FEW, compare, holm
from .format import cell_text, describe

NAME_WIDTH = 40  # characters of the method column; a longer name is wrapped


def plain_table(*columns: str) -> Table:
    """Return a table with little ink: eighty characters are few."""
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for column in columns:
        table.add_column(Text(column))
    return table


def show_boards(console: Console, boards: list[Board]) -> None:
    """Print every board with its footer."""
    for board in boards:
        for part in _board(board, console.width):
            console.print(part)
        console.print()


def _board(board: Board, width: int) -> Iterator[RenderableType]:
    columns = fitting_columns(board, width)
    yield _table(board, columns)
    yield Text(
        "regret: normalized, mean ± SEM over n seeds; solves: instances given to the solver", style="dim"
    )
    yield Text(f"data: {board.provenance}", style="dim")
    for facts in board.environments:
        yield Text(f"seconds: one seed on one thread, {describe(facts)}", style="dim")
    yield from (Text(note, style="dim") for note in notes(board))
    missing = [c.name for c in columns_of(board, "terminal") if c not in columns]
    if missing:
        yield Text(f"left out, the terminal is narrow: {', '.join(missing)}", style="dim")


def fitting_columns(board: Board, width: int) -> list[Column]:
    """Return the columns that stand beside whole names; of those that do not fit, timings go first."""
    every = columns_of(board, "terminal")
    phases = [column for column in every if column.format == "seconds"]
    total = next(column for column in COLUMNS if column.name == "total")
    with_total = [total if c is phases[0] else c for c in every if c not in phases[1:]] if phases else every
    without = [c for c in with_total if c is not total]
    choices = [every, with_total, without, [c for c in without if c.format != "count"]]
    return next((columns for columns in choices if _width(columns, board) <= width), choices[-1])


def _width(columns: Sequence[Column], board: Board) -> int:
    """The characters of a table's lines, with names cut at `NAME_WIDTH`."""
    widths = [max(cell_len(text) for text in _texts(column, board)) for column in columns]
    wanted = (
        min(width, NAME_WIDTH) if c.format == "label" else width
        for c, width in zip(columns, widths, strict=True)
    )
    return sum(wanted) + 2 * len(columns)  # as `plain_table` sets columns apart


def _texts(column: Column, board: Board) -> list[str]:
    return [column.short or column.name, *(cell_text(column, row) for row in board.all_rows)]


def _table(board: Board, columns: Sequence[Column]) -> Table:
    table = plain_table()
    table.title, table.title_justify = Text(board.title, style="bold"), "left"
    for column in columns:
        # Only names are wrapped: those of variants may be long.
        is_name = column.format == "label"
        table.add_column(
            Text(column.short or column.name),
            justify=column.align,
            no_wrap=not is_name,
            overflow="fold",
            max_width=NAME_WIDTH if is_name else None,
        )
    for row in board.rows:
        table.add_row(*_cells(columns, row), style="bold" if row.rank == 1 else "")
    if board.references:
        table.add_section()
    for row in board.references:
        table.add_row(*_cells(columns, row), style="dim")
    return table


def _cells(columns: Sequence[Column], row: Row) -> list[Text]:
    return [Text(cell_text(column, row), style="red" if column.alarm else "") for column in columns]


def show_comparison(console: Console, boards: list[Board], a: str, b: str) -> None:
    """Print method a against method b on every board that has both, with Holm's correction over the lines.

    Args:
        console: where to print.
        boards: the boards to look at.
        a: the name of a method; a negative difference favours it.
        b: the name of the method it is compared with.
    """
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
