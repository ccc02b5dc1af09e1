"""The tables of the page as files that it hands out: CSV and LaTeX."""

from collections.abc import Iterable, Mapping

from ...results.boards import Board
from ...results.matrix import Matrix
from ...results.spreadsheet import board_csv, matrix_csv
from ..latex import board_latex, matrix_latex
from .figures.figure import Figure


def file_name(*parts: str) -> str:
    """Return parts as the name of a file without its ending: no spaces, no slashes."""
    text = "-".join(part for part in parts if part)
    return "".join(letter if letter.isalnum() or letter in "-_=." else "-" for letter in text)


def matrix_name(matrix: Matrix) -> str:
    """Return the name of a matrix in files and addresses."""
    return file_name("matrix", matrix.protocol, matrix.device)


def figure_name(figure: Figure) -> str:
    """Return the name of a figure's file, without its ending."""
    place = (figure.problem, figure.settings, figure.protocol, figure.device)
    return file_name(figure.kind, figure.variant, *place)


def board_names(boards: Iterable[Board]) -> dict[int, str]:
    """Return the name of each board by id; boards that differ in their data alone get a number."""
    names: dict[int, str] = {}
    for board in boards:
        name = file_name("board", board.problem, board.settings, board.protocol, board.device)
        taken = sum(other == name or other.startswith(f"{name}-no") for other in names.values())
        names[id(board)] = f"{name}-no{taken + 1}" if taken else name
    return names


def texts(matrices: Iterable[Matrix], boards: Iterable[Board], names: Mapping[int, str]) -> dict[str, str]:
    """Return every file by its name.

    Args:
        matrices: those of the page.
        boards: those of the page.
        names: of the boards, by id.
    """
    files = {}
    for matrix in matrices:
        files[f"{matrix_name(matrix)}.csv"] = matrix_csv(matrix)
        files[f"{matrix_name(matrix)}.tex"] = matrix_latex(matrix)
    for board in boards:
        files[f"{names[id(board)]}.csv"] = board_csv(board)
        files[f"{names[id(board)]}.tex"] = board_latex(board)
    return files
