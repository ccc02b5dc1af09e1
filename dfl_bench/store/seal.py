"""What a results file should hold: how many rows, and one digest of them all.

A checksum tells that a row has changed. It cannot tell that a row is gone, so the file keeps the number of
rows of each table and the exclusive or of their checksums, both written in the transaction that writes rows.
The order of writes does not matter, and the operation that puts a row in also takes it out.
"""

import hashlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from .header import DamagedFile

TABLES = ("results", "failures")


@dataclass(frozen=True, slots=True)
class Seal:
    """The number of rows and the digest of their checksums."""

    rows: int = 0
    digest: int = 0

    @property
    def text(self) -> str:
        """The digest as it is written down."""
        return f"{self.digest:016x}"

    def plus(self, checksum: str) -> "Seal":
        """Return the seal with one more row."""
        return Seal(self.rows + 1, self.digest ^ _number(checksum))

    def minus(self, checksum: str) -> "Seal":
        """Return the seal without a row."""
        return Seal(self.rows - 1, self.digest ^ _number(checksum))


def seal_of(checksums: Iterable[str]) -> Seal:
    """Return the seal of rows with some checksums."""
    seal = Seal()
    for checksum in checksums:
        seal = seal.plus(checksum)
    return seal


def read_seal(db: sqlite3.Connection, table: str) -> Seal:
    """Return what was written down about a table."""
    rows = db.execute("SELECT name, rows, digest FROM seals NOT INDEXED").fetchall()
    for name, count, digest in rows:
        if name == table and type(count) is int:
            try:
                return Seal(count, int(digest, 16))
            except (TypeError, ValueError):
                break
    raise DamagedFile(f"it does not say how many {table} it should have")


def write_seal(db: sqlite3.Connection, table: str, seal: Seal) -> None:
    """Write down what a table holds now.

    Args:
        db: an open results file.
        table: one of TABLES.
        seal: the rows and the digest to write.
    """
    db.execute("UPDATE seals SET rows = ?, digest = ? WHERE name = ?", (seal.rows, seal.text, table))


def require_seal(db: sqlite3.Connection, table: str, checksums: Iterable[str]) -> None:
    """Refuse a table whose rows are not those that were written.

    Args:
        db: an open results file.
        table: one of TABLES.
        checksums: the checksums of the rows that were found.
    """
    written, found = read_seal(db, table), seal_of(checksums)
    if reason := difference(table, written, found):
        raise DamagedFile(reason)


def difference(table: str, written: Seal, found: Seal) -> str:
    """Say how a table differs from what was written, "" when it does not.

    Args:
        table: one of TABLES.
        written: the seal in the file.
        found: the seal of the rows that were found.
    """
    if found.rows < written.rows:
        return f"{written.rows - found.rows} of {written.rows} {table} are gone"
    if found.rows > written.rows:
        return f"{found.rows - written.rows} {table} are there that were not written by dfl-bench"
    return f"some of its {table} are not those that were written" if found != written else ""


def _number(checksum: str) -> int:
    data = str(checksum).encode(errors="surrogateescape")
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")
