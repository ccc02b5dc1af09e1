"""One SQLite file of records: safe against kill -9 and against two runs at once.

Results are insert-or-ignore on the cell's key, so that a score, once there, stays. Failures are a table of
their own: counted, shown, tried again by the next run, and never in the way of a later success.
"""

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from . import schema
from .cell import Cell
from .errors import StoreError
from .fingerprint import canonical, fingerprint
from .record import FINAL, Record, pack, unpack

BUSY_SECONDS = 60.0
BYTES_A_CELL = 32_768  # 400 test instances take about 7 kB, with curve and log pages to spare

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


class Store:
    """Records by key. Only the process that drives a run writes; readers may look at any time."""

    def __init__(self, path: str | Path, *, readonly: bool = False) -> None:
        self.path = Path(path)
        with self._explained():
            self._db = _open_to_read(self.path) if readonly else _open_to_write(self.path)
            try:
                if readonly and schema.check(self._db, str(path)) < len(schema.MIGRATIONS):
                    self._db = _in_memory(self._db)
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

    def add(self, *records: Record) -> int:
        """Keep records, all or none; return how many results were not there before."""
        with self._writing():
            written = 0
            for record in records:
                facts = canonical(record.environment)
                digest = fingerprint(record.environment)
                self._db.execute("INSERT OR IGNORE INTO environments VALUES (?, ?)", (digest, facts))
                inserted = self._db.execute(*_row(record, digest)).rowcount
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
        arrays = "regret, worst_regret, 1" if table == "results" else "NULL, NULL, attempts"
        with self._explained():
            rows = self._db.execute(
                f"SELECT status, cell, details, facts, {arrays} FROM {table} "
                f"JOIN environments ON digest = environment WHERE {where} ORDER BY {table}.rowid",
                values,
            ).fetchall()
        return map(_record, rows)

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
            raise StoreError(_explain(self.path, error)) from error


def now() -> str:
    """Return the time as records keep it: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _open_to_write(path: Path) -> sqlite3.Connection:
    if not path.resolve().parent.is_dir():
        raise StoreError(
            f"no folder {path.resolve().parent} for {path.name}; make it or use another --store."
        )
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    return db


def _open_to_read(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise StoreError(f"no results file {path}; run `dfl-bench run --store {path}` first or name another.")
    uri = path.resolve().as_uri()
    db = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=BUSY_SECONDS)
    try:
        db.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        db.close()
        # In a folder we may not write to, SQLite cannot make its lock files; a file nobody writes needs none.
        if Path(f"{path}-wal").exists():
            raise
        db = sqlite3.connect(f"{uri}?immutable=1", uri=True)
    return db


def _in_memory(db: sqlite3.Connection) -> sqlite3.Connection:
    """Copy an older file that may not be changed, so that it can be read after migration."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with closing(db):
        db.backup(copy)
    return copy


def _explain(path: Path, error: sqlite3.Error) -> str:
    advice = {
        "SQLITE_FULL": "the disk is full; free some space (finished cells are safe) and run again",
        "SQLITE_READONLY": "the file is read-only; make it writable or use another --store",
        "SQLITE_CANTOPEN": "the file cannot be opened for writing; check the folder's permissions",
        "SQLITE_NOTADB": "it is not a results file; use another --store",
        "SQLITE_CORRUPT": "the file is damaged; restore a copy or use another --store",
        "SQLITE_BUSY": f"another run has held the file for {BUSY_SECONDS:.0f} s; try again when it is done",
    }
    name = getattr(error, "sqlite_errorname", "")
    for code, text in advice.items():
        if name.startswith(code):
            return f"{path}: {text} ({error})."
    return f"{path}: {error}; use another --store or a copy."


def _row(record: Record, environment: str) -> tuple[str, tuple[Any, ...]]:
    cell = canonical(record.cell)
    details = canonical({name: getattr(record, name) for name in _DETAILS})
    named = (record.cell.problem, record.cell.method)
    if record.status in FINAL:
        score = (record.status, record.normalized_regret)
        arrays = (pack(record.regret), pack(record.worst_regret))
        names = (record.key, *named, record.cell.protocol, record.cell.seed)
        return _RESULT, (*names, *score, cell, *arrays, details, environment)
    return _FAILURE, (record.key, record.attempts, *named, record.status, cell, details, environment)


def _record(row: tuple[Any, ...]) -> Record:
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
