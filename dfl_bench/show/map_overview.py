"""The whole map in one table: in how many settings a test finds each method better or worse than `pfl`.

Gains of different problems are not added: their units differ. What can be counted is settings.
"""

from collections.abc import Iterable

from ..contracts.fingerprint import canonical
from ..results.choice import BASELINE, CHOSEN
from ..results.gain import Setting, gain_of
from ..results.map import Panel
from .table import Table

TITLE = (
    "The whole map, each setting once: in how many a test finds a method better or worse than `pfl`, and in "
    "how many it has the lowest mean regret of all, ties included"
)


def overview(panels: Iterable[Panel]) -> Table | None:
    """Return the table of all panels together, None where fewer than two have been run."""
    run = [panel for panel in panels if panel.run]
    if len(run) < 2:
        return None
    settings = {canonical([p.protocol, s.problem, s.changed]): s for p in run for s in p.run}
    names = dict.fromkeys(name for panel in run for name in panel.methods)
    lowest = [_lowest(setting) for setting in settings.values()]
    rows = []
    for name in (BASELINE, *names):
        there = [s for s in settings.values() if name in s.records]
        better, worse = found(there, name)
        wins = "" if name == CHOSEN else str(sum(name in best for best in lowest))
        rows.append(((worse - better, -better), [name, str(len(there)), str(better), str(worse), wins]))
    columns = ("method", "settings", "better", "worse", "lowest")
    return Table(TITLE, columns, [row for _, row in sorted(rows, key=lambda pair: pair[0])])


def found(settings: Iterable[Setting], method: str) -> tuple[int, int]:
    """Return in how many settings a test finds a method better than `pfl`, and in how many worse."""
    gains = [gain for s in settings if method in s.found and (gain := gain_of([s], method))]
    return sum(gain.difference > 0 for gain in gains), sum(gain.difference < 0 for gain in gains)


def _lowest(setting: Setting) -> set[str]:
    """The methods with the lowest mean regret of a setting."""
    means = {name: mean for name in (BASELINE, *setting.compared) if (mean := setting.mean(name)) is not None}
    least = min(means.values())
    return {name for name, mean in means.items() if mean <= least * (1 + 1e-12)}
