"""How far a run is; what to show of it is left to others."""

import time
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from ..experiment.plan import Group
from ..store.record import Record


class Progress:
    """Counts of a run. This one shows nothing."""

    def __init__(self) -> None:
        self.total = self.done = self.failed = 0
        self.groups_left = 0
        self.running: dict[str, tuple[str, float]] = {}  # label and start by the first cell's key
        self.spent: list[float] = []  # seconds of finished groups
        self.scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))

    def begin(self, total: int, reused: int, todo: Sequence[Group]) -> None:
        """Note how many cells there are, how many have a result, and the groups to run."""
        self.total, self.done = total, reused
        self.groups_left = len(todo)

    def started(self, group: Group) -> None:
        """Note that a group runs."""
        self.running[group.cells[0].key] = (group.label, time.monotonic())

    def finished(self, group: Group, records: Sequence[Record]) -> None:
        """Note what became of the cells of a group that had no result before."""
        self.spent.append(time.monotonic() - self.running.pop(group.cells[0].key)[1])
        self.groups_left -= 1
        self.done += len(records)
        for record in records:
            problem, _, method = group.label.partition(" ")
            self.failed += record.status in ("failed", "timeout")
            if record.normalized_regret is not None:
                self.scores[problem][method.partition(" seed")[0]].append(record.normalized_regret)

    def skipped(self, cells: int) -> None:
        """Note that a group need not run, because another run has its cells."""
        self.groups_left -= 1
        self.done += cells

    def tick(self) -> None:
        """Refresh what is shown; called several times a second."""

    def close(self) -> None:
        """Leave the terminal as it was."""

    @property
    def seconds_left(self) -> float | None:
        """The finished groups' mean time, for those still to come, shared by those that run side by side."""
        if not self.spent:
            return None
        side_by_side = max(len(self.running), 1)
        return fmean(self.spent) * self.groups_left / side_by_side
