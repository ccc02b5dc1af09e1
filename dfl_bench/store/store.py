"""One SQLite file of records: safe against kill -9 and against two runs at once.

Results are insert-or-ignore on the cell's key, so that a score, once there, stays. Failures are a table of
their own: counted, shown, tried again by the next run, and never in the way of a later success.
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from ..errors import StoreError
from . import schema
from .connection import allow_readers, in_memory, open_to_read, open_to_write
from .explain import explained
from .record import Record
from .row import Row
from .seal import require_seal
from .sql import from_row, to_row
from .tables import read_keys, read_rows, write_rows

BYTES_A_CELL = 32_768  # 400 test instances take about 5 kB, with curve and log pages to spare


class Store:
    """Records by key. Only the process that drives a run writes; readers may look at any time."""

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        self.path = Path(path)
        self._is_whole = False  # its results have been read and are what was written
        with explained(self.path):
            self._db = open_to_read(self.path) if readonly else open_to_write(self.path)
            try:
                if schema.check(self._db, str(path)) < len(schema.MIGRATIONS):
                    self._db = in_memory(self._db) if readonly else self._db
                    schema.migrate(self._db, str(path))
                schema.require_tables(self._db)
                if not readonly:
                    allow_readers(self._db)
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
        return self.add_rows([to_row(record) for record in records], replace=replace)

    def has(self, keys: Iterable[str]) -> set[str]:
        """Return those of some keys that have a result."""
        wanted = set(keys)
        if not self._is_whole:
            self._read("results")
        with self._reading():
            return wanted.intersection(read_keys(self._db, "results"))

    def get(self, key: str) -> Record | None:
        """Return the result of a key, else its failure, else None."""
        for record in (*self.records(), *self._read("failures")):
            if record.key == key:
                return record
        return None

    def find(self, prefix: str) -> Record:
        """Return the one record whose key begins with some hex digits."""
        every = (*self._read("failures"), *self.records())
        found = {record.key: record for record in every if record.key.startswith(prefix)}
        if len(found) != 1:
            matches = "several cells" if found else "no cell"
            raise StoreError(f"{self.path} has {matches} whose key begins with {prefix!r}; expected one.")
        return next(iter(found.values()))

    def records(self, *, problem: str | None = None, method: str | None = None) -> list[Record]:
        """Return the results ("ok" and "n/a"), in the order they came."""
        return [record for record in self._read("results") if _is_of(record, problem, method)]

    def failures(self, *, problem: str | None = None, method: str | None = None) -> list[Record]:
        """Return the cells that failed and have not succeeded since."""
        failed = [record for record in self._read("failures") if _is_of(record, problem, method)]
        succeeded = self.has(record.key for record in failed)
        return [record for record in failed if record.key not in succeeded]

    def merge(self, other: "Store") -> int:
        """Take over the records of another store; return how many results were new."""
        known = {record.key for record in self.failures()}
        results, failures = other._rows("results"), other._rows("failures")
        known.update(row.key for row in results)
        return self.add_rows([*results, *(row for row in failures if row.key not in known)])

    def _read(self, table: str) -> list[Record]:
        """Return all records of a table; whichever are wanted, a damaged or missing one is an error."""
        with self._reading():
            rows = read_rows(self._db, table)
            records = [from_row(row) for row in rows]
            require_seal(self._db, table, (row.checksum for row in rows))
        self._is_whole |= table == "results"
        return records

    def _rows(self, table: str) -> list[Row]:
        """Return the rows of a table, so that fields of a newer release stay in them."""
        self._read(table)
        with self._reading():
            return read_rows(self._db, table)

    def add_rows(self, rows: Iterable[Row], *, replace: bool = False) -> int:
        """Keep records that are rows already, see `add`.

        Args:
            rows: what to keep.
            replace: whether a new result takes the place of one that is there.
        """
        with self._writing():
            return write_rows(self._db, rows, replace=replace)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with explained(self.path):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Read everything from one moment, whatever another process writes meanwhile."""
        with explained(self.path):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")


def _is_of(record: Record, problem: str | None, method: str | None) -> bool:
    """Whether a record is of a problem and a method, where they are given."""
    return problem in (None, record.cell.problem) and method in (None, record.cell.method)


def now() -> str:
    """Return the time as records keep it: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
