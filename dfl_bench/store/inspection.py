"""Look at a results file and its log before SQLite does, and refuse what is not ours or not whole."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from ..errors import StoreError
from . import wal
from .header import SQLITE_FAULTS, DamagedFile, Header, MisplacedLog, parse_header, read_header

SETTLE_SECONDS = 0.05  # a writer ends what it is at in less; damage stays


def inspect(path: Path) -> str:
    """Refuse, from its bytes alone, a file that is not ours and a log that is damaged or not of this file.

    Returns:
        The name the file has without its log, for comparison with the name it has with it; "" without a log.
    """
    header, log_path = read_header(path), beside(path, "-wal")
    require_ours(path, header)
    before: tuple[bytes, bytes] | None = None
    while True:
        # The index before the log: a writer goes on in between, and the log may only be ahead.
        index, data = _bytes_of(beside(path, "-shm"), 100), _bytes_of(log_path)
        log = wal.read_log(data)
        fault, misplaced = wal.fault(log_path, data, index), _misplaced(header, log, log_path)
        if not fault and not misplaced:
            return _name_without_log(path) if log.whole else ""
        if before == (index, data):
            raise MisplacedLog(misplaced) if misplaced else DamagedFile(fault)
        before = (index, data)
        time.sleep(SETTLE_SECONDS)


def require_ours(path: Path, header: Header | None) -> None:
    """Refuse the database of another program."""
    if header is not None and not header.is_ours:
        raise StoreError(
            f"{path} is a database of another program, or its first bytes are damaged; "
            "choose another --store."
        )


def beside(path: Path, ending: str) -> Path:
    """Return a file that SQLite keeps beside a database: the log ends in -wal, its index in -shm."""
    return path.with_name(path.name + ending)


def name_of(db: sqlite3.Connection) -> str:
    """Return the name that a file was given when it was made; "" for older files."""
    try:
        return str(db.execute("SELECT file FROM seals NOT INDEXED").fetchone()[0])
    except (*SQLITE_FAULTS, TypeError):  # no such table, or no row in it
        return ""


def _name_without_log(path: Path) -> str:
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)) as db:
        return name_of(db)


def _misplaced(header: Header | None, log: wal.Log, path: Path) -> str:
    """Say why a log cannot be of this file."""
    if not log.whole:
        return ""
    if header is None or not header.logged:
        return f"{path} holds {log.whole} pages, but the file itself says that it has no log"
    if log.first_page and not parse_header(log.first_page).is_ours:
        return f"{path} is the log of another program's database"
    return ""


def _bytes_of(path: Path, length: int = -1) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(length)
