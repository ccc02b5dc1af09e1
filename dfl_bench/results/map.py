"""The map: what decision-focused training gains over prediction-focused training, setting by setting.

A suite whose entries have axes is a map. Its panels are the problems' settings on one or two axes, such as degree × rows.
What a gain is stands in `gain`, how the best method is chosen in `choice`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..contracts.fingerprint import canonical
from ..store.record import Record
from .choice import CHOSEN, rivals
from .gain import Setting
from .runs import Run, runs_of

SUITE = "map"


@dataclass(frozen=True, slots=True)
class Panel:
    """The settings of one problem on the same axes."""

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
    def is_run(self) -> bool:
        """Whether at least half of it has been run: fewer settings are no map, other suites have them too."""
        return 2 * len(self.run) >= len(self.settings)

    @property
    def has_floor(self) -> bool:
        """Whether the floor is known wherever something has been run."""
        return all(setting.has_floor for setting in self.run)

    def at(self, **place: Any) -> Setting | None:
        """Return the setting at a place, None where the suite has none."""
        return next((setting for setting in self.settings if setting.at == place), None)


def panels(records: Iterable[Record], *, suite: str = SUITE, device: str = "cpu") -> list[Panel]:
    """Return the panels of a suite, in its order, with what a store has of them.

    Args:
        records: of a store.
        suite: the name of a suite whose entries have axes.
        device: where the methods were trained.
    """
    by_panel: dict[tuple[str, ...], list[Run]] = {}
    for run in runs_of(records, suite, device=device):
        entry = run.entry
        if not entry.at:
            raise ValueError(f"expected entries with axes in the suite {suite}, got one of {entry.problem} without.")
        by_panel.setdefault((entry.problem, run.cell.protocol, *entry.at), []).append(run)
    return [_panel(runs) for runs in by_panel.values()]


def _panel(runs: list[Run]) -> Panel:
    first = runs[0]
    by_place: dict[str, list[Run]] = {}
    for run in runs:
        by_place.setdefault(canonical(run.entry.at), []).append(run)
    trained, others = rivals(dict.fromkeys(run.cell.method for run in runs))
    return Panel(
        problem=first.entry.problem,
        protocol=first.cell.protocol,
        axes={axis: tuple(dict.fromkeys(run.entry.at[axis] for run in runs)) for axis in first.entry.at},
        settings=tuple(_setting(group) for group in by_place.values()),
        methods=(CHOSEN, *trained, *others),
    )


def _setting(runs: list[Run]) -> Setting:
    """One place; of seeds, those of the suite: a store may hold others, which were not meant for it."""
    first = runs[0]
    records = {
        run.cell.method: {
            seed: record
            for seed, record in sorted(run.records.items())
            if seed in run.entry.seed_range and not run.older
        }
        for run in runs
    }
    return Setting.of(first.entry.problem, first.entry.at, first.cell.problem_settings, records)
