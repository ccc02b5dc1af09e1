"""The tables of a results file, and how an older file is brought up to date."""

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from functools import cache

from ..errors import StoreError
from .header import APPLICATION_ID, DamagedFile
from .upgrade import seal_rows, upgrade_rows

Migration = str | Callable[[sqlite3.Connection], None]

# The step at index i brings a file from version i to i + 1; an empty file has version 0.
MIGRATIONS: tuple[Migration, ...] = (
    """
    CREATE TABLE environments (
        digest TEXT PRIMARY KEY,
        facts TEXT NOT NULL
    );
    CREATE TABLE results (
        key TEXT PRIMARY KEY,
        problem TEXT NOT NULL,
        method TEXT NOT NULL,
        protocol TEXT NOT NULL,
        seed INTEGER NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('ok', 'n/a')),
        normalized_regret REAL,
        cell TEXT NOT NULL,
        regret BLOB,
        worst_regret BLOB,
        details TEXT NOT NULL,
        environment TEXT NOT NULL REFERENCES environments (digest)
    );
    CREATE INDEX results_by_pair ON results (problem, method);
    CREATE TABLE failures (
        key TEXT PRIMARY KEY,
        attempts INTEGER NOT NULL,
        problem TEXT NOT NULL,
        method TEXT NOT NULL,
        status TEXT NOT NULL CHECK (status IN ('failed', 'timeout')),
        cell TEXT NOT NULL,
        details TEXT NOT NULL,
        environment TEXT NOT NULL REFERENCES environments (digest)
    );
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        started TEXT NOT NULL,
        cells INTEGER NOT NULL
    );
    """,
    # The worst regrets are those of the test set, the same for every method: a third of a file, kept once.
    """
    CREATE TABLE worst_regrets (
        id INTEGER PRIMARY KEY,
        packed BLOB NOT NULL UNIQUE
    );
    INSERT INTO worst_regrets (packed)
        SELECT DISTINCT worst_regret FROM results WHERE worst_regret IS NOT NULL;
    ALTER TABLE results ADD COLUMN worst INTEGER REFERENCES worst_regrets (id);
    UPDATE results SET worst = (SELECT id FROM worst_regrets WHERE packed = worst_regret);
    ALTER TABLE results DROP COLUMN worst_regret;
    """,
    """
    ALTER TABLE results ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
    ALTER TABLE failures ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
    """,
    upgrade_rows,
    # What the file should hold, see `seal`.
    """
    CREATE TABLE seals (
        name TEXT PRIMARY KEY,
        rows INTEGER NOT NULL,
        digest TEXT NOT NULL
    );
    """,
    seal_rows,
)


def migrate(connection: sqlite3.Connection, name: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a file to the newest version, all steps in one transaction; refuse newer and foreign files.

    Args:
        connection: the file.
        name: its name, for messages.
        migrations: the steps.
    """
    if check(connection, name, migrations) == len(migrations):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have migrated between the check and the lock.
        found = check(connection, name, migrations)
        for step in migrations[found:]:
            if isinstance(step, str):
                for statement in step.split(";"):
                    connection.execute(statement)
            else:
                step(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {len(migrations)}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def check(connection: sqlite3.Connection, name: str, migrations: Sequence[Migration] = MIGRATIONS) -> int:
    """Return the version of a file this code can use, or say why it cannot.

    Args:
        connection: the file.
        name: its name, for messages.
        migrations: the steps that this code knows.
    """
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if owner not in (0, APPLICATION_ID) or (owner == 0 and tables):
        raise StoreError(f"{name} is a database of another program; choose another --store.")
    if found < 0 or (found == 0) != (tables == 0):
        raise DamagedFile(f"it says that it has schema {found}, and it has {tables} tables and indices")
    if found > len(migrations):
        raise StoreError(
            f"{name} has schema {found}, this version reads up to {len(migrations)}; "
            "upgrade dfl-bench or use another --store."
        )
    return int(found)


def require_tables(connection: sqlite3.Connection) -> None:
    """Refuse a file whose tables or columns are not those of the newest version."""
    found, expected = _structure(connection), _expected()
    if missing := expected.keys() - found.keys():
        raise DamagedFile(f"it lacks the {_listed(missing)}")
    if extra := found.keys() - expected.keys():
        raise DamagedFile(f"it has the {_listed(extra)}, which dfl-bench did not make")
    for name, columns in expected.items():
        if found[name] != columns:
            raise DamagedFile(f"the {_listed([name])} has other columns than dfl-bench gave it")


_Structure = dict[tuple[str, str], list[tuple[object, ...]]]  # columns by kind and name


def _structure(connection: sqlite3.Connection) -> _Structure:
    """The tables and indices of a file, without those that SQLite makes for itself."""
    query = "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite@_%' ESCAPE '@'"
    info = {"table": "table_info", "index": "index_info"}
    return {
        (kind, name): connection.execute(
            f"SELECT * FROM pragma_{info.get(kind, 'table_info')}(?)", (name,)
        ).fetchall()
        for kind, name in connection.execute(query).fetchall()
    }


@cache
def _expected() -> _Structure:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as fresh:
        migrate(fresh, "")
        return _structure(fresh)


def _listed(names: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{kind} {name!r}" for kind, name in sorted(names))
