"""Where fetched data is kept, and how it is checked."""

import hashlib
import os
from pathlib import Path

import platformdirs

from ..errors import DataError

CACHE_VARIABLE = "DFL_BENCH_CACHE"


def cache_dir() -> Path:
    """Return the folder of fetched data: $DFL_BENCH_CACHE, or the user's cache folder."""
    return Path(os.environ.get(CACHE_VARIABLE) or platformdirs.user_cache_dir("dfl-bench"))


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_hash(path: Path, expected: str, remedy: str) -> None:
    """Raise DataError, and remove the file, unless its bytes are the expected ones.

    Args:
        path: A file in our cache or a temporary folder, never a user's own.
        expected: The SHA-256 in hexadecimal.
        remedy: What the user can do; the end of the error.
    """
    found = sha256(path)
    if found != expected:
        path.unlink()
        raise DataError(
            f"expected {path} with sha256 {expected}, got {found}: it is damaged, so it was removed. {remedy}"
        )
