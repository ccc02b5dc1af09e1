"""A matrix as Rich tables: where the columns do not fit side by side, further tables go on."""

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..results.headline import headline
from ..results.matrix import Matrix
from ..results.notes import matrix_notes
from .matrix_text import SUMMARY, problem_names, written
from .terminal import plain_table

NAME = 24  # letters of a method in a line, longer names are folded
SPACE = 2  # between two columns


def show_matrices(console: Console, matrices: Sequence[Matrix]) -> None:
    """Print every matrix: its sentence, one row for each method, and what has to be said."""
    for matrix in matrices:
        console.print(Text(headline(matrix)))
        for table in _tables(matrix, console.width):
            console.print(table)
        for i, name in enumerate(problem_names(matrix), 1):
            console.print(Text(f"{i}: {name}", style="dim"))
        for note in matrix_notes(matrix):
            console.print(Text(note, style="dim"))
        console.print()


def _tables(matrix: Matrix, width: int) -> Iterator[Table]:
    """One table for as many columns as fit; the next ones begin with the names of the methods again."""
    headings = [*SUMMARY, *(str(i + 1) for i in range(len(matrix.boards)))]
    written_lines = [written(line) for line in matrix.all_lines]
    widths = [
        max([len(name), *(len(row[i].text) for row in written_lines)]) for i, name in enumerate(headings)
    ]
    widths[0] = min(widths[0], NAME)
    shown: list[int] = []
    for i in range(len(headings)):
        if sum(widths[j] + SPACE for j in [*shown, i]) > width and len(shown) > 1:
            yield _table(matrix, headings, shown)
            shown = [0]
        shown.append(i)
    yield _table(matrix, headings, shown)


def _table(matrix: Matrix, headings: Sequence[str], columns: Sequence[int]) -> Table:
    table = plain_table()
    if 1 in columns:
        table.title, table.title_justify = Text(matrix.title, style="bold"), "left"
    for i in columns:
        table.add_column(
            Text(headings[i]), justify="right" if i else "left", no_wrap=bool(i), overflow="fold"
        )
    for lines, style in ((matrix.lines, ""), (matrix.references, "dim")):
        for line in lines:
            cells = written(line)
            texts = (Text(cells[i].text, style="bold" if cells[i].bold else "") for i in columns)
            table.add_row(*texts, style=style)
        table.add_section()
    return table
