"""Names to classes, without importing what is behind a name until somebody asks for it.

A module of the registry's package is read, not imported, to learn its names: the decorator
``@methods.register("lcgln", version=1)`` and the first line of the class's docstring are found in its
syntax tree. So `dfl-bench list` answers at once, and a new method is one new file and no edit elsewhere.
"""

import ast
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Generic, TypeVar

from ..errors import UnknownNameError
from .settings import did_you_mean

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a name before its module is imported."""

    name: str
    summary: str
    source: str  # module to import, "entry point" value, or plugin file
    family: str = ""  # of a method: what kind of idea it is


class Registry(Generic[T]):
    """The problems or the methods: built in (one file each), by entry point, or from a plugin file."""

    def __init__(self, kind: str, package: str) -> None:
        self.kind = kind  # "problem" or "method"; the decorator object is named with an s
        self.package = package
        self._classes: dict[str, type[T]] = {}

    def register(self, name: str, *, version: int, family: str = "") -> Callable[[type[T]], type[T]]:
        """Return the decorator that files a class under a name.

        Args:
            name: what users type; no other class may have it.
            version: raised when a change of the code changes scores.
            family: of a method: what kind of idea it is, for suites and colours.
        """

        def decorate(cls: type[T]) -> type[T]:
            taken = self._classes.get(name) or self._built_in().get(name)
            if taken is not None and not self._is_same(taken, cls):
                raise ValueError(f"the {self.kind} name {name!r} is taken by {taken}; choose another name.")
            cls.name, cls.version = name, version  # type: ignore[attr-defined]
            cls.family = family  # type: ignore[attr-defined]
            self._classes[name] = cls
            return cls

        return decorate

    @staticmethod
    def _is_same(taken: "type | Entry", cls: type) -> bool:
        if isinstance(taken, Entry):
            return taken.source == cls.__module__
        # A module imported anew (a reload, a plugin given twice) replaces its own class.
        return (taken.__module__, taken.__qualname__) == (cls.__module__, cls.__qualname__)

    def get(self, name: str) -> type[T]:
        """Return the class of a name, importing its module on first use."""
        if name not in self._classes:
            entry = self.entries().get(name)
            if entry is None:
                raise UnknownNameError(self._unknown(name))
            importlib.import_module(entry.source.partition(":")[0])
        return self._classes[name]

    def _unknown(self, name: str) -> str:
        known = sorted(self.entries())
        return f"no {self.kind} named {name!r}.{did_you_mean(name, known)} Registered: {', '.join(known)}."

    def names(self) -> list[str]:
        """Return every known name, sorted; nothing is imported."""
        return sorted(self.entries())

    def entries(self) -> dict[str, Entry]:
        """Return every known name; nothing is imported."""
        found = self._built_in()
        for name, value in _entry_points(f"dfl_bench.{self.kind}s", tuple(sys.path)):
            found.setdefault(name, Entry(name, f"from {value}", value))
        for name, cls in self._classes.items():
            family: str = cls.family  # type: ignore[attr-defined]
            found.setdefault(name, Entry(name, _first_line(cls.__doc__), cls.__module__, family))
        return found

    def code_of(self, name: str) -> str:
        """Return the digest of the user's file that a class comes from; "" for a built-in class.

        A built-in class is known by its version. Of a user's code the file with the class is covered, not
        what that file imports.
        """
        module = self.get(name).__module__
        if module.startswith(f"{self.package}."):
            return ""
        return _file_digest(module)

    def _built_in(self) -> dict[str, Entry]:
        spec = importlib.util.find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            return {}
        entries = {}
        for folder in spec.submodule_search_locations:
            for path in sorted(Path(folder).glob("*.py")):
                for name, summary, family in _registrations(path, f"{self.kind}s", path.stat().st_mtime_ns):
                    entries[name] = Entry(name, summary, f"{self.package}.{path.stem}", family)
        return entries


def load_plugin(path: str | Path) -> ModuleType:
    """Import a user's file; the decorators in it register its problems and methods. Return the module."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(
            f"no plugin file {path}; expected a .py file that registers a problem or method."
        )
    name = f"dfl_bench_plugin_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise ImportError(f"cannot import {path}: expected a file that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # The digest is that of the very text that runs. Python's own import may run compiled code of an older
    # text: it looks at the size of a file and at the second of its change alone.
    text = path.read_bytes()
    _digests[name] = _digest(text)
    try:
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return module


@cache  # reads the metadata of every installed package: milliseconds, thousands of times
def _entry_points(group: str, path: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(point.name, point.value) for point in entry_points(group=group)]


_digests: dict[str, str] = {}


def _file_digest(module: str) -> str:
    if module not in _digests:
        file = getattr(sys.modules.get(module), "__file__", None)
        _digests[module] = _digest(Path(file).read_bytes()) if file else "unknown"
    return _digests[module]


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()[:16]


@cache  # names are asked for thousands of times; the time of change tells when a file must be read again
def _registrations(path: Path, registry_name: str, changed: int) -> list[tuple[str, str, str]]:
    """Return (name, summary, family) of each ``@<registry_name>.register("name", ...)`` class of a file."""
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for call in node.decorator_list:
            match call:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=owner), attr="register"),
                    args=[ast.Constant(value=str(name)), *_],
                    keywords=keywords,
                ) if owner == registry_name:
                    given = {k.arg: k.value.value for k in keywords if isinstance(k.value, ast.Constant)}
                    summary = _first_line(ast.get_docstring(node))
                    found.append((name, summary, str(given.get("family", ""))))
    return found


def _first_line(docstring: str | None) -> str:
    return (docstring or "").strip().partition("\n")[0]
