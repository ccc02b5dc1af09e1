"""Every cell in a few bytes: names once, numbers in rows; the page's script makes the table of it."""

from collections.abc import Iterable
from typing import Any

from ...results.boards import Board


def compact(boards: Iterable[Board]) -> dict[str, Any]:
    """Return `groups` (names), `cells` [group, seed, status, regret, seconds, key, reason] and `reasons`."""
    groups: list[list[str]] = []
    cells: list[list[Any]] = []
    reasons: dict[str, int] = {"": 0}
    for board in boards:
        for row in (*board.rows, *board.references):
            problem = f"{board.problem} {board.settings}".strip()
            groups.append([problem, row.label, board.protocol, board.device])
            for record in row.records:
                reason = reasons.setdefault(record.error.partition("\n")[0], len(reasons))
                score = record.normalized_regret
                cells.append(
                    [
                        len(groups) - 1,
                        record.cell.seed,
                        record.status,
                        None if score is None else float(f"{score:.6g}"),
                        float(f"{record.total_seconds:.4g}"),
                        record.key,
                        reason,
                    ]
                )
    return {"groups": groups, "cells": cells, "reasons": list(reasons)}
