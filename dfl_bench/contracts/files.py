"""Files that are either absent or whole, whenever the process ends."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file beside its place and rename it: a reader or a kill never sees half a file.

    Args:
        path: where the file goes; a missing folder is made.
        write: is given the open file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=path.name, suffix=".tmp", delete=False) as file:
        try:
            write(file)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            Path(file.name).unlink()
            raise
    os.replace(file.name, path)
