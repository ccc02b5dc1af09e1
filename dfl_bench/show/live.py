"""What a run shows while it works: a live table on a terminal, plain lines elsewhere, or nothing."""

import time
from collections.abc import Sequence
from statistics import fmean
from typing import IO

from rich.console import Console
from rich.console import Group as Stack
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ..experiment.plan import Group
from ..run.progress import Progress
from ..store.record import Record
from .format import duration, score

ROWS = 8


class Lines(Progress):
    """One line for each finished group, for logs."""

    def __init__(self, stream: IO[str]) -> None:
        super().__init__()
        self.stream = stream

    def finished(self, group: Group, records: Sequence[Record]) -> None:
        """Print what became of a group."""
        super().finished(group, records)
        print(f"[{counts(self)}] {group.label}: {_outcome(records)}", file=self.stream, flush=True)


class LiveTable(Progress):
    """A table that is redrawn in place: what runs, what is done, and the leaders so far."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self.live = Live(console=console, refresh_per_second=4, transient=True)

    def begin(self, total: int, reused: int, todo: Sequence[Group]) -> None:
        """Start drawing.

        Args:
            total: how many cells there are.
            reused: how many of them have a result.
            todo: the groups to run.
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
        return Text(f"{counts(self)}\n{runs}")

    def _leaders(self) -> Table:
        table = Table("problem", "leaders so far: mean normalized regret (seeds)", box=None)
        for problem, methods in self.scores.items():
            ranked = sorted(methods.items(), key=lambda item: fmean(item[1]))
            leaders = ", ".join(f"{m} {score(fmean(s), None)} ({len(s)})" for m, s in ranked[:ROWS])
            table.add_row(Text(problem), Text(leaders))
        return table


def choose(console: Console, quiet: bool) -> Progress:
    """Return the progress that suits where it is shown."""
    if quiet:
        return Progress()
    return LiveTable(console) if console.is_terminal else Lines(console.file)


def counts(progress: Progress) -> str:
    """Return one line: cells done, failed, time left."""
    left = progress.seconds_left
    rest = "" if left is None else f", about {duration(left)} left"
    bad = f", {progress.failed} failed" if progress.failed else ""
    return f"{progress.done}/{progress.total} cells{bad}{rest}"


def _outcome(records: Sequence[Record]) -> str:
    scores = [r.normalized_regret for r in records if r.normalized_regret is not None]
    parts = [f"normalized regret {fmean(scores):.4f}"] if scores else []
    bad = [record for record in records if record.status != "ok"]
    parts += [f"{bad[0].status}: {bad[0].error.partition(chr(10))[0]}"] if bad else []
    return "; ".join(parts)
