"""Records as rows of a results file, and back."""

import json
from typing import Any

from .cell import Cell
from .fingerprint import canonical
from .record import FINAL, Record, pack, unpack

_DETAILS = (
    "group", "reference", "alone", "seconds", "solves", "peak_bytes", "curve", "data_digest", "provenance",
    "error", "started", "finished",
)  # fmt: skip
_RESULT = (
    "INSERT OR IGNORE INTO results (key, problem, method, protocol, seed, status, normalized_regret, "
    "cell, regret, worst_regret, details, environment) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)"
)
_FAILURE = (
    "INSERT INTO failures (key, attempts, problem, method, status, cell, details, environment) "
    "VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET attempts = attempts + excluded.attempts, "
    "status = excluded.status, details = excluded.details, environment = excluded.environment"
)


def to_row(record: Record, environment: str) -> tuple[str, tuple[Any, ...]]:
    """Return the statement and the values that keep a record."""
    cell = canonical(record.cell)
    details = canonical({name: getattr(record, name) for name in _DETAILS})
    named = (record.cell.problem, record.cell.method)
    if record.status in FINAL:
        score = (record.status, record.normalized_regret)
        arrays = (pack(record.regret), pack(record.worst_regret))
        names = (record.key, *named, record.cell.protocol, record.cell.seed)
        return _RESULT, (*names, *score, cell, *arrays, details, environment)
    return _FAILURE, (record.key, record.attempts, *named, record.status, cell, details, environment)


def from_row(row: tuple[Any, ...]) -> Record:
    """Return the record of (status, cell, details, facts, regret, worst_regret, attempts)."""
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
