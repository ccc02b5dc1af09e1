"""What a run shows while it works: a live bar on a terminal, plain lines elsewhere, or nothing."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import IO

from rich.console import Console
from rich.console import Group as Stack
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from ..experiment.estimate import Pair
from ..experiment.plan import label
from ..store.cell import Cell
from ..store.record import Record
from .format import duration, score
from .pace import Pace

ROWS = 8
BAR_WIDTH = 30


class Counts:
    """Counts of a run. This one shows nothing."""

    def __init__(self, typical: Mapping[Pair, float] | None = None) -> None:
        self.total = self.done = self.failed = 0
        self.pace = Pace(typical or {})
        self.running: dict[str, str] = {}  # label by key
        self.scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.references: set[str] = set()  # the methods that are not in the race

    def begin(self, total: int, reused: int, todo: Sequence[Cell]) -> None:
        """Note how many cells there are, how many have a result, and the cells to run.

        Args:
            total: how many cells the run has.
            reused: how many of them have a result already.
            todo: the cells to run.
        """
        self.total, self.done = total, reused
        self.pace.begin(todo)

    def started(self, cell: Cell) -> None:
        """Note that a cell runs."""
        self.running[cell.key] = label(cell)
        self.pace.started(cell)

    def finished(self, cell: Cell, record: Record) -> None:
        """Note what became of a cell."""
        del self.running[cell.key]
        self.pace.finished(cell)
        self.done += 1
        self.failed += record.status in ("failed", "timeout")
        if record.normalized_regret is not None:
            problem, _, rest = label(cell).partition(" ")
            method = rest.partition(" seed")[0]
            self.scores[problem][method].append(record.normalized_regret)
            if record.reference:
                self.references.add(method)

    def skipped(self, cell: Cell) -> None:
        """Note that a cell need not run, because another run has it."""
        self.pace.skipped(cell)
        self.done += 1

    def tick(self) -> None:
        """Refresh what is shown; called several times a second."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class Lines(Counts):
    """One line for each finished cell, for logs."""

    def __init__(self, stream: IO[str], typical: Mapping[Pair, float] | None = None) -> None:
        super().__init__(typical)
        self.stream = stream

    def finished(self, cell: Cell, record: Record) -> None:
        """Print what became of a cell."""
        super().finished(cell, record)
        print(f"[{in_a_line(self)}] {label(cell)}: {_outcome(record)}", file=self.stream, flush=True)


class LiveTable(Counts):
    """A bar that is redrawn in place, with what runs and the leaders so far."""

    def __init__(self, console: Console, typical: Mapping[Pair, float] | None = None) -> None:
        super().__init__(typical)
        self.live = Live(console=console, refresh_per_second=4, transient=True)

    def begin(self, total: int, reused: int, todo: Sequence[Cell]) -> None:
        """Start drawing.

        Args:
            total: how many cells there are.
            reused: how many of them have a result.
            todo: the cells to run.
        """
        super().begin(total, reused, todo)
        self.live.start()

    def tick(self) -> None:
        """Redraw."""
        self.live.update(Stack(self._bar(), self._runs(), self._leaders()))

    def close(self) -> None:
        """Stop drawing."""
        self.live.stop()

    def _bar(self) -> Table:
        """The bar moves within a cell: a cell that runs counts by the share of its expected time."""
        completed = self.done + self.pace.begun
        row = Table.grid(padding=(0, 1))
        row.add_row(
            ProgressBar(total=max(self.total, 1), completed=completed, width=BAR_WIDTH),
            Text(f"{100 * completed / max(self.total, 1):.0f} %"),
            Text(in_a_line(self)),
        )
        return row

    def _runs(self) -> Text:
        lines = (f"  {name} ({duration(self.pace.elapsed(key))})" for key, name in self.running.items())
        return Text("\n".join(lines))

    def _leaders(self) -> Table:
        table = Table("problem", "leaders so far: mean normalized regret (seeds)", box=None)
        for problem, methods in self.scores.items():
            table.add_row(Text(problem), Text(leaders(methods, self.references)))
        return table


def leaders(methods: Mapping[str, Sequence[float]], references: Iterable[str]) -> str:
    """Return the methods with the lowest means, then the reference policies."""
    lines = set(references)
    ranked = sorted(methods.items(), key=lambda item: fmean(item[1]))
    racing = [_mean(name, scores) for name, scores in ranked if name not in lines]
    fixed = [_mean(name, scores) for name, scores in ranked if name in lines]
    return "; references: ".join(", ".join(part) for part in (racing[:ROWS], fixed) if part)


def _mean(method: str, scores: Sequence[float]) -> str:
    return f"{method} {score(fmean(scores), None)} ({len(scores)})"


def choose(console: Console, quiet: bool, typical: Mapping[Pair, float] | None = None) -> Counts:
    """Return the progress that suits where it is shown.

    Args:
        console: where it is shown.
        quiet: whether to show nothing.
        typical: the seconds that such cells took before, by problem and method.
    """
    if quiet:
        return Counts(typical)
    return LiveTable(console, typical) if console.is_terminal else Lines(console.file, typical)


def in_a_line(progress: Counts) -> str:
    """Return one line: cells done, failed, rate, time left."""
    rate, left = progress.pace.cells_a_minute, progress.pace.seconds_left
    speed = "" if rate is None else f", {rate:.3g} cells/min"
    rest = "" if left is None else f", about {duration(left)} left"
    bad = f", {progress.failed} failed" if progress.failed else ""
    return f"{progress.done}/{progress.total} cells{bad}{speed}{rest}"


def _outcome(record: Record) -> str:
    if record.normalized_regret is not None:
        return f"normalized regret {record.normalized_regret:.4f}"
    return f"{record.status}: {record.error.partition(chr(10))[0]}"
