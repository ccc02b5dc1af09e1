"""Read what can still be read of a damaged results file, row by row."""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from .header import SQLITE_FAULTS
from .row import DamagedRow, Row
from .sql import from_row
from .tables import COLUMNS, make_row

_WAYS = (  # to the rows of a table: damage on one leaves the others
    "SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid",
    "SELECT rowid FROM {table} NOT INDEXED ORDER BY rowid DESC",
    "SELECT rowid FROM {table} INDEXED BY sqlite_autoindex_{table}_1",
)
_MOST_ROWS = 10_000_000  # a damaged file can show one page again and again


def salvage(db: sqlite3.Connection, table: str) -> Iterator[Row | DamagedRow]:
    """Yield every row of a table that can be found: as it is, or why it is damaged."""
    environments = dict(_values(db, "environments", "digest, facts"))
    worst = dict(_values(db, "worst_regrets", "id, packed"))
    seen: set[str] = set()
    for rowid, values in _found(db, table, COLUMNS[table]):
        if isinstance(values, Exception):
            yield DamagedRow(f"row {rowid}", f"SQLite says {str(values)!r}")
            continue
        row = make_row(values, environments, worst)
        try:
            from_row(row)
            if row.key in seen:
                raise DamagedRow(row.key, "it is there twice")
        except DamagedRow as reason:
            yield reason
            continue
        seen.add(row.key)
        yield row


def _values(db: sqlite3.Connection, table: str, columns: str) -> Iterator[list[Any]]:
    """The rows that can be read; what is missing shows in the records that need it."""
    return (values for _, values in _found(db, table, columns) if not isinstance(values, Exception))


def _found(db: sqlite3.Connection, table: str, columns: str) -> Iterator[tuple[int, Any]]:
    """The columns of each row by number, or the error that reading them gives."""
    for rowid in sorted(_row_numbers(db, table)):
        try:
            values = db.execute(
                f"SELECT {columns} FROM {table} NOT INDEXED WHERE rowid = ?", (rowid,)
            ).fetchone()
        except SQLITE_FAULTS as error:
            yield rowid, error
            continue
        if values is not None:
            yield rowid, list(values)


def _row_numbers(db: sqlite3.Connection, table: str) -> set[int]:
    found: set[int] = set()
    for way in _WAYS:
        found.update(_until_error(db, way.format(table=table)))
    return found


def _until_error(db: sqlite3.Connection, query: str) -> Iterable[int]:
    try:
        for count, (number,) in enumerate(db.execute(query)):
            if count > _MOST_ROWS:
                return
            if isinstance(number, int):
                yield number
    except SQLITE_FAULTS:  # the rest is found another way, or not at all
        return
