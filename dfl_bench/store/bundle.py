"""A bundle: a zip file with records, their plugins, and where they were made; every part by its hash."""

import hashlib
import json
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import DflBenchError, StoreError
from .record import Record
from .store import Store

FORMAT = 1
MANIFEST, RECORDS, PLUGINS = "bundle.json", "records.sqlite", "plugins"
ENVIRONMENTS = "environments.json"  # for readers: every record holds its own
MOST_BYTES = 2**31  # of all parts: a zip file of a few bytes can claim to hold more than a disk
LONGEST_MANIFEST = 2**20
_DATE = (1980, 1, 1, 0, 0, 0)  # the same records give the same bytes whenever they are packed
# What the library raises on damaged bytes.
ZIP_FAULTS = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, UnicodeDecodeError,
)  # fmt: skip


class BundleError(StoreError):
    """A bundle is damaged, or is none."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle that was checked and unpacked."""

    records: Path
    plugins: tuple[Path, ...]


def code_digest(data: bytes) -> str:
    """Return what the key of a cell holds of a user's file."""
    return hashlib.sha256(data).hexdigest()[:16]


def missing_plugins(records: Iterable[Record], plugins: Iterable[bytes]) -> list[str]:
    """Return the methods and problems of users whose file is none of some plugin files."""
    given = {"", *map(code_digest, plugins)}
    cells = [record.cell for record in records]
    used = {(cell.problem, cell.problem_code) for cell in cells} | {(c.method, c.method_code) for c in cells}
    return sorted({name for name, code in used if code not in given})


def write_bundle(store: Path, target: Path, plugins: Sequence[Path] = ()) -> int:
    """Pack a results file; return how many results are in it.

    Args:
        store: the results file.
        target: the zip file; it must not exist.
        plugins: users' files; every one that a record stands on is needed.
    """
    parts = {f"{PLUGINS}/{path.name}": path.read_bytes() for path in plugins}
    if len(parts) < len(plugins):
        raise DflBenchError("two plugins have one file name; rename one of them and run its cells again.")
    with tempfile.TemporaryDirectory(prefix="dfl-bench-bundle-") as folder:
        copy = Path(folder) / RECORDS
        with Store(store, readonly=True) as source, Store(copy) as kept:
            records = [*source.records(), *source.failures()]
            if missing := missing_plugins(records, parts.values()):
                raise DflBenchError(
                    f"{store} has records of {', '.join(missing)}, which is no part of the suite: give the "
                    "file that made them, unchanged, with --plugin FILE.py."
                )
            results = kept.merge(source)
        parts[RECORDS] = copy.read_bytes()
    machines = {record.machine: dict(record.environment) for record in records}
    parts[ENVIRONMENTS] = _json(list(machines.values()))
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
    manifest = _json({"format": FORMAT, "results": results, "sha256": digests})
    try:
        with zipfile.ZipFile(target, "x", zipfile.ZIP_DEFLATED) as file:
            for name, data in {MANIFEST: manifest, **parts}.items():
                file.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
    except FileExistsError:
        raise DflBenchError(f"{target} exists already and is left as it is; choose another --out.") from None
    return results


def is_bundle(path: Path) -> bool:
    """Return whether a file is a zip file by its first bytes."""
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


@contextmanager
def opened_bundle(path: Path) -> Iterator[Bundle]:
    """Unpack a bundle into a folder that is deleted at the end; every part is checked by its hash."""
    if not path.is_file():
        raise BundleError(f"no file {path}; expected a bundle that `dfl-bench bundle` wrote.")
    with tempfile.TemporaryDirectory(prefix="dfl-bench-bundle-") as folder:
        try:
            with zipfile.ZipFile(path) as file:
                names = _unpack(file, path, Path(folder))
        except ZIP_FAULTS as error:
            raise _damaged(path, f"it cannot be unpacked: {error}") from error
        plugins = tuple(Path(folder, name) for name in names if name.startswith(f"{PLUGINS}/"))
        yield Bundle(Path(folder, RECORDS), plugins)


def _unpack(file: zipfile.ZipFile, path: Path, folder: Path) -> list[str]:
    """Write the parts that the manifest names, and no others."""
    digests = _manifest(file, path)
    stored = {info.filename: info for info in file.infolist()}
    if missing := sorted(digests.keys() - stored.keys()):
        raise _damaged(path, f"{missing[0]} is missing")
    if extra := sorted(stored.keys() - digests.keys() - {MANIFEST}):
        raise _damaged(path, f"{extra[0]} is in it and not in its list of parts")
    if sum(stored[name].file_size for name in digests) > MOST_BYTES:
        raise _damaged(path, f"its parts are larger than {MOST_BYTES / 2**30:g} GiB")
    for name, expected in digests.items():
        target = folder / name
        target.parent.mkdir(exist_ok=True)
        with file.open(name) as source, target.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 20)
        with target.open("rb") as written:
            digest = hashlib.file_digest(written, "sha256").hexdigest()
        if digest != expected:
            raise _damaged(path, f"{name} is not what was packed")
    return list(digests)


def _manifest(file: zipfile.ZipFile, path: Path) -> dict[str, str]:
    """Return the hash of every part by name."""
    try:
        if file.getinfo(MANIFEST).file_size > LONGEST_MANIFEST:
            raise _damaged(path, f"{MANIFEST} is too long")
        facts = json.loads(file.read(MANIFEST))
        version, digests = facts["format"], dict(facts["sha256"])
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(path, f"{MANIFEST} is missing or cannot be read") from error
    if version != FORMAT:
        raise BundleError(f"{path} has format {version}, this version reads {FORMAT}; upgrade dfl-bench.")
    if not {RECORDS, ENVIRONMENTS} <= digests.keys():
        raise _damaged(path, "its list of parts names no records")
    for name in digests:
        place = PurePosixPath(name)
        plain = name in (RECORDS, ENVIRONMENTS) or (
            place.parent == PurePosixPath(PLUGINS) and place.name not in ("", "..") and place.suffix == ".py"
        )
        if not plain or "\\" in name:
            raise _damaged(path, f"{name!r} is no name of a part")
    return digests


def _damaged(path: Path, why: str) -> BundleError:
    return BundleError(f"{path} is damaged or no bundle: {why}. Ask for it again.")


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=2, sort_keys=True).encode()
