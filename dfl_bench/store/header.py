"""Whose file it is, from its first bytes: one that is not ours is refused before SQLite touches it."""

import sqlite3
import struct
from dataclasses import dataclass
from pathlib import Path

from ..errors import StoreError

# Marks a SQLite file as ours: "dflb" in ASCII. Another program's database is refused, not filled.
APPLICATION_ID = 0x64666C62
MAGIC = b"SQLite format 3\0"
LENGTH = 108  # of the file's header and of the header of its first page


# What SQLite can raise on damaged bytes. The last three: sizes that damage made up, and names of tables that
# are no text any more inside SQLite's own messages.
SQLITE_FAULTS = (sqlite3.Error, MemoryError, OverflowError, UnicodeDecodeError)


class DamagedFile(Exception):
    """A file as a whole is not what was written; the message is the reason."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the first page says; the numbers are SQLite's, the positions those of its file format."""

    application_id: int
    user_version: int
    empty: bool  # no table yet

    @property
    def is_ours(self) -> bool:
        """Whether a results file can be here: it has our mark, or it has nothing at all."""
        return self.application_id == APPLICATION_ID or (self.application_id == 0 and self.empty)


def read_header(path: Path) -> Header | None:
    """Return the header of a file, None for a file of zero bytes."""
    with path.open("rb") as file:
        page = file.read(LENGTH)
    return parse_header(page) if page else None


def parse_header(page: bytes) -> Header:
    """Return the header from the first bytes of a database's first page."""
    if not page.startswith(MAGIC):
        raise DamagedFile("it is not a results file, or its first bytes are damaged")
    if len(page) < LENGTH:
        raise DamagedFile(f"it is cut short after {len(page)} bytes")
    (user_version,) = struct.unpack_from(">i", page, 60)
    (application_id,) = struct.unpack_from(">i", page, 68)
    is_leaf, (cells,) = page[100] == 13, struct.unpack_from(">H", page, 103)
    return Header(application_id, user_version, is_leaf and cells == 0)


def require_ours(path: Path) -> None:
    """Refuse, from its first bytes alone, the database of another program and what is no database."""
    header = read_header(path)
    if header is not None and not header.is_ours:
        raise StoreError(
            f"{path} is a database of another program, or its first bytes are damaged; "
            "choose another --store."
        )


def beside(path: Path, ending: str) -> Path:
    """Return a file that SQLite keeps beside a database: the log ends in -wal, its index in -shm."""
    return path.with_name(path.name + ending)
