"""One method, problem or suite in full: what it is, its settings, and what goes with what."""

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from .. import methods, problems
from ..contracts.search_space import Choice, Range
from ..experiment.suite import Entry, load_suite
from ..problems import make_problem

INDENT = (0, 2, 0, 2)


def describe_method(console: Console, name: str) -> None:
    """Print a method: its settings, what a search may change, and the problems it serves."""
    cls = methods.get(name)
    _heading(console, f"{name} · method · family {cls.family or 'none'} · version {cls.version}", cls)
    searched = {setting: _space(space) for setting, space in cls.search.items()}
    _settings(console, cls.Config(), "--set", searched)
    for problem, changes in cls.paper.items():
        words = ", ".join(f"{setting}={value}" for setting, value in changes.items())
        console.print(Text(f"  on {problem}, the protocol paper has {words}"))
    made = [(other, make_problem(other)) for other in problems.names()]
    _fit(console, "Serves", [(other, cls.not_applicable(problem)) for other, problem in made])


def describe_problem(console: Console, name: str) -> None:
    """Print a problem: its data, its predictor, its settings, and the methods that serve it."""
    problem = make_problem(name)
    _heading(console, f"{name} · problem · version {problem.version}", type(problem))
    network = problem.network
    layers = f"one hidden layer of {network.hidden}" if network.hidden else "linear"
    console.print(Text(f"Data: {problem.provenance}"))
    console.print(Text(f"Predictor: {layers}, {network.outputs} outputs, {network.activation}"))
    _settings(
        console, problem.config, "--problem-set", dict.fromkeys(problem.sweeps, "varied by experiments")
    )
    found = [(other, methods.get(other)) for other in methods.names()]
    _fit(console, "Methods", [(other, cls.not_applicable(problem)) for other, cls in found])


def describe_suite(console: Console, name: str, summary: str) -> None:
    """Print the entries of a suite.

    Args:
        console: where to print.
        name: of the suite.
        summary: its first line.
    """
    console.print(Text(f"{name} · suite", style="bold"))
    console.print(Text(summary))
    console.print()
    table = Table("problem", "methods", "samples", "seeds", "protocol", box=None, padding=INDENT)
    for _, entries in groupby(load_suite(name), _axes):
        several = list(entries)
        entry = several[0]
        seeds = f"{entry.first_seed} to {entry.seed_range[-1]}" if entry.first_seed else str(entry.seeds)
        samples = ", ".join(map(str, entry.samples))
        table.add_row(Text(_place(several)), Text(", ".join(entry.methods)), samples, seeds, entry.protocol)
    console.print(table)


def _axes(entry: Entry) -> tuple[object, ...]:
    """What the entries of one line have in common: their axes; without axes, an entry has its own line."""
    return (entry.problem, entry.methods, *entry.at) if entry.at else (id(entry),)


def _place(entries: Sequence[Entry]) -> str:
    first = entries[0]
    if first.at:
        return f"{first.problem}, {len(entries)} settings: {' × '.join(first.at)}"
    return " ".join([first.problem, *(f"{name}={value}" for name, value in first.settings.items())])


def _heading(console: Console, title: str, cls: type) -> None:
    console.print(Text(title, style="bold"))
    console.print(Text((cls.__doc__ or "").strip().partition("\n\n")[0]))
    console.print()


def _settings(console: Console, config: Any, option: str, remarks: dict[str, str]) -> None:
    fields = dataclasses.fields(config)
    console.print(Text(f"Settings ({option} name=value)" if fields else "No settings.", style="underline"))
    table = Table("name", "default", "searched or varied", box=None, padding=INDENT)
    for field in fields:
        default = Text(repr(getattr(config, field.name)))
        table.add_row(Text(field.name), default, Text(remarks.get(field.name, "")))
    if fields:
        console.print(table)
    if any(getattr(config, field.name) is None for field in fields):
        console.print(Text("  None: what the problem or the code has."))
    console.print()


def _space(space: Range | Choice) -> str:
    if isinstance(space, Choice):
        return " or ".join(map(str, space.options))
    return f"{space.low:g} … {space.high:g}{', logarithmic' if space.log else ''}"


def _fit(console: Console, title: str, pairs: Iterable[tuple[str, str | None]]) -> None:
    """Print the names that fit, then those that do not, under their reasons."""
    fitting: list[str] = []
    refused: dict[str, list[str]] = defaultdict(list)
    for name, reason in pairs:
        fitting.append(name) if reason is None else refused[reason].append(name)
    console.print(Text(title, style="underline"))
    for line in _lines(fitting, refused):
        console.print(Padding(Text(line), (0, 0, 0, 2)))


def _lines(fitting: list[str], refused: dict[str, list[str]]) -> Iterator[str]:
    yield ", ".join(fitting) or "none"
    for reason, names in refused.items():
        yield f"n/a: {', '.join(names)}: {reason}"
