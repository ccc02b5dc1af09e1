"""Rows into the tables of a results file, and out of them.

Rows are read through the tables themselves: a damaged index could leave some out without a word.
"""

import sqlite3
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from .header import DamagedFile
from .row import Row
from .seal import Seal, read_seal, write_seal

COLUMNS = {
    "results": "key, problem, method, protocol, seed, status, normalized_regret, cell, regret, worst, "
    "details, environment, 1, checksum",
    "failures": "key, problem, method, NULL, NULL, status, NULL, cell, NULL, NULL, details, "
    "environment, attempts, checksum",
}
_RESULT = (
    "INSERT INTO results (key, problem, method, protocol, seed, status, normalized_regret, cell, regret, "
    "worst, details, environment, checksum) "
    "VALUES (?,?,?,?,?,?,?,?,?,(SELECT id FROM worst_regrets WHERE packed = ?),?,?,?) "
    "ON CONFLICT (key) DO NOTHING"
)
_FAILURE = (
    "INSERT OR REPLACE INTO failures "
    "(rowid, key, attempts, problem, method, status, cell, details, environment, checksum) "
    "VALUES ((SELECT rowid FROM failures WHERE key = ?),?,?,?,?,?,?,?,?,?)"
)


def read_rows(db: sqlite3.Connection, table: str) -> list[Row]:
    """Return the rows of a table in the order they were written."""
    environments, worst = read_shared(db)
    # A damaged file can show one page again and again: what is written down says when to stop.
    limit = read_seal(db, table).rows + 1
    query = f"SELECT rowid, {COLUMNS[table]} FROM {table} NOT INDEXED ORDER BY rowid"
    found = db.execute(query).fetchmany(limit)
    order = [rowid for rowid, *_ in found]
    if any(later <= earlier for earlier, later in pairwise(order)):
        raise DamagedFile(f"its {table} are not in their order")
    keys = {key for _, key, *_ in found}
    if len(keys) < len(found) or keys.symmetric_difference(read_keys(db, table)):
        raise DamagedFile(f"the keys of its {table} and their index differ")
    return [make_row(values, environments, worst) for _, *values in found]


def read_keys(db: sqlite3.Connection, table: str) -> set[str]:
    """Return the keys of a table from its index, which is quick; `read_rows` tells whether it is right."""
    return {key for (key,) in db.execute(f"SELECT key FROM {table} INDEXED BY sqlite_autoindex_{table}_1")}


def read_shared(db: sqlite3.Connection) -> tuple[dict[Any, str], dict[Any, bytes]]:
    """Return what rows share: the facts of environments by digest, and packed worst regrets by number."""
    environments = dict(db.execute("SELECT digest, facts FROM environments NOT INDEXED"))
    return environments, dict(db.execute("SELECT id, packed FROM worst_regrets NOT INDEXED"))


def make_row(values: list[Any], environments: dict[Any, str], worst: dict[Any, bytes]) -> Row:
    """Return a row from the columns of its table and what it shares with others.

    Args:
        values: the columns, in the order of `COLUMNS`.
        environments: the facts by digest.
        worst: the packed worst regrets by number.
    """
    *before, number, details, environment, attempts, checksum = values
    facts = environments.get(environment)
    return Row._make((*before, worst.get(number), details, environment, facts, attempts, checksum))


def write_rows(db: sqlite3.Connection, rows: Iterable[Row], *, replace: bool = False) -> int:
    """Keep rows, inside a transaction; return how many results were not there before.

    Args:
        db: the file.
        rows: what to keep; a failure that is there already is counted on.
        replace: whether a result takes the place of one that is there.
    """
    results, failures, new = read_seal(db, "results"), read_seal(db, "failures"), 0
    for row in rows:
        db.execute("INSERT OR IGNORE INTO environments VALUES (?, ?)", (row.environment, row.facts))
        if row.is_final:
            if replace:
                results = _without(db, row, results)
            inserted = _write_result(db, row)
            results = results.plus(row.checksum) if inserted else results
            new += inserted
        else:
            failures = _write_failure(db, row, failures)
    write_seal(db, "results", results)
    write_seal(db, "failures", failures)
    return new


def _without(db: sqlite3.Connection, row: Row, seal: Seal) -> Seal:
    for (checksum,) in db.execute(
        "DELETE FROM results WHERE key = ? RETURNING checksum", (row.key,)
    ).fetchall():
        seal = seal.minus(checksum)
    return seal


def _write_result(db: sqlite3.Connection, row: Row) -> int:
    if row.worst is not None:
        db.execute("INSERT OR IGNORE INTO worst_regrets (packed) VALUES (?)", (row.worst,))
    kept = (
        row.key,
        row.problem,
        row.method,
        row.protocol,
        row.seed,
        row.status,
        row.normalized_regret,
        row.cell,
    )
    values = (*kept, row.regret, row.worst, row.details, row.environment, row.checksum)
    return db.execute(_RESULT, values).rowcount


def _write_failure(db: sqlite3.Connection, row: Row, seal: Seal) -> Seal:
    query = "SELECT attempts, checksum FROM failures WHERE key = ?"
    for attempts, checksum in db.execute(query, (row.key,)).fetchall():
        seal, row = seal.minus(checksum), row._replace(attempts=row.attempts + attempts).sealed()
    kept = (
        row.key,
        row.attempts,
        row.problem,
        row.method,
        row.status,
        row.cell,
        row.details,
        row.environment,
    )
    db.execute(_FAILURE, (row.key, *kept, row.checksum))
    return seal.plus(row.checksum)
