"""Records to rows of a results file, and back; a row that is not what was written is an error."""

import json
import math
from typing import Any

from ..contracts.fingerprint import canonical
from .cell import Cell
from .fields import known_fields
from .record import FINAL, Record, pack, unpack
from .row import DamagedRow, Row, digest_of

_DETAILS = (
    "reference", "alone", "seconds", "solves", "peak_bytes", "curve", "data_digest", "provenance", "error",
    "started", "finished", "predicted_worst_sum", "optimal_sum", "group_size", "test_rows",
)  # fmt: skip


def to_row(record: Record) -> Row:
    """Return a record as a row."""
    cell, final = record.cell, record.status in FINAL
    facts = canonical(record.environment)
    return Row(
        key=record.key,
        problem=cell.problem,
        method=cell.method,
        protocol=cell.protocol if final else None,
        seed=cell.seed if final else None,
        status=record.status,
        normalized_regret=record.normalized_regret if final else None,
        cell=canonical(cell),
        regret=pack(record.regret) if final else None,
        worst=pack(record.worst_regret) if final else None,
        details=canonical({name: getattr(record, name) for name in _DETAILS}),
        environment=digest_of(facts),
        facts=facts,
        attempts=record.attempts,
        checksum="",
    ).sealed()


def from_row(row: Row) -> Record:
    """Return the record of a row; a row that is not what was written is an error."""
    try:
        if row.facts is None or digest_of(row.facts) != row.environment:
            raise ValueError("its environment is missing or another one")
        if row.checksum != row.content_checksum():
            raise ValueError("its checksum does not match its content")
        details = known_fields(Record, json.loads(row.details))
        record = Record(
            **{name: details[name] for name in _DETAILS if name in details}
            | {"curve": tuple(map(tuple, details.get("curve", ())))},
            cell=_to_cell(json.loads(row.cell)),
            status=row.status,  # type: ignore[arg-type]
            regret=unpack(row.regret),
            worst_regret=unpack(row.worst),
            environment=json.loads(row.facts),
            attempts=row.attempts,
        )
        _compare(row, record)
    except Exception as error:  # damaged bytes can raise anything in json, zlib and NumPy
        raise DamagedRow(row.key, error) from error
    return record


def _to_cell(values: Any) -> Cell:
    kept = known_fields(Cell, values)
    return Cell(**kept | {"method_changes": tuple(kept.get("method_changes", ()))})


def _compare(row: Row, record: Record) -> None:
    """Compare the columns that the file is searched by with the record they were made from."""
    if record.key != row.key:
        raise ValueError("its key is not that of its content: it was changed, or a newer release wrote it")
    cell = record.cell
    columns: dict[str, Any] = {"problem": cell.problem, "method": cell.method}
    if row.is_final:
        columns |= {"protocol": cell.protocol, "seed": cell.seed}
        score = record.normalized_regret
        if record.status == "ok" and score is None:
            raise ValueError("its regrets or its worst regrets are missing")
        if not _same_score(row.normalized_regret, score):
            raise ValueError(f"its column normalized_regret is {row.normalized_regret!r}, not its score")
    elif type(row.attempts) is not int:
        raise TypeError(f"its column attempts is {row.attempts!r}, not a number")
    for name, value in columns.items():
        found = getattr(row, name)
        if type(found) is not type(value) or found != value:
            raise ValueError(f"its column {name} is {found!r}, its content says {value!r}")


def _same_score(column: Any, score: float | None) -> bool:
    """Whether a column is the score; processors add in another order, and SQLite keeps no NaN."""
    if score is None or math.isnan(score):
        return column is None
    return type(column) in (float, int) and math.isclose(column, score, rel_tol=1e-9, abs_tol=1e-12)
