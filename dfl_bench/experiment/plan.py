"""From the entries of a suite to groups of cells, in the order they run."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import methods
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..contracts.settings import names_of, require_known
from ..problems import make_problem, swept
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
        varied = ", ".join(str(value) for value in swept(first.problem, first.problem_config).values())
        problem = f"{first.problem}({varied})" if varied else first.problem
        method = first.method if first.samples is None else f"{first.method} K={first.samples}"
        seeds = str(self.seeds[0]) if len(self.seeds) == 1 else f"{self.seeds[0]}–{self.seeds[-1]}"
        return f"{problem} {method} seed {seeds}"


def plan(
    entries: Sequence[Entry],
    *,
    protocol: str | None = None,
    device: str = "cpu",
    searches: Path | None = None,
) -> list[Group]:
    """Return the groups of a suite, each cell once.

    The first seed of a configuration is a group of its own, because timings come from single seeds; the
    others form one group, unless the entry says that every seed trains alone.

    Args:
        entries: what to run.
        protocol: the name of a protocol; without one, each entry has its own.
        device: where methods are trained.
        searches: a folder of searches that comes before the package's.
    """
    seen: set[str] = set()
    groups = []
    for entry in entries:
        for group in _groups(entry, protocol or entry.protocol, device, searches):
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
    return "samples" in names_of(methods.get(method).Config)


def configurations(
    entry: Entry, protocol: str, searches: Path | None = None
) -> Iterator[tuple[Problem, Method]]:
    """Yield each method of an entry, configured, with the problem; no data is read.

    Args:
        entry: methods on one configured problem.
        protocol: the name of a protocol.
        searches: a folder of searches that comes before the package's.
    """
    problem = make_problem(entry.problem, **entry.settings)
    classes = [methods.get(name) for name in entry.methods]
    known = {name for cls in classes for name in names_of(cls.Config)}
    for name in entry.method_settings:
        require_known(name, known, ", ".join(entry.methods))
    for cls in classes:
        for settings in _sweep(cls, entry):
            yield problem, cls(configure(cls, problem, protocol, settings, searches=searches))


def _groups(entry: Entry, protocol: str, device: str, searches: Path | None) -> Iterator[Group]:
    for problem, method in configurations(entry, protocol, searches):
        for seeds in _batches(entry):
            yield Group(
                tuple(Cell.of(problem, method, protocol=protocol, seed=s, device=device) for s in seeds)
            )


def _sweep(cls: type[Method], entry: Entry) -> Iterator[dict[str, Any]]:
    has = names_of(cls.Config)
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
