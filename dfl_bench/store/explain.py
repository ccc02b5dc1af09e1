"""What goes wrong with a results file, in words: the file, the record where it is known, and what to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import StoreError
from .header import SQLITE_FAULTS, DamagedFile
from .row import DamagedRow

BUSY_SECONDS = 60.0
_ADVICE = {
    "SQLITE_FULL": "the disk is full; free some space (finished cells are safe) and run again",
    "SQLITE_READONLY": "the file is read-only; make it writable or use another --store",
    "SQLITE_CANTOPEN": "the file cannot be opened; check the permissions of the file and of its folder",
    "SQLITE_BUSY": f"another run has held the file for {BUSY_SECONDS:.0f} s; try again when it is done",
    "SQLITE_LOCKED": "another connection holds the file; try again when it is done",
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn whatever a damaged or unusable file can raise into one StoreError."""
    try:
        yield
    except DamagedRow as reason:
        raise StoreError(
            f"{path}: the record {reason.key!r} is damaged: {reason}. {advice(path)}"
        ) from reason
    except DamagedFile as reason:
        raise StoreError(f"{path} is damaged: {reason}. {advice(path)}") from reason
    except SQLITE_FAULTS as error:
        raise StoreError(_explain(path, error)) from error


def advice(path: Path) -> str:
    """Return what to do about a damaged file."""
    return (
        f"`dfl-bench store check {path}` lists what is damaged, "
        f"`dfl-bench store repair {path}` keeps the rest; or restore a copy."
    )


def _explain(path: Path, error: Exception) -> str:
    name = getattr(error, "sqlite_errorname", "")
    for code, text in _ADVICE.items():
        if name.startswith(code):
            return f"{path}: {text} ({error})."
    return f"{path} is damaged: SQLite says {str(error)!r}. {advice(path)}"
