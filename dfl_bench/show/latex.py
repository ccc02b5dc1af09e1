"""Boards and matrices as LaTeX tables in the style of the package booktabs."""

import re
from collections.abc import Iterable, Sequence
from itertools import groupby

from ..results.boards import Board, Row
from ..results.columns import Column, columns_of
from ..results.headline import headline
from ..results.matrix import Matrix
from ..results.notes import matrix_notes, notes
from .format import cell_text
from .matrix_text import SUMMARY, Written, written

PREAMBLE = r"% In the preamble: \usepackage{booktabs}"
SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{",
    "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$",
    "|": r"$|$", "±": r"$\pm$", "×": r"$\times$", "·": r"$\cdot$", "–": "--", "−": r"$-$", "Σ": r"$\Sigma$",
    "†": r"$^\dagger$", "‡": r"$^\ddagger$", "*": r"$^*$", "’": "'", "`": "`", "ŷ": r"$\hat y$",
    "≤": r"$\le$", "≥": r"$\ge$", "→": r"$\to$", "Θ": r"$\Theta$",
}  # fmt: skip


def board_latex(board: Board) -> str:
    """Return a board as a table: methods, then reference policies; the first group is bold."""
    columns = columns_of(board, "latex")
    return _table(
        align="".join("l" if column.align == "left" else "r" for column in columns),
        heading=[_line([Written(column.heading) for column in columns])],
        parts=[[_board_row(row, columns) for row in rows] for rows in (board.rows, board.references)],
        caption=f"{board.title}: normalized regret, mean ± SEM over seeds; the first group is bold.",
        notes=notes(board),
        label=board.title,
    )


def matrix_latex(matrix: Matrix) -> str:
    """Return a matrix as a table: methods, then reference policies; first groups are bold."""
    return _table(
        align="l" + "r" * (len(SUMMARY) - 1 + len(matrix.boards)),
        heading=_problems(matrix),
        parts=[[written(line) for line in lines] for lines in (matrix.lines, matrix.references)],
        caption=f"Normalized regret, {matrix.title}. {headline(matrix)}",
        notes=matrix_notes(matrix),
        label=f"matrix {matrix.title}",
    )


def _problems(matrix: Matrix) -> list[str]:
    """Two lines: each problem over its columns, then the settings that tell these apart."""
    above, rules, column = [""] * len(SUMMARY), "", len(SUMMARY) + 1
    for problem, group in groupby(board.problem for board in matrix.boards):
        n = len(list(group))
        above.append(rf"\multicolumn{{{n}}}{{{'c' if n > 1 else 'r'}}}{{{escape(problem)}}}")
        rules += rf" \cmidrule(lr){{{column}-{column + n - 1}}}" if n > 1 else ""
        column += n
    names = [Written(name) for name in (*SUMMARY, *matrix.headings)]
    return [" & ".join(above) + rf" \\{rules}", _line(names)]


def escape(text: str) -> str:
    """Return text that LaTeX prints as it is; a letter that pdflatex may not know becomes a question mark."""
    known = "".join(SPECIAL.get(letter, letter) for letter in text)
    return re.sub(r"[^\x00-\xff]", "?", known)


def _board_row(row: Row, columns: Sequence[Column]) -> list[Written]:
    bold = row.rank == 1
    return [Written(cell_text(c, row), bold and c.format in ("label", "score")) for c in columns]


def _table(
    align: str,
    heading: Sequence[str],
    parts: Iterable[Sequence[Sequence[Written]]],
    caption: str,
    notes: Iterable[str],
    label: str,
) -> str:
    name = re.sub(r"[^a-z0-9=.]+", "-", label.lower()).strip("-")
    body = "\n\\midrule\n".join("\n".join(map(_line, rows)) for rows in parts if rows)
    lines = [
        PREAMBLE,
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{escape(caption)}}}",
        rf"\label{{tab:{name}}}",
        rf"\begin{{tabular}}{{{align}}}",
        r"\toprule",
        *heading,
        r"\midrule",
        body,
        r"\bottomrule",
        r"\end{tabular}",
        *(rf"\par\smallskip{{\footnotesize {escape(note)}\par}}" for note in notes),
        r"\end{table}",
    ]
    return "\n".join(line for line in lines if line) + "\n"


def _line(cells: Sequence[Written]) -> str:
    return " & ".join(_cell(cell) for cell in cells) + r" \\"


def _cell(cell: Written) -> str:
    text = escape(cell.text)
    return rf"\textbf{{{text}}}" if cell.bold else text
