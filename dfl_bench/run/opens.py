"""Which files a problem reads to make its data: those it does not declare are no part of a record's key.

A hook of the interpreter cannot be taken off again, so this is for processes that end with their cell. It
sees what Python opens; a library that opens files by itself, in C, is not seen.
"""

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from ..contracts.problem import Problem
from ..data.cache import cache_dir
from ..errors import DataError

_SYSTEM = ("/proc", "/sys", "/dev", "/usr/share", "/etc")
_CODE = {".py", ".pyc", ".pyd", ".so", ".nbi", ".nbc"}  # imports, and what Numba has compiled
_watched: list[set[Path]] = []
_written: set[Path] = set()


@contextmanager
def files_read() -> Iterator[set[Path]]:
    """Yield the set of files that are opened for reading inside the block, code left out."""
    _install()
    seen: set[Path] = set()
    _watched.append(seen)
    try:
        yield seen
    finally:
        _watched.remove(seen)


def require_declared(problem: Problem, seen: Iterable[Path], ours: Iterable[str] = ()) -> None:
    """Raise where a problem has read a file that is not among its `data_files`.

    Args:
        problem: who has read.
        seen: the files that were read.
        ours: temporary folders that the run itself has made.
    """
    declared = {path.resolve() for path in problem.data_files}
    allowed = [*_known_folders(), *(Path(folder).resolve() for folder in ours)]
    for path in sorted(seen):
        if path not in declared and not any(path.is_relative_to(folder) for folder in allowed):
            raise DataError(
                f"{problem.name} has read {path}, which it does not declare: a changed file would give back "
                "stale scores. Return it from the property `data_files` of the problem."
            )


def is_hidden(path: Path) -> bool:
    """Return whether a file is in a hidden folder: settings and caches that imports read."""
    return any(part.startswith(".") for part in path.parts)


def _known_folders() -> list[Path]:
    packages = [find_spec(name) for name in ("dfl_bench", "kernels", "lcgln")]
    found = [folder for spec in packages if spec for folder in spec.submodule_search_locations or ()]
    python = [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()]
    return [Path(folder).resolve() for folder in [*found, *python, *_SYSTEM, str(cache_dir())]]


def _install() -> None:
    if not _installed:
        _installed.append(True)
        sys.addaudithook(_note)


_installed: list[bool] = []


def _note(event: str, arguments: tuple[object, ...]) -> None:
    if event != "open" or not _watched:
        return
    path, _, flags = arguments
    if not isinstance(path, str | bytes | os.PathLike) or not isinstance(flags, int):
        return
    resolved = Path(os.path.realpath(os.fsdecode(path)))
    if flags & (os.O_TRUNC | os.O_EXCL):
        _written.add(resolved)  # its content is this process's own
    elif flags & os.O_ACCMODE != os.O_WRONLY and resolved.suffix not in _CODE:
        if resolved not in _written and resolved.is_file():
            for seen in _watched:
                seen.add(resolved)
