"""Records as rows of a results file, and back."""

import json
from collections.abc import Iterator
from typing import Any

from ..contracts.fingerprint import canonical
from .cell import Cell
from .record import FINAL, Record, pack, unpack

_DETAILS = (
    "group", "reference", "alone", "seconds", "solves", "peak_bytes", "curve", "data_digest", "provenance",
    "error", "started", "finished", "predicted_worst_sum",
)  # fmt: skip
_RESULT = (
    "INSERT OR IGNORE INTO results (key, problem, method, protocol, seed, status, normalized_regret, "
    "cell, regret, worst, details, environment) "
    "VALUES (?,?,?,?,?,?,?,?,?,(SELECT id FROM worst_regrets WHERE packed = ?),?,?)"
)
SELECT = {
    "results": "SELECT status, cell, details, facts, regret, packed, 1 FROM results "
    "JOIN environments ON digest = environment LEFT JOIN worst_regrets ON id = worst",
    "failures": "SELECT status, cell, details, facts, NULL, NULL, attempts FROM failures "
    "JOIN environments ON digest = environment",
}  # the columns `from_row` takes
_WORST = "INSERT OR IGNORE INTO worst_regrets (packed) VALUES (?)"
_FAILURE = (
    "INSERT INTO failures (key, attempts, problem, method, status, cell, details, environment) "
    "VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET attempts = attempts + excluded.attempts, "
    "status = excluded.status, details = excluded.details, environment = excluded.environment"
)


def to_rows(record: Record, environment: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the statements, with their values, that keep a record; the last one is the record's own."""
    cell = canonical(record.cell)
    details = canonical({name: getattr(record, name) for name in _DETAILS})
    named = (record.cell.problem, record.cell.method)
    if record.status in FINAL:
        score = (record.status, record.normalized_regret)
        worst = pack(record.worst_regret)
        if worst is not None:
            yield _WORST, (worst,)
        names = (record.key, *named, record.cell.protocol, record.cell.seed)
        yield _RESULT, (*names, *score, cell, pack(record.regret), worst, details, environment)
    else:
        yield _FAILURE, (record.key, record.attempts, *named, record.status, cell, details, environment)


def from_row(row: tuple[Any, ...]) -> Record:
    """Return the record of a selected row."""
    status, cell, details, facts, regret, worst_regret, attempts = row
    kept = json.loads(details)
    return Record(
        **kept | {"group": tuple(kept["group"]), "curve": tuple(map(tuple, kept["curve"]))},
        cell=Cell(**json.loads(cell)),
        status=status,
        regret=unpack(regret),
        worst_regret=unpack(worst_regret),
        environment=json.loads(facts),
        attempts=attempts,
    )
