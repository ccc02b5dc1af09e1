"""Open a results file for writing or reading."""

import sqlite3
import threading
import weakref
from contextlib import closing
from pathlib import Path
from typing import Any

from ..errors import StoreError
from .explain import BUSY_SECONDS
from .header import DamagedFile, beside, require_ours


class Connection(sqlite3.Connection):
    """A connection that knows its file."""

    file: Path | None = None

    def close(self) -> None:
        """Give the file back."""
        _open_here.discard(self)
        super().close()


# Reading the bytes of a file that this process has open would take away the locks SQLite has on it.
_open_here: "weakref.WeakSet[Connection]" = weakref.WeakSet()
_opening = threading.RLock()


def open_to_write(path: Path) -> Connection:
    """Open or make a file; the caller checks its tables before `allow_readers` changes anything."""
    folder = path.resolve().parent
    if folder.parent.is_dir():
        folder.mkdir(exist_ok=True)
    if not folder.is_dir():
        raise StoreError(f"no folder {folder} for {path.name}; make it or use another --store.")
    db = _inspect_and_connect(path, str(path))
    db.execute("PRAGMA synchronous = FULL")
    return db


def allow_readers(db: sqlite3.Connection) -> None:
    """Let others read a file while it is written."""
    db.execute("PRAGMA journal_mode = WAL")


def open_to_read(path: Path, *, strict: bool = True) -> Connection:
    """Open an existing file without changing it.

    Args:
        path: the file.
        strict: whether its first bytes are looked at before SQLite does; else SQLite reads what it can.
    """
    if not path.is_file():
        raise StoreError(f"no results file {path}; run `dfl-bench run --store {path}` first or name another.")
    if path.stat().st_size == 0:
        raise DamagedFile("it has zero bytes; it was cut short, or nothing has been written to it yet")
    uri = path.resolve().as_uri()
    db = _inspect_and_connect(path, f"{uri}?mode=ro", strict=strict)
    try:
        db.execute("SELECT count(*) FROM sqlite_master")
    except sqlite3.OperationalError:
        db.close()
        # In a folder we may not write to, SQLite cannot make its lock files; a file nobody writes needs none.
        if beside(path, "-wal").exists():
            raise
        db = _connect(f"{uri}?immutable=1")
    return db


def in_memory(db: sqlite3.Connection) -> Connection:
    """Copy an older file that may not be changed, so that it can be read after migration."""
    copy = _connect(":memory:")
    with closing(db):
        db.backup(copy)
    return copy


def _inspect_and_connect(path: Path, name: str, *, strict: bool = True) -> Connection:
    with _opening:
        is_open = any(db.file == path.resolve() for db in _open_here)
        if strict and path.is_file() and not is_open:
            require_ours(path)
        db = _connect(name, timeout=BUSY_SECONDS)
        db.file = path.resolve()
        _open_here.add(db)
    return db


def _connect(name: str, **options: Any) -> Connection:
    is_uri = name.startswith("file:")
    db = sqlite3.connect(name, isolation_level=None, factory=Connection, uri=is_uri, **options)
    # Damaged text can still be read, so that its record can be named; the checksum tells that it is damaged.
    db.text_factory = lambda data: data.decode(errors="surrogateescape")
    db.execute("PRAGMA cell_size_check = ON")
    return db
