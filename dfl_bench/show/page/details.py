"""What the page says about a row to whoever asks: its settings and its cost; and about its method."""

from collections.abc import Iterable, Sequence
from typing import Any, TypedDict

from ... import methods
from ...contracts.fingerprint import canonical
from ...contracts.registry import Entry
from ...results.boards import Board, Row
from ..format import quantity, score, seconds

Fact = list[str | bool]


class Details(TypedDict):
    """What the script of the page reads."""

    boards: list[str]
    rows: list[dict[str, Any]]
    methods: dict[str, dict[str, str]]
    light: dict[str, str]  # the colours of figures that are saved


def numbered(boards: Sequence[Board]) -> dict[int, int]:
    """Return the number of every row by id: how markup and script speak of it."""
    rows = [row for board in boards for row in board.all_rows]
    return {id(row): number for number, row in enumerate(rows)}


def details(boards: Sequence[Board], methods_page: str, light: dict[str, str]) -> Details:
    """Return what is known of all rows, in the order of their numbers.

    Args:
        boards: the boards of the page.
        methods_page: address of the document about methods, "" without one.
        light: the colours of the light scheme.
    """
    return Details(
        boards=[board.title for board in boards],
        rows=[_row(row, i) for i, board in enumerate(boards) for row in board.all_rows],
        methods=about({row.method for board in boards for row in board.all_rows}, methods_page),
        light=light,
    )


def about(names: Iterable[str], methods_page: str) -> dict[str, dict[str, str]]:
    """Return family, summary and address of each method; without a document, that of its line on the page.

    Args:
        names: of methods, some of which may be unknown here.
        methods_page: address of the document about methods, with an anchor for each.
    """
    known, found = methods.entries(), {}
    for name in sorted(names):
        entry = known.get(name)
        page = f"{methods_page}#{name}" if methods_page and _is_documented(entry) else f"#method-{name}"
        found[name] = {
            "family": entry.family if entry else "",
            "summary": entry.summary if entry else "of a plugin that is not loaded here",
            "page": page,
        }
    return found


def _is_documented(entry: Entry | None) -> bool:
    """Whether the document about methods has a section for it: not for plugins and reference policies."""
    return entry is not None and entry.source.startswith("dfl_bench.") and entry.family != "reference"


def _row(row: Row, board: int) -> dict[str, Any]:
    said = [] if row.mean is None else [score(row.mean, row.sem)]
    said += [f"group {row.rank}"] if row.rank else []
    said += [f"a lower mean than {', '.join(row.passed)} of a better group"] if row.passed else []
    return {
        "method": row.method,
        "label": row.label,
        "board": board,
        "score": ", ".join(said),
        "settings": [_setting(row, name) for name in row.config],
        "cost": [
            [phase, f"{seconds(spent)} s, {quantity(row.solves[phase])} solves"]
            for phase, spent in row.seconds.items()
        ],
        "reason": row.reason,
    }


def _setting(row: Row, name: str) -> Fact:
    value = row.config[name]
    return [name, value if isinstance(value, str) else canonical(value), name in row.changes]
