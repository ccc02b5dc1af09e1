"""Look through a results file for damage, and keep what is whole."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import StoreError
from . import schema
from .connection import Connection, in_memory, open_to_read
from .header import SQLITE_FAULTS, DamagedFile, beside
from .row import DamagedRow, Row
from .salvage import salvage
from .seal import TABLES, Seal, difference, read_seal, seal_of
from .store import Store

_MOST_FAULTS = 10  # of those that SQLite finds: one damaged page can give hundreds


@dataclass(slots=True)
class Examination:
    """What is whole in a file, and what is not."""

    whole: list[Row] = field(default_factory=list)
    damaged: list[DamagedRow] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # of the file as such

    @property
    def is_whole(self) -> bool:
        """Whether the file is as it was written."""
        return not self.damaged and not self.faults


def examine(path: str | Path) -> Examination:
    """Read all of a results file, without changing it, and list what is damaged.

    A file of another program, or of a newer release, is refused.
    """
    path = Path(path)
    found = Examination()
    if not path.is_file():
        raise StoreError(f"no results file {path}; name another.")
    with TemporaryDirectory() as folder, _noted(found), closing(_open(path, Path(folder), found)) as db:
        _examine_file(db, found)
        for table in TABLES:
            _examine_table(db, table, found)
    found.faults = list(dict.fromkeys(found.faults))
    return found


def repair(path: str | Path, into: str | Path | None = None) -> Examination:
    """Keep what is whole of a results file in a new one; a file that is whole stays as it is.

    Args:
        path: the file; no run may be writing to it.
        into: the new file. Without it, the new file takes the place of the old one, which is kept with
            ".damaged" after its name.
    """
    path = Path(path)
    kept = beside(path, ".damaged")
    target = beside(path, ".repaired") if into is None else Path(into)
    for taken in (target, kept) if into is None else (target,):
        if taken.exists():
            raise StoreError(f"{taken} exists already; move it away first, or name a new file with --into.")
    found = examine(path)
    if not found.whole and not found.is_whole:
        reason = [*found.faults, *map(str, found.damaged)][0]
        raise StoreError(f"{path}: no record in it is whole ({reason}); restore a copy.")
    if found.is_whole and into is None:
        return found
    with Store(target) as store:
        store.add_rows(found.whole)
    if into is None:
        for ending in ("-wal", "-shm", ""):
            if beside(path, ending).exists():
                os.replace(beside(path, ending), beside(kept, ending))
        os.replace(target, path)
    return found


def _open(path: Path, folder: Path, found: Examination) -> Connection:
    """Open a file of any release; an older one is brought up to date in memory."""
    db, version = _open_or_copy(path, folder, found), len(schema.MIGRATIONS)
    try:
        with _noted(found):
            version = schema.check(db, str(path))
        if version < len(schema.MIGRATIONS):
            db = in_memory(db)
            with _noted(found):
                schema.migrate(db, str(path))
    except BaseException:
        db.close()
        raise
    return db


def _open_or_copy(path: Path, folder: Path, found: Examination) -> Connection:
    """Open a file, or a copy where its first bytes are damaged: SQLite may change what it cannot read."""
    try:
        return open_to_read(path)
    except DamagedFile as reason:
        found.faults.append(str(reason))
        for ending in ("", "-wal"):
            if beside(path, ending).exists():
                shutil.copyfile(beside(path, ending), beside(folder / path.name, ending))
    return open_to_read(folder / path.name, strict=False)


def _examine_file(db: Connection, found: Examination) -> None:
    with _noted(found):
        schema.require_tables(db)
    with _noted(found):
        said = [text for (text,) in db.execute(f"PRAGMA integrity_check({_MOST_FAULTS})")]
        found.faults.extend(
            f"SQLite says {line!r}" for text in said for line in text.splitlines() if line != "ok"
        )


def _examine_table(db: Connection, table: str, found: Examination) -> None:
    rows = list(salvage(db, table))
    whole = [row for row in rows if isinstance(row, Row)]
    found.whole.extend(whole)
    found.damaged.extend(row for row in rows if isinstance(row, DamagedRow))
    with _noted(found):
        written, seal = read_seal(db, table), seal_of(row.checksum for row in whole)
        if len(whole) < len(rows):  # they are listed; only their number can be compared
            written, seal = Seal(written.rows), Seal(len(rows))
        if reason := difference(table, written, seal):
            found.faults.append(reason)


@contextmanager
def _noted(found: Examination) -> Iterator[None]:
    """Note what is wrong and go on."""
    try:
        yield
    except DamagedFile as reason:
        found.faults.append(str(reason))
    except SQLITE_FAULTS as error:
        found.faults.append(f"SQLite says {str(error)!r}")
