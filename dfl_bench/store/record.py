"""A record: what became of one cell, with everything its score was computed from."""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .cell import Cell
from .environment import machine_digest

Status = Literal["ok", "n/a", "failed", "timeout"]
FINAL = ("ok", "n/a")  # not repeated by a restart; failures are
MOST_REGRETS = 400  # numbers that a record keeps; of a larger test set, the sums of neighbouring rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One cell, its score and its cost.

    `regret` and `worst_regret` hold one number for each test instance, or for each group of `group_size`
    neighbouring ones (the last group may be smaller): all that is computed from them are ratios of sums.
    """

    cell: Cell
    status: Status
    reference: bool = False  # a policy shown as a line, not a method in the race
    alone: bool = False  # the machine had no other work at the same time
    regret: np.ndarray | None = None
    worst_regret: np.ndarray | None = None
    group_size: int = 1
    test_rows: int | None = None  # not in older records, where every instance has its number
    predicted_worst_sum: float | None = None  # of regrets, see `regret_by_prediction`; not in older records
    optimal_sum: float | None = None  # of |optimal cost|, the divisor of papers on linear problems
    seconds: Mapping[str, float] = field(default_factory=dict)  # by phase
    solves: Mapping[str, int] = field(default_factory=dict)  # by phase
    peak_bytes: int = 0
    curve: tuple[tuple[float, float], ...] = ()  # (seconds, validation regret)
    data_digest: str = ""
    provenance: str = ""
    environment: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    started: str = ""  # ISO 8601, UTC
    finished: str = ""
    attempts: int = 1  # of a failure: how often it has been tried

    @property
    def key(self) -> str:
        """The cell's name in every store."""
        return self.cell.key

    @property
    def regret_sum(self) -> float | None:
        """Sum of test regrets."""
        return None if self.regret is None else float(self.regret.sum())

    @property
    def worst_sum(self) -> float | None:
        """Sum of the worst regrets."""
        return None if self.worst_regret is None else float(self.worst_regret.sum())

    @property
    def normalized_regret(self) -> float | None:
        """Sum of regrets over sum of worst regrets; None without a score."""
        if self.regret is None or self.worst_regret is None:
            return None
        return float(self.regret.sum() / self.worst_regret.sum())

    @property
    def relative_regret(self) -> float | None:
        """Sum of regrets over sum of |optimal cost|, as papers on linear problems print it."""
        if self.regret is None or not self.optimal_sum:
            return None
        return float(self.regret.sum() / self.optimal_sum)

    @property
    def mean_worst_regret(self) -> float | None:
        """Mean regret of the reference decision over the test instances."""
        if self.worst_regret is None:
            return None
        return float(self.worst_regret.sum()) / (self.test_rows or len(self.worst_regret))

    @property
    def regret_by_prediction(self) -> float | None:
        """Sum of regrets over that of the decisions that the prediction calls the worst."""
        if self.regret is None or not self.predicted_worst_sum:
            return None
        return float(self.regret.sum() / self.predicted_worst_sum)

    @property
    def total_seconds(self) -> float:
        """Seconds of all phases."""
        return sum(self.seconds.values())

    @property
    def is_timing(self) -> bool:
        """Whether the seconds are of this code: older records may share those of a batch."""
        return self.status == "ok" and not self.cell.older

    @property
    def machine(self) -> str:
        """Digest of the machine, within which alone timings are ranked."""
        return machine_digest(self.environment)


def grouped(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Return sums of groups of neighbouring rows, at most MOST_REGRETS of them, and the size of a group."""
    size = max(1, -(-len(values) // MOST_REGRETS))
    starts = np.arange(0, len(values), size)
    return np.add.reduceat(values, starts) if size > 1 else values, size


def pack(values: np.ndarray | None) -> bytes | None:
    """Compress float64 values losslessly, so that a stored score is exactly the one computed."""
    if values is None:
        return None
    return zlib.compress(np.ascontiguousarray(values, dtype="<f8").tobytes(), 6)


def unpack(blob: bytes | None) -> np.ndarray | None:
    """Return what `pack` was given, shape (N,)."""
    return None if blob is None else np.frombuffer(zlib.decompress(blob), dtype="<f8")
