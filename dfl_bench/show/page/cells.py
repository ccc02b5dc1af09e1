"""Every cell in a few bytes: names once, numbers in rows; the page's script makes the table of it."""

from collections.abc import Iterable
from typing import TypedDict

from ...results.boards import Board
from ...store.record import Record


class Compact(TypedDict):
    """What the script of the page reads."""

    groups: list[list[str]]  # problem, method, protocol, device
    cells: list[list[float | str | None]]  # number of the group, seed, status, regret, seconds, key, reason
    reasons: list[str]


def compact(boards: Iterable[Board]) -> Compact:
    """Return all cells of some boards."""
    made = Compact(groups=[], cells=[], reasons=[])
    reasons: dict[str, int] = {"": 0}
    for board in boards:
        problem = f"{board.problem} {board.settings}".strip()
        for row in board.all_rows:
            for record in row.records:
                reason = reasons.setdefault(record.error.partition("\n")[0], len(reasons))
                made["cells"].append(_cell(record, len(made["groups"]), reason))
            made["groups"].append([problem, row.label, board.protocol, board.device])
    made["reasons"] = list(reasons)
    return made


def _cell(record: Record, group: int, reason: int) -> list[float | str | None]:
    score = record.normalized_regret
    return [
        group,
        record.cell.seed,
        record.status,
        None if score is None else float(f"{score:.6g}"),
        float(f"{record.total_seconds:.4g}"),
        record.key,
        reason,
    ]
