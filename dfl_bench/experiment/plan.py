"""From the entries of a suite to cells, in the order they run."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from .. import methods
from ..contracts.fingerprint import plain
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..contracts.settings import names_of, require_known
from ..problems import make_problem, swept
from ..store.cell import Cell
from .protocols import configure
from .suite import Entry


def plan(
    entries: Sequence[Entry],
    *,
    protocol: str | None = None,
    device: str = "cpu",
    searches: Path | None = None,
) -> list[Cell]:
    """Return the cells of a suite, each once.

    Args:
        entries: what to run.
        protocol: the name of a protocol; without one, each entry has its own.
        device: where methods are trained.
        searches: a folder of searches that comes before the package's.
    """
    cells: dict[str, Cell] = {}
    for entry in entries:
        chosen = protocol or entry.protocol
        for problem, method in configurations(entry, chosen, searches):
            for cell in cells_of(
                problem, method, entry.seed_range, protocol=chosen, device=device, searches=searches
            ):
                cells.setdefault(cell.key, cell)
    return list(cells.values())


def cells_of(
    problem: Problem,
    method: Method,
    seeds: Iterable[int],
    *,
    protocol: str = "paper",
    device: str = "cpu",
    searches: Path | None = None,
) -> Iterator[Cell]:
    """Yield the cells of a configured method on a configured problem, one for each seed.

    Args:
        problem: the problem.
        method: the method, configured by the protocol and by what the user has changed.
        seeds: which data and which random streams.
        protocol: the name of a protocol.
        device: where the method is trained.
        searches: a folder of searches that comes before the package's.
    """
    changes = _changes(problem, method, protocol, searches)
    for seed in seeds:
        yield Cell.of(problem, method, protocol=protocol, seed=seed, device=device, changes=changes)


def label(cell: Cell) -> str:
    """Return what a progress line calls a cell; the problem is its first word."""
    varied = ",".join(str(value) for value in swept(cell.problem, cell.problem_config).values())
    problem = f"{cell.problem}({varied})" if varied else cell.problem
    method = cell.method if cell.samples is None else f"{cell.method} K={cell.samples}"
    return f"{problem} {method} seed {cell.seed}"


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


def _sweep(cls: type[Method], entry: Entry) -> Iterator[dict[str, Any]]:
    has = names_of(cls.Config)
    shared = {name: value for name, value in entry.method_settings.items() if name in has}
    settings = {**shared, **entry.own_settings.get(cls.name, {})}
    if "samples" not in has or not entry.samples:
        yield settings
        return
    # The largest first: smaller banks are prefixes of it, and are labelled once.
    for samples in sorted(entry.samples, reverse=True):
        yield {**settings, "samples": samples}


def _changes(problem: Problem, method: Method, protocol: str, searches: Path | None) -> tuple[str, ...]:
    """The settings that are not those of the protocol; the number of samples is a factor, not a change."""
    given = plain(method.config)
    usual = plain(configure(type(method), problem, protocol, {}, searches=searches))
    return tuple(name for name in given if given[name] != usual[name] and name != "samples")
