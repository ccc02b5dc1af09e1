"""The map as Rich tables and as Markdown."""

from collections import Counter
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from ..results.choice import CHOSEN
from ..results.gain import Gain, Setting, gain_of
from ..results.map import Panel
from .gain_text import NO_FLOOR, NOTE, gain_at, gain_text, interval_of, times, value_text
from .map_overview import found, overview
from .table import Table

REFERENCES = ("pfl", "floor", "constant")  # whose regrets stand beside the gain of the chosen method


def show_map(console: Console, panels: Sequence[Panel]) -> None:
    """Print the tables of every panel, and one of all together."""
    for panel in panels:
        console.print(Text(f"{panel.title} · protocol {panel.protocol}", style="bold"))
        for line in _remarks(panel):
            console.print(Text(line, style="dim"))
        for table in tables(panel):
            table.show(console)
    if whole := overview(panels):
        console.print(Text(f"{whole.title}.", style="bold"))
        whole.show(console)
    console.print(Text(NOTE), soft_wrap=True)


def markdown(panels: Sequence[Panel], pictures: Iterable[tuple[Panel, str, str]] = ()) -> str:
    """Return the map as Markdown: what has been run, panel by panel, and the names of the rest.

    Args:
        panels: the map.
        pictures: of panels: what each is called, and the address of its file.
    """
    drawn = [(panel, f"![{name}]({address})") for panel, name, address in pictures]
    whole = overview(panels)
    parts = [f"{whole.title}:\n\n{whole.markdown()}"] if whole else []
    for panel in (panel for panel in panels if panel.run):
        parts.append(f"### {panel.title}")
        parts += _remarks(panel)
        parts += [picture for of, picture in drawn if of is panel]
        first, *further = tables(panel)
        parts.append(f"{first.title}:\n\n{first.markdown()}")
        parts += [_folded(table) for table in further]
    waiting = [f"{panel.title} ({len(panel.settings)} settings)" for panel in panels if not panel.run]
    if waiting:
        parts.append(f"Not run yet: {'; '.join(waiting)}.")
    return "\n\n".join([*parts, *([NOTE] if len(waiting) < len(panels) else [])]) + "\n"


def tables(panel: Panel) -> list[Table]:
    """Return the tables of a panel; nothing where nothing has been run."""
    return [summary(panel), settings_table(panel), methods_table(panel)] if panel.run else []


def summary(panel: Panel) -> Table:
    """Return what each method gains over all settings together, and what it costs."""
    rows = []
    for method in panel.methods:
        settings = [s for s in panel.run if gain_of([s], method) is not None]
        gain = gain_of(settings, method)
        if gain is not None:
            better, worse = found(settings, method)
            said = gain_text(gain, found=gain.is_found)
            cost = (times(gain.solves), times(gain.seconds))
            rows.append([method, said, interval_of(gain), str(better), str(worse), str(len(settings)), *cost])
    columns = ("method", "gain %", "95 %", "better", "worse", "settings", "solves", "seconds")
    return Table(
        "All settings together; in how many a test finds the method better or worse; "
        "its cost as a multiple of that of `pfl`",
        columns,
        rows,
    )


def settings_table(panel: Panel) -> Table:
    """Return the regrets of each setting, what the chosen method gains there, and which one that is."""
    rows = []
    for setting in panel.settings:
        means = (setting.mean(name) for name in REFERENCES)
        regrets = ["" if mean is None else f"{mean:.3f}" for mean in means]
        gain = gain_of([setting], CHOSEN)
        chosen = [gain_at(setting, CHOSEN), interval_of(gain), _who(setting)]
        rows.append([*_place(setting), *regrets, *chosen, *_cost(gain)])
    columns = (*panel.axes, *REFERENCES, "gain %", "95 %", "chosen", "solves", "seconds")
    return Table("Normalized regret, and the gain and cost of the chosen method", columns, rows)


def methods_table(panel: Panel) -> Table:
    """Return the gain of each method in each setting."""
    rows = [[*_place(s), *(gain_at(s, method) for method in panel.methods)] for s in panel.settings]
    return Table("Gain in percent", (*panel.axes, *panel.methods), rows)


def _place(setting: Setting) -> list[str]:
    return [value_text(value) for value in setting.at.values()]


def _who(setting: Setting) -> str:
    """The chosen method; both where the halves of the seeds choose two."""
    counts = Counter(record.cell.method for record in setting.records.get(CHOSEN, {}).values())
    return ", ".join(name for name, _ in counts.most_common())


def _cost(gain: Gain | None) -> tuple[str, str]:
    return ("", "") if gain is None else (times(gain.solves), times(gain.seconds))


def _remarks(panel: Panel) -> list[str]:
    missing = len(panel.settings) - len(panel.run)
    remarks = [NO_FLOOR] if panel.run and not panel.has_floor else []
    return (
        [*remarks, f"{missing} of {len(panel.settings)} settings have not been run."] if missing else remarks
    )


def _folded(table: Table) -> str:
    """A table that a reader opens; the empty lines let Markdown see it."""
    return f'<details markdown="1"><summary>{table.title}</summary>\n\n{table.markdown()}\n\n</details>'
