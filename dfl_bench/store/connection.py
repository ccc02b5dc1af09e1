"""Open a results file for writing or reading, and say in words what goes wrong."""

import sqlite3
from contextlib import closing
from pathlib import Path

from ..errors import StoreError

BUSY_SECONDS = 60.0


def open_to_write(path: Path) -> sqlite3.Connection:
    """Open or make a file that readers can look at while it is written."""
    folder = path.resolve().parent
    if folder.parent.is_dir():
        folder.mkdir(exist_ok=True)
    if not folder.is_dir():
        raise StoreError(f"no folder {folder} for {path.name}; make it or use another --store.")
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    return db


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open an existing file without changing it."""
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


def in_memory(db: sqlite3.Connection) -> sqlite3.Connection:
    """Copy an older file that may not be changed, so that it can be read after migration."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    with closing(db):
        db.backup(copy)
    return copy


def explain(path: Path, error: sqlite3.Error) -> str:
    """Return what is wrong with a file and what to do about it."""
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
