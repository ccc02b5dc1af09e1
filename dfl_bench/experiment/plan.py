"""From the entries of a suite to groups of cells, in the order they run."""

import dataclasses
import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import methods, problems
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..store.cell import Cell
from .protocols import configure
from .suite import Entry


@dataclass(frozen=True, slots=True)
class Group:
    """Cells that differ in their seed alone and are trained together."""

    cells: tuple[Cell, ...]

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds, in order."""
        return tuple(cell.seed for cell in self.cells)

    @property
    def label(self) -> str:
        """What a progress line calls this group."""
        first = self.cells[0]
        fakes = first.problem_config.get("fake_targets")
        problem = first.problem if fakes is None else f"{first.problem}({fakes})"
        method = first.method if first.samples is None else f"{first.method} K={first.samples}"
        seeds = str(self.seeds[0]) if len(self.seeds) == 1 else f"{self.seeds[0]}–{self.seeds[-1]}"
        return f"{problem} {method} seed {seeds}"


def plan(entries: Sequence[Entry], *, protocol: str | None = None, device: str = "cpu") -> list[Group]:
    """Return the groups of a suite, each cell once; without a protocol, each entry has its own.

    The first seed of a configuration is a group of its own, because timings come from single seeds; the
    others form one group, unless the entry says that every seed trains alone.
    """
    seen: set[str] = set()
    groups = []
    for entry in entries:
        for group in _groups(entry, protocol or entry.protocol, device):
            keys = {cell.key for cell in group.cells}
            if not keys <= seen:
                groups.append(group)
                seen |= keys
    return groups


def group_of(cell: Cell, seeds: Sequence[int]) -> Group:
    """Return the group a stored cell was trained in."""
    return Group(tuple(dataclasses.replace(cell, seed=seed) for seed in seeds))


def draws_samples(method: str) -> bool:
    """Return whether a method has a number of samples to choose."""
    return "samples" in _settings_of(methods.get(method))


def configurations(entry: Entry, protocol: str) -> Iterator[tuple[Problem, Method]]:
    """Yield each method of an entry, configured, with the problem; no data is read."""
    problem = _make_problem(entry)
    classes = [methods.get(name) for name in entry.methods]
    known = sorted(set().union(*map(_settings_of, classes)))
    for name in entry.method_settings:
        if name not in known:
            raise ValueError(_no_setting(", ".join(entry.methods), name, known))
    for cls in classes:
        for settings in _sweep(cls, entry):
            yield problem, cls(configure(cls, problem, protocol, settings))


def _groups(entry: Entry, protocol: str, device: str) -> Iterator[Group]:
    for problem, method in configurations(entry, protocol):
        for seeds in _batches(entry):
            yield Group(
                tuple(Cell.of(problem, method, protocol=protocol, seed=s, device=device) for s in seeds)
            )


def _sweep(cls: type[Method], entry: Entry) -> Iterator[dict[str, Any]]:
    has = _settings_of(cls)
    settings = {name: value for name, value in entry.method_settings.items() if name in has}
    if "samples" not in has or not entry.samples:
        yield settings
        return
    # The largest first: smaller banks are prefixes of it, and are labelled once.
    for samples in sorted(entry.samples, reverse=True):
        yield {**settings, "samples": samples}


def _batches(entry: Entry) -> list[list[int]]:
    seeds = list(range(entry.seeds))
    if not entry.batch_seeds:
        return [[seed] for seed in seeds]
    return [batch for batch in (seeds[:1], seeds[1:]) if batch]


def _make_problem(entry: Entry) -> Problem:
    cls = problems.get(entry.problem)
    known = sorted(_settings_of(cls))
    for name in entry.settings:
        if name not in known:
            raise ValueError(_no_setting(entry.problem, name, known))
    return cls(cls.Config(**_tuples(entry.settings)))


def _tuples(settings: Mapping[str, Any]) -> dict[str, Any]:
    # TOML has lists where dataclasses have tuples.
    return {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}


def _settings_of(cls: Any) -> set[str]:
    return {field.name for field in dataclasses.fields(cls.Config)}


def _no_setting(owner: str, name: str, known: list[str]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"{owner} has no setting {name!r}.{hint} Known: {', '.join(known) or 'none'}."
