"""How fast a run goes: the rate, the time left, and how far the cells are that run."""

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from ..experiment.estimate import Pair
from ..store.cell import Cell

UNKNOWN_SECONDS = 10.0  # what a cell is expected to take before anything is known
STRAIGHT = 0.8  # a share is linear in time up to here; then it slows down and never reaches 1


class Pace:
    """Expected and measured seconds of the cells of a run."""

    def __init__(self, typical: Mapping[Pair, float], clock: Callable[[], float] = time.monotonic) -> None:
        self._typical = typical  # from earlier runs
        self._clock = clock
        self._begun = clock()
        self._waiting: dict[str, Pair] = {}
        self._running: dict[str, tuple[Pair, float]] = {}  # with the time of the start
        self._spent: dict[Pair, list[float]] = defaultdict(list)

    def begin(self, todo: Sequence[Cell]) -> None:
        """Note the cells to run."""
        self._begun = self._clock()
        self._waiting = {cell.key: (cell.problem, cell.method) for cell in todo}

    def started(self, cell: Cell) -> None:
        """Note that a cell runs."""
        self._waiting.pop(cell.key, None)
        self._running[cell.key] = (cell.problem, cell.method), self._clock()

    def finished(self, cell: Cell) -> None:
        """Note that a cell has ended, whatever became of it."""
        pair, since = self._running.pop(cell.key)
        self._spent[pair].append(self._clock() - since)

    def skipped(self, cell: Cell) -> None:
        """Note that a cell need not run."""
        self._waiting.pop(cell.key, None)

    def elapsed(self, key: str) -> float:
        """Return for how long a cell has run."""
        return self._clock() - self._running[key][1]

    @property
    def begun(self) -> float:
        """How many cells the running ones are worth: the share of its expected time for each."""
        return sum(
            share(self.elapsed(key) / self._expected(pair)) for key, (pair, _) in self._running.items()
        )

    @property
    def cells_a_minute(self) -> float | None:
        """Cells that ended in a minute of this run; None before the first one."""
        ended = sum(map(len, self._spent.values()))
        return 60.0 * ended / max(self._clock() - self._begun, 1e-9) if ended else None

    @property
    def seconds_left(self) -> float | None:
        """What the other cells are expected to take, shared by those that run side by side."""
        if not (self._spent or self._typical):
            return None
        rest = [
            max(self._expected(pair) - self.elapsed(key), 0.0) for key, (pair, _) in self._running.items()
        ]
        waiting = sum(map(self._expected, self._waiting.values()))
        return (sum(rest) + waiting) / max(len(rest), 1)

    def _expected(self, pair: Pair) -> float:
        """Seconds of such cells in this run, else of any earlier run, else of all cells of this run."""
        if pair in self._spent:
            return max(fmean(self._spent[pair]), 1e-3)
        if pair in self._typical:
            return max(self._typical[pair], 1e-3)
        every = [seconds for group in self._spent.values() for seconds in group]
        return max(fmean(every), 1e-3) if every else UNKNOWN_SECONDS


def share(ratio: float) -> float:
    """Return how much of a cell is done after a ratio of its expected time: it grows, and stays below 1."""
    if ratio <= STRAIGHT:
        return ratio
    rest = 1.0 - STRAIGHT
    return 1.0 - rest * math.exp(-(ratio - STRAIGHT) / rest)
