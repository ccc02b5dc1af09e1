"""A slow solver: asked once for each instance, and by several processes where there is much to do."""

import hashlib
import os
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contracts.meter import Meter
from ._own_workers import Solve, Workers

START_SECONDS = 20.0  # of solving ahead, from which more processes are worth their start
LARGEST = 1 << 28  # bytes of solutions that are kept
BLOCKS = 4  # for each process, so that none waits for the slowest
IN_A_RUN = "DFL_BENCH_WORKER"  # set in the processes of `dfl-bench run`, which fills the cores with cells


class KeptSolver:
    """A function from rows to decisions, with the decisions it has found, by the content of a row."""

    def __init__(self, solve: Solve, workers: int | None = None) -> None:
        """Take a solver.

        Args:
            solve: outcomes (m, D), context by name, and what errors call the rows, to decisions (m, ...).
            workers: how many processes; None: as many as there are cores, when it is worth it.
        """
        self._solve, self._wanted = solve, workers
        self._known: OrderedDict[bytes, tuple[np.ndarray, float]] = OrderedDict()
        self._bytes, self._each = 0, 0.0  # seconds of one solve, as measured
        self._started: tuple[int, Workers | None] = (0, None)
        self.calls = 0  # how often the solver has really been asked, by this process

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": OrderedDict(), "_bytes": 0, "_started": (0, None)}

    def __call__(
        self,
        y: np.ndarray,
        context: Mapping[str, np.ndarray],
        meter: Meter | None = None,
        numbers: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return the decision of every row.

        Args:
            y: predictions or outcomes (m, D).
            context: what belongs to each row, by name.
            meter: counts what is asked for.
            numbers: what errors call the rows, (m,); None: 0, 1, ...
        """
        names = np.arange(len(y)) if numbers is None else numbers
        keys = [_key(row, y, context) for row in range(len(y))]
        found = {key: self._known[key] for key in keys if key in self._known}
        new = list(dict.fromkeys(key for key in keys if key not in found))
        if meter is not None:
            for key in keys:
                meter.ask(key, found[key][1] if key in found else None)
        if new:
            first = {key: row for row, key in reversed(list(enumerate(keys)))}
            rows = [first[key] for key in new]
            start = time.perf_counter()
            z = self._run(y[rows], {name: values[rows] for name, values in context.items()}, names[rows])
            self._each = (time.perf_counter() - start) / len(rows)
            self.calls += len(rows)
            found |= {key: (value, self._each) for key, value in zip(new, z, strict=True)}
        self._keep(found)
        return np.stack([found[key][0] for key in keys])

    def _keep(self, found: Mapping[bytes, tuple[np.ndarray, float]]) -> None:
        for key, (z, seconds) in found.items():
            if key not in self._known:
                self._known[key] = (z.copy(), seconds)
                self._bytes += z.nbytes
            self._known.move_to_end(key)
        while self._bytes > LARGEST:
            self._bytes -= self._known.popitem(last=False)[1][0].nbytes

    def _run(self, y: np.ndarray, context: Mapping[str, np.ndarray], names: np.ndarray) -> np.ndarray:
        workers = self._workers(len(y))
        if workers is None:
            return self._solve(y, context, names)
        cuts = np.array_split(np.arange(len(y)), min(len(y), BLOCKS * self._count()))
        blocks = [
            (y[part], {name: values[part] for name, values in context.items()}, names[part]) for part in cuts
        ]
        return np.concatenate(workers.solve(blocks))

    def _workers(self, rows: int) -> Workers | None:
        """The processes, started when they are needed; None where this process does it."""
        count = self._count()
        if count < 2 or rows < 2:
            return None
        if self._started[0] == os.getpid():
            return self._started[1]
        if self._wanted is None and rows * self._each < START_SECONDS:
            return None
        try:
            started = Workers(self._solve, count)
        except Exception as error:  # whatever pickle says of what cannot travel
            if self._wanted is not None:
                raise ValueError(
                    f"workers={self._wanted}: the solver cannot be sent to another process ({error}); "
                    "build it "
                    "inside decide, or pass workers=1."
                ) from error
            started = None
        self._started = (os.getpid(), started)
        return started

    def _count(self) -> int:
        if self._wanted is not None:
            return self._wanted
        if in_a_run():
            return 1
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_a_run() -> bool:
    """Return whether this is a process of `dfl-bench run`, whose problem was checked before."""
    return bool(os.environ.get(IN_A_RUN))


def _key(row: int, y: np.ndarray, context: Mapping[str, np.ndarray]) -> bytes:
    digest = hashlib.blake2b((y[row] + 0.0).tobytes(), digest_size=16)
    for name in sorted(context):
        digest.update(np.ascontiguousarray(context[name][row]).data)
    return digest.digest()
