"""Records as rows of a results file, and back; a checksum says whether a row is still what was written."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from ..contracts.fingerprint import canonical
from .cell import Cell
from .record import FINAL, Record, pack, unpack

_DETAILS = (
    "reference", "alone", "seconds", "solves", "peak_bytes", "curve", "data_digest", "provenance", "error",
    "started", "finished", "predicted_worst_sum", "optimal_sum",
)  # fmt: skip
_RESULT = (
    "INSERT OR IGNORE INTO results (key, problem, method, protocol, seed, status, normalized_regret, "
    "cell, regret, worst, details, environment, checksum) "
    "VALUES (?,?,?,?,?,?,?,?,?,(SELECT id FROM worst_regrets WHERE packed = ?),?,?,?)"
)
SELECT = {
    "results": "SELECT key, status, cell, details, environment, checksum, facts, regret, packed, 1 "
    "FROM results LEFT JOIN environments ON digest = environment LEFT JOIN worst_regrets ON id = worst",
    "failures": "SELECT key, status, cell, details, environment, checksum, facts, NULL, NULL, attempts "
    "FROM failures LEFT JOIN environments ON digest = environment",
}  # the columns `from_row` takes
_WORST = "INSERT OR IGNORE INTO worst_regrets (packed) VALUES (?)"
_FAILURE = (
    "INSERT INTO failures (key, attempts, problem, method, status, cell, details, environment, checksum) "
    "VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET attempts = attempts + excluded.attempts, "
    "status = excluded.status, details = excluded.details, environment = excluded.environment, "
    "checksum = excluded.checksum"
)


class DamagedRow(Exception):
    """A row is not what was written; the message is the reason."""


def to_rows(record: Record, environment: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the statements, with their values, that keep a record; the last one is the record's own."""
    cell = canonical(record.cell)
    details = canonical({name: getattr(record, name) for name in _DETAILS})
    named = (record.cell.problem, record.cell.method)
    regret, worst = pack(record.regret), pack(record.worst_regret)
    digest = checksum(record.key, record.status, cell, details, environment, regret, worst)
    if record.status in FINAL:
        if worst is not None:
            yield _WORST, (worst,)
        names = (record.key, *named, record.cell.protocol, record.cell.seed)
        score = (record.status, record.normalized_regret)
        yield _RESULT, (*names, *score, cell, regret, worst, details, environment, digest)
    else:
        kept = (record.status, cell, details, environment, digest)
        yield _FAILURE, (record.key, record.attempts, *named, *kept)


def from_row(row: tuple[Any, ...]) -> Record:
    """Return the record of a selected row; a row that is not what was written is an error."""
    key, status, cell, details, environment, digest, facts, regret, worst, attempts = row
    try:
        if facts is None:
            raise ValueError("its environment is missing")
        if digest != checksum(key, status, cell, details, environment, regret, worst):
            raise ValueError("its checksum does not match its content")
        kept = known_fields(Record, json.loads(details))
        record = Record(
            **kept | {"curve": tuple(map(tuple, kept.get("curve", ())))},
            cell=to_cell(json.loads(cell)),
            status=status,
            regret=unpack(regret),
            worst_regret=unpack(worst),
            environment=json.loads(facts),
            attempts=attempts,
        )
        if record.key != key:
            raise ValueError("its key is not that of its content")
    except Exception as error:  # damaged bytes can raise anything in json, zlib and NumPy
        raise DamagedRow(f"{error}") from error
    return record


def to_cell(values: Mapping[str, Any]) -> Cell:
    """Return a cell from its plain values."""
    kept = known_fields(Cell, values)
    return Cell(**kept | {"method_changes": tuple(kept.get("method_changes", ()))})


def known_fields(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a class has fields for: a newer release may have written others."""
    names = {f.name for f in fields(cls)}
    return {name: value for name, value in values.items() if name in names}


def checksum(*parts: str | bytes | None) -> str:
    """Return 16 hex digits of the parts of a row, in order."""
    digest = hashlib.sha256()
    for part in parts:
        data = b"\0" if part is None else part if isinstance(part, bytes) else str(part).encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:16]
