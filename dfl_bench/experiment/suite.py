"""A suite: which problems, methods, sample sizes and seeds to run, read from a TOML file.

[[entry]]
problem = "budget"
settings = { fake_targets = 5 }         # of the problem
methods = ["pfl", "lcgln", "constant"]
samples = [8, 16]                       # for the methods that draw samples
seeds = 10
method_settings = { steps = 300 }       # for the methods that have the setting
batch_seeds = true                      # false: every seed is trained on its own
protocol = "tuned"                      # how methods are configured, unless the caller says
"""

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..errors import UnknownNameError


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Methods on one configured problem."""

    problem: str
    methods: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    samples: tuple[int, ...] = ()  # empty: each method's own
    seeds: int = 10
    method_settings: Mapping[str, Any] = field(default_factory=dict)
    batch_seeds: bool = True
    protocol: str = "paper"

    def __post_init__(self) -> None:
        if not self.methods:
            raise ValueError(f"expected at least one method for {self.problem}, got none.")
        if self.seeds < 1:
            raise ValueError(f"expected at least 1 seed for {self.problem}, got {self.seeds}.")
        if too_few := [k for k in self.samples if k < 2]:
            raise ValueError(f"expected at least 2 samples an instance, got {too_few[0]}.")


def built_in() -> dict[str, str]:
    """Return the suites of the package by name, each with its first comment line."""
    found = {}
    for file in sorted((files("dfl_bench.experiment") / "suites").iterdir(), key=lambda file: file.name):
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
        text = (files("dfl_bench.experiment") / "suites" / f"{name}.toml").read_text(encoding="utf-8")
    else:
        hint = _did_you_mean(name, list(built_in()))
        raise UnknownNameError(f"no suite named {name!r}.{hint} Built in: {', '.join(built_in())}.")
    return parse_suite(text, name)


def parse_suite(text: str, name: str) -> list[Entry]:
    """Return the entries of a suite's text; unknown keys and wrong types are errors that name the entry."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{name} is not TOML: {error}.") from error
    _check_keys(tables, ["entry"], name)
    entries = tables.get("entry", [])
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{name} has no [[entry]]; expected at least one.")
    return [_entry(table, f"{name}, entry {i}") for i, table in enumerate(entries, 1)]


def _entry(table: Mapping[str, Any], where: str) -> Entry:
    _check_keys(table, [f.name for f in fields(Entry)], where)
    for key in ("problem", "methods"):
        if key not in table:
            raise ValueError(f"{where} has no {key!r}.")
    for key, kind in _KINDS.items():
        if key in table and type(table[key]) is not kind:
            raise ValueError(f"{where}: expected {key} to be a {kind.__name__}, got {table[key]!r}.")
    for key, kind in (("methods", str), ("samples", int)):
        if wrong := [item for item in table.get(key, []) if type(item) is not kind]:
            raise ValueError(f"{where}: expected {key} to hold {kind.__name__} values, got {wrong[0]!r}.")
    lists = {key: tuple(table[key]) for key in ("methods", "samples") if key in table}
    try:
        return Entry(**{**table, **lists})
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


_KINDS = {
    "problem": str, "methods": list, "settings": dict, "samples": list, "seeds": int, "method_settings": dict,
    "batch_seeds": bool, "protocol": str,
}  # fmt: skip


def _check_keys(table: Mapping[str, Any], known: list[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise ValueError(
                f"{where} has an unknown key {key!r}.{_did_you_mean(key, known)} Known: {', '.join(known)}."
            )


def _did_you_mean(name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
