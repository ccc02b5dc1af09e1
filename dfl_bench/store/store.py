"""One SQLite file of records: safe against kill -9 and against two runs at once.

Results are insert-or-ignore on the cell's key, so that a score, once there, stays. Failures are a table of
their own: counted, shown, tried again by the next run, and never in the way of a later success.
"""

import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from ..contracts.fingerprint import canonical, fingerprint
from ..errors import StoreError
from . import schema
from .connection import explain, in_memory, open_to_read, open_to_write
from .record import FINAL, Record
from .sql import SELECT, DamagedRow, from_row, to_rows

BYTES_A_CELL = 32_768  # 400 test instances take about 5 kB, with curve and log pages to spare


class Store:
    """Records by key. Only the process that drives a run writes; readers may look at any time."""

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        self.path = Path(path)
        with self._explained():
            self._db = open_to_read(self.path) if readonly else open_to_write(self.path)
            try:
                if readonly and schema.check(self._db, str(path)) < len(schema.MIGRATIONS):
                    self._db = in_memory(self._db)
                schema.migrate(self._db, str(path))
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back; what was added is already on disk."""
        self._db.close()

    def begin(self, cells: int) -> None:
        """Note the start of a run, which shows before any work that the file takes writes and has room."""
        free = shutil.disk_usage(self.path.resolve().parent).free
        if free < cells * BYTES_A_CELL:
            raise StoreError(
                f"{self.path} needs about {cells * BYTES_A_CELL / 2**20:.1f} MiB for {cells} cells and has "
                f"{free / 2**20:.1f} MiB of disk; free some or use another --store."
            )
        with self._writing():
            self._db.execute("INSERT INTO runs (started, cells) VALUES (?, ?)", (now(), cells))

    def add(self, *records: Record, replace: bool = False) -> int:
        """Keep records, all or none; return how many results were not there before.

        Args:
            *records: what to keep.
            replace: whether a new result takes the place of one that is there.
        """
        with self._writing():
            if replace:
                final = [(record.key,) for record in records if record.status in FINAL]
                self._db.executemany("DELETE FROM results WHERE key = ?", final)
            written = 0
            for record in records:
                facts = canonical(record.environment)
                digest = fingerprint(record.environment)
                self._db.execute("INSERT OR IGNORE INTO environments VALUES (?, ?)", (digest, facts))
                for statement in to_rows(record, digest):
                    inserted = self._db.execute(*statement).rowcount
                written += inserted if record.status in FINAL else 0
        return written

    def has(self, keys: Iterable[str]) -> set[str]:
        """Return those of some keys that have a result."""
        wanted = set(keys)
        with self._explained():
            return {key for (key,) in self._db.execute("SELECT key FROM results") if key in wanted}

    def get(self, key: str) -> Record | None:
        """Return the result of a key, else its failure, else None."""
        for table in ("results", "failures"):
            for record in self._select(table, "key = ?", key):
                return record
        return None

    def find(self, prefix: str) -> Record:
        """Return the one record whose key begins with some hex digits."""
        found = {
            r.key: r for t in ("failures", "results") for r in self._select(t, "key GLOB ?", f"{prefix}*")
        }
        if len(found) != 1:
            matches = "several cells" if found else "no cell"
            raise StoreError(f"{self.path} has {matches} whose key begins with {prefix!r}; expected one.")
        return next(iter(found.values()))

    def records(self, *, problem: str | None = None, method: str | None = None) -> list[Record]:
        """Return the results ("ok" and "n/a"), in the order they came."""
        return list(self._filtered("results", problem, method))

    def failures(self, *, problem: str | None = None, method: str | None = None) -> list[Record]:
        """Return the cells that failed and have not succeeded since."""
        failed = list(self._filtered("failures", problem, method))
        succeeded = self.has(record.key for record in failed)
        return [record for record in failed if record.key not in succeeded]

    def merge(self, other: "Store") -> int:
        """Take over the records of another store; return how many results were new."""
        known = {record.key for record in self.failures()}
        failures = [record for record in other.failures() if record.key not in known]
        return self.add(*other.records(), *failures)

    def _filtered(self, table: str, problem: str | None, method: str | None) -> Iterator[Record]:
        wanted = {"problem": problem, "method": method}
        given = {name: value for name, value in wanted.items() if value is not None}
        where = " AND ".join([f"{name} = ?" for name in given]) or "1"
        return self._select(table, where, *given.values())

    def _select(self, table: str, where: str, *values: str) -> Iterator[Record]:
        with self._explained():
            rows = self._db.execute(
                f"{SELECT[table]} WHERE {where} ORDER BY {table}.rowid", values
            ).fetchall()
        return map(self._record, rows)

    def _record(self, row: tuple[Any, ...]) -> Record:
        try:
            return from_row(row)
        except DamagedRow as reason:
            raise StoreError(
                f"{self.path}: the record {row[0]!r} is damaged: {reason}. "
                f"`dfl-bench store check {self.path}` lists all such records, `store repair` removes them."
            ) from reason

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(explain(self.path, error)) from error


def now() -> str:
    """Return the time as records keep it: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
