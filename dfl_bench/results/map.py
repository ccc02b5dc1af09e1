"""The map: what decision-focused training gains over prediction-focused training, setting by setting.

A suite whose entries have axes is a map. Its panels are the problems' settings on one or two axes, such as
degree × rows. What a gain is stands in `gain`, how the best method is chosen in `choice`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..contracts.fingerprint import canonical
from ..experiment.suite import Entry, load_suite
from ..problems import make_problem
from ..store.cell import Cell, changed
from ..store.record import Record
from .boards import newest
from .choice import CHOSEN, rivals
from .gain import Setting

SUITE, TUNED_SUITE, CHECK_SUITE = "map", "map-tuned", "map-check"
SUITES = (SUITE, TUNED_SUITE, CHECK_SUITE)


@dataclass(frozen=True, slots=True)
class Panel:
    """The settings of one problem on the same axes."""

    suite: str
    problem: str
    protocol: str
    axes: Mapping[str, tuple[Any, ...]]  # the values of each, in the order of the suite
    settings: tuple[Setting, ...]
    methods: tuple[str, ...]  # what is compared with `pfl`: `CHOSEN` first, other predictors last

    @property
    def title(self) -> str:
        """The problem and its axes."""
        return f"{self.problem}: {' × '.join(self.axes)}"

    @property
    def run(self) -> tuple[Setting, ...]:
        """The settings that have something to compare."""
        return tuple(setting for setting in self.settings if setting.compared)

    @property
    def has_floor(self) -> bool:
        """Whether the floor is known wherever something has been run."""
        return all(setting.has_floor for setting in self.run)

    def at(self, **place: Any) -> Setting | None:
        """Return the setting at a place, None where the suite has none."""
        return next((setting for setting in self.settings if setting.at == place), None)


def panels(records: Iterable[Record], *, suite: str = SUITE, device: str = "cpu") -> list[Panel]:
    """Return the panels of a suite, in its order, with what a store has of them.

    Of every problem and method the newest version in the store counts, with the settings of the protocol.

    Args:
        records: of a store.
        suite: the name of a suite whose entries have axes.
        device: where the methods were trained.
    """
    found: dict[str, dict[int, Record]] = defaultdict(dict)
    for record in newest(list(records)):
        if record.normalized_regret is not None and record.cell.device == device and _is_usual(record.cell):
            cell = record.cell
            found[_key(cell.problem, cell.problem_settings, cell.protocol, cell.method)][cell.seed] = record
    by_panel: dict[tuple[str, ...], list[Entry]] = {}
    for entry in load_suite(suite):
        if not entry.at or entry.method_settings or entry.own_settings or entry.samples:
            raise ValueError(
                f"expected entries with axes, and without settings of methods, in the suite {suite}: "
                f"one of {entry.problem} is no place on a map."
            )
        by_panel.setdefault((entry.problem, entry.protocol, *entry.at), []).append(entry)
    return [_panel(suite, entries, found) for entries in by_panel.values()]


def panels_worth_showing(records: Iterable[Record]) -> list[Panel]:
    """Return the panels of those built-in maps that a store has half of: other suites share some settings."""
    known = list(records)
    settings = {canonical([r.cell.problem, r.cell.problem_settings]): r.cell.problem for r in known}
    if len(settings) == len(set(settings.values())):  # no problem has two settings: nothing to look for
        return []
    shown = []
    for suite in SUITES:
        made = panels(known, suite=suite)
        if 2 * sum(len(panel.run) for panel in made) >= sum(len(panel.settings) for panel in made):
            shown += [panel for panel in made if panel.run]
    return shown


def _panel(suite: str, entries: list[Entry], found: Mapping[str, Mapping[int, Record]]) -> Panel:
    first = entries[0]
    trained, others = rivals(dict.fromkeys(name for entry in entries for name in entry.methods))
    axes = {axis: tuple(dict.fromkeys(entry.at[axis] for entry in entries)) for axis in first.at}

    def place(entry: Entry) -> list[int]:
        return [values.index(entry.at[axis]) for axis, values in axes.items()]

    return Panel(
        suite=suite,
        problem=first.problem,
        protocol=first.protocol,
        axes=axes,
        settings=tuple(_setting(entry, found) for entry in sorted(entries, key=place)),
        methods=(CHOSEN, *trained, *others),
    )


def _setting(entry: Entry, found: Mapping[str, Mapping[int, Record]]) -> Setting:
    """One place; of seeds, those of the suite: a store may hold others, which were not meant for it."""
    settings = changed(make_problem(entry.problem, **entry.settings).settings)
    records = {}
    for method in entry.methods:
        by_seed = found.get(_key(entry.problem, settings, entry.protocol, method), {})
        records[method] = {seed: by_seed[seed] for seed in entry.seed_range if seed in by_seed}
    return Setting.of(entry.problem, entry.at, settings, records)


def _key(problem: str, settings: Mapping[str, Any], protocol: str, method: str) -> str:
    return canonical([problem, settings, protocol, method])


def _is_usual(cell: Cell) -> bool:
    """Whether a method had the protocol's settings and its own number of samples, and no user's code."""
    others = (cell.method_changes, cell.problem_code, cell.method_code, cell.older)
    return not any(others) and "samples" not in cell.method_settings
