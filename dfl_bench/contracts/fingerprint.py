"""One digest for configurations, arrays and files: what a record is keyed by."""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_PLAIN = (str, int, float, bool, type(None))


def plain(value: Any) -> Any:
    """Turn dataclasses, tuples and NumPy scalars into what JSON can hold, keys sorted."""
    if type(value) in _PLAIN:  # most values are; a board asks ten thousands of times
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(value[k]) for k in sorted(value, key=str)}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def canonical(value: Any) -> str:
    """Return the one JSON text of a configuration: sorted keys, no spaces, shortest floats."""
    return json.dumps(plain(value), sort_keys=True, separators=(",", ":"), allow_nan=False)


def fingerprint(value: Any) -> str:
    """Return 16 hex digits that identify a configuration by its content."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:16]


def array_digest(*arrays: np.ndarray) -> str:
    """Return 16 hex digits of the values, shapes and dtypes of some arrays, in order."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()[:16]


def files_digest(paths: Iterable[Path]) -> str:
    """Return 16 hex digits of the content of some files, in order; "" for none, "missing" where one is."""
    stamps = []
    for path in paths:
        if not path.is_file():
            return "missing"
        stamps.append(file_sha256(path))
    return hashlib.sha256("".join(stamps).encode()).hexdigest()[:16] if stamps else ""


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hex digits."""
    status = path.stat()
    return _file_digest(path, status.st_size, status.st_mtime_ns)


@cache  # a plan asks for every seed; the size and the time of change tell when the content may be another
def _file_digest(path: Path, size: int, changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
