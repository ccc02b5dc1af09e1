"""A suite: which problems, methods, sample sizes and seeds to run, read from a TOML file.

[defaults]                              # what every entry has unless it says otherwise
methods = ["reference", "pfl"]          # names, families, or "all"
leave_out = ["pfl-forest"]              # names of that list that are not run
seeds = 10

[[entry]]
problem = "budget"
settings = { fake_targets = 5 }         # of the problem
samples = [8, 16]                       # for the methods that draw samples
method_settings = { steps = 300 }       # for the methods that have the setting
own_settings = { pfl = { steps = 9 } }  # for one method alone, after the others
variants = [{}, { start = false }]      # further method settings: one run for each
protocol = "tuned"                      # how methods are configured, unless the caller says
step = "labels scaled"                  # where entries lead from one to the next: what this one changes
first_seed = 10                         # seeds 10 to 19, where there are ten of them
axes = { noise = [0.0, 0.5] }           # an entry for each value; of several axes, for each combination
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from .. import methods as registry
from ..contracts.settings import did_you_mean
from ..errors import UnknownNameError
from .axes import combinations

_FOLDER = files("dfl_bench.experiment") / "suites"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Methods on one configured problem."""

    problem: str
    methods: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    samples: tuple[int, ...] = ()  # empty: each method's own
    seeds: int = 10
    first_seed: int = 0
    method_settings: Mapping[str, Any] = field(default_factory=dict)
    own_settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by method
    protocol: str = "paper"
    step: str = ""  # what this entry changes, where those of a problem lead from one to the next
    at: Mapping[str, Any] = field(default_factory=dict)  # its place on the axes that it was made from

    def __post_init__(self) -> None:
        if not self.methods:
            raise ValueError(f"expected at least one method for {self.problem}, got none.")
        if self.seeds < 1:
            raise ValueError(f"expected at least 1 seed for {self.problem}, got {self.seeds}.")
        if too_few := [k for k in self.samples if k < 2]:
            raise ValueError(f"expected at least 2 samples for each instance, got {too_few[0]}.")
        if self.first_seed < 0:
            raise ValueError(
                f"expected first_seed to be 0 or more for {self.problem}, got {self.first_seed}."
            )
        if wrong := [name for name, own in self.own_settings.items() if not isinstance(own, Mapping)]:
            raise ValueError(f"expected own_settings to hold settings by method, got a value for {wrong[0]}.")

    @property
    def seed_range(self) -> range:
        """The seeds, one after the other."""
        return range(self.first_seed, self.first_seed + self.seeds)


def built_in() -> dict[str, str]:
    """Return the suites of the package by name, each with its first comment line."""
    found = {}
    for file in sorted(_FOLDER.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            first = file.read_text(encoding="utf-8").partition("\n")[0]
            found[file.name.removesuffix(".toml")] = first.removeprefix("#").strip()
    return found


def load_suite(name: str) -> list[Entry]:
    """Return the entries of a built-in suite, or of a user's file whose name ends in .toml."""
    if name.endswith(".toml"):
        path = Path(name)
        if not path.is_file():
            raise FileNotFoundError(f"no suite file {name}; built in: {', '.join(built_in())}.")
        text = path.read_text(encoding="utf-8")
    elif name in built_in():
        text = (_FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    else:
        hint = did_you_mean(name, built_in())
        raise UnknownNameError(f"no suite named {name!r}.{hint} Built in: {', '.join(built_in())}.")
    return parse_suite(text, name)


def parse_suite(text: str, name: str) -> list[Entry]:
    """Return the entries of a suite's text; unknown keys and wrong types are errors that name the entry."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name} is not TOML: {error}.") from error
    _check_keys(tables, ["defaults", "entry"], name)
    defaults, entries = tables.get("defaults", {}), tables.get("entry", [])
    if not isinstance(defaults, dict):
        raise ValueError(f"{name}: expected defaults to be a table, got {defaults!r}.")
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{name} has no [[entry]]; expected at least one.")
    return [
        entry
        for i, table in enumerate(entries, 1)
        for entry in _entries({**defaults, **table}, f"{name}, entry {i}")
    ]


def named_methods(wanted: str | list[str]) -> tuple[str, ...]:
    """Return method names for names, families and "all"; the registry will refuse an unknown name."""
    known = registry.entries()
    found: dict[str, None] = {}  # a set that keeps the order
    for name in [wanted] if isinstance(wanted, str) else wanted:
        family = [n for n, entry in known.items() if name in ("all", entry.family)]
        found |= dict.fromkeys(family if name not in known and family else [name])
    return tuple(found)


def _entries(table: Mapping[str, Any], where: str) -> Iterator[Entry]:
    """Yield an entry for each point on the axes and each variant, one where there is neither."""
    written = [f.name for f in fields(Entry) if f.name != "at"]
    _check_keys(table, [*written, *_EXPANDED], where)
    for key in ("problem", "methods"):
        if key not in table:
            raise ValueError(f"{where} has no {key!r}.")
    for key, kinds in _KINDS.items():
        if key in table and type(table[key]) not in kinds:
            expected = " or ".join(kind.__name__ for kind in kinds)
            raise ValueError(f"{where}: expected {key} to be a {expected}, got {table[key]!r}.")
    for key, kind in (("methods", str), ("leave_out", str), ("samples", int), ("variants", dict)):
        if wrong := [item for item in table.get(key, []) if type(item) is not kind]:
            raise ValueError(f"{where}: expected {key} to hold {kind.__name__} values, got {wrong[0]!r}.")
    given = {key: value for key, value in table.items() if key not in _EXPANDED}
    given["methods"] = _without(named_methods(table["methods"]), table.get("leave_out", []), where)
    if unknown := [name for name in table.get("own_settings", {}) if name not in given["methods"]]:
        hint = did_you_mean(unknown[0], given["methods"])
        raise ValueError(
            f"{where}: expected own_settings to name methods of the entry, got {unknown[0]!r}.{hint}"
        )
    given["samples"] = tuple(table.get("samples", ()))
    try:
        for at, settings in combinations(table.get("axes", {})):
            given |= {"at": at, "settings": {**table.get("settings", {}), **settings}}
            for variant in table.get("variants", [{}]):
                changed = {**table.get("method_settings", {}), **variant}
                yield Entry(**{**given, "method_settings": changed})
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _without(methods: tuple[str, ...], left_out: list[str], where: str) -> tuple[str, ...]:
    """Return the methods that are run; to leave out what would not run is a slip."""
    if unknown := [name for name in left_out if name not in methods]:
        hint = did_you_mean(unknown[0], methods)
        raise ValueError(
            f"{where}: expected leave_out to name methods of the entry, got {unknown[0]!r}.{hint}"
        )
    return tuple(name for name in methods if name not in left_out)


_KINDS: Mapping[str, tuple[type, ...]] = {
    "problem": (str,), "methods": (list, str), "leave_out": (list,), "settings": (dict,), "samples": (list,),
    "seeds": (int,), "first_seed": (int,), "method_settings": (dict,), "own_settings": (dict,),
    "variants": (list,), "protocol": (str,), "step": (str,), "axes": (dict,),
}  # fmt: skip
_EXPANDED = ("leave_out", "variants", "axes")  # keys of a table that an entry does not have


def _check_keys(table: Mapping[str, Any], known: list[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(
                f"{where} has an unknown key {key!r}.{did_you_mean(key, known)} Known: {', '.join(known)}."
            )
