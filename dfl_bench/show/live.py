"""What a run shows while it works: a live table on a terminal, plain lines elsewhere, or nothing."""

import time
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean
from typing import IO

from rich.console import Console
from rich.console import Group as Stack
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ..experiment.plan import label
from ..store.cell import Cell
from ..store.record import Record
from .format import duration, score

ROWS = 8


class Counts:
    """Counts of a run. This one shows nothing."""

    def __init__(self) -> None:
        self.total = self.done = self.failed = 0
        self.cells_left = 0
        self.running: dict[str, tuple[str, float]] = {}  # label and start by key
        self.spent: list[float] = []  # seconds of finished cells
        self.scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def begin(self, total: int, reused: int, todo: Sequence[Cell]) -> None:
        """Note how many cells there are, how many have a result, and the cells to run.

        Args:
            total: how many cells the run has.
            reused: how many of them have a result already.
            todo: the cells to run.
        """
        self.total, self.done = total, reused
        self.cells_left = len(todo)

    def started(self, cell: Cell) -> None:
        """Note that a cell runs."""
        self.running[cell.key] = (label(cell), time.monotonic())

    def finished(self, cell: Cell, record: Record) -> None:
        """Note what became of a cell."""
        self.spent.append(time.monotonic() - self.running.pop(cell.key)[1])
        self.cells_left -= 1
        self.done += 1
        self.failed += record.status in ("failed", "timeout")
        if record.normalized_regret is not None:
            problem, _, method = label(cell).partition(" ")
            self.scores[problem][method.partition(" seed")[0]].append(record.normalized_regret)

    def skipped(self, cell: Cell) -> None:
        """Note that a cell need not run, because another run has it."""
        self.cells_left -= 1
        self.done += 1

    def tick(self) -> None:
        """Refresh what is shown; called several times a second."""

    def close(self) -> None:
        """Leave the terminal as it was."""

    @property
    def seconds_left(self) -> float | None:
        """The finished cells' mean time, for those still to come, shared by those that run side by side."""
        if not self.spent:
            return None
        side_by_side = max(len(self.running), 1)
        return fmean(self.spent) * self.cells_left / side_by_side


class Lines(Counts):
    """One line for each finished cell, for logs."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__()
        self.stream = stream

    def finished(self, cell: Cell, record: Record) -> None:
        """Print what became of a cell."""
        super().finished(cell, record)
        print(f"[{in_a_line(self)}] {label(cell)}: {_outcome(record)}", file=self.stream, flush=True)


class LiveTable(Counts):
    """A table that is redrawn in place: what runs, what is done, and the leaders so far."""

    def __init__(self, console: Console) -> None:
        super().__init__()
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
        self.live.update(Stack(self._head(), self._leaders()))

    def close(self) -> None:
        """Stop drawing."""
        self.live.stop()

    def _head(self) -> Text:
        now = time.monotonic()
        runs = "\n".join(f"  {label} ({duration(now - since)})" for label, since in self.running.values())
        return Text(f"{in_a_line(self)}\n{runs}")

    def _leaders(self) -> Table:
        table = Table("problem", "leaders so far: mean normalized regret (seeds)", box=None)
        for problem, methods in self.scores.items():
            ranked = sorted(methods.items(), key=lambda item: fmean(item[1]))
            leaders = ", ".join(f"{m} {score(fmean(s), None)} ({len(s)})" for m, s in ranked[:ROWS])
            table.add_row(Text(problem), Text(leaders))
        return table


def choose(console: Console, quiet: bool) -> Counts:
    """Return the progress that suits where it is shown."""
    if quiet:
        return Counts()
    return LiveTable(console) if console.is_terminal else Lines(console.file)


def in_a_line(progress: Counts) -> str:
    """Return one line: cells done, failed, time left."""
    left = progress.seconds_left
    rest = "" if left is None else f", about {duration(left)} left"
    bad = f", {progress.failed} failed" if progress.failed else ""
    return f"{progress.done}/{progress.total} cells{bad}{rest}"


def _outcome(record: Record) -> str:
    if record.normalized_regret is not None:
        return f"normalized regret {record.normalized_regret:.4f}"
    return f"{record.status}: {record.error.partition(chr(10))[0]}"
