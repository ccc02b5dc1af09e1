"""The tables of a results file, and how an older file is brought up to date."""

import sqlite3
from collections.abc import Callable, Sequence

from ..errors import StoreError
from .upgrade import upgrade_rows

# Marks a SQLite file as ours: "dflb" in ASCII. Another program's database is refused, not filled.
APPLICATION_ID = 0x64666C62

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
)


def migrate(connection: sqlite3.Connection, name: str, migrations: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring a file to the newest version, all steps in one transaction; refuse newer and foreign files."""
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
    """Return the version of a file this code can use, or say why it cannot."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    (owner,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if owner not in (0, APPLICATION_ID) or (owner == 0 and tables):
        raise StoreError(f"{name} is a database of another program; choose another --store.")
    if found > len(migrations):
        raise StoreError(
            f"{name} has schema {found}, this version reads up to {len(migrations)}; "
            "upgrade dfl-bench or use another --store."
        )
    return int(found)
