"""Whether the machine had other work while something was timed: seconds are compared where it had none."""

import math
import os
import time
from dataclasses import dataclass

import psutil

SHARE = 0.1  # of one core: what an idle machine does beside, the display of progress included
SLACK_SECONDS = 0.05  # the counters move in ticks of 10 ms, and not together


@dataclass(frozen=True, slots=True)
class Usage:
    """Seconds on three clocks: the wall's, all processors', and this process's share of those."""

    wall: float
    machine: float
    own: float

    @classmethod
    def now(cls) -> "Usage":
        """Read the clocks."""
        return cls(time.monotonic(), _machine_seconds(), sum(os.times()[:4]))

    def since(self, earlier: "Usage") -> "Usage":
        """What has gone by between two readings."""
        return Usage(self.wall - earlier.wall, self.machine - earlier.machine, self.own - earlier.own)

    @property
    def is_alone(self) -> bool:
        """Whether others than this process, and the children it has waited for, used next to nothing."""
        return self.machine - self.own <= SHARE * self.wall + SLACK_SECONDS


def _machine_seconds() -> float:
    """CPU seconds of all processes; NaN where the system does not say, and then nothing counts as alone."""
    try:
        times = psutil.cpu_times()
    except (OSError, RuntimeError):  # no /proc
        return math.nan
    return times.user + times.system + getattr(times, "nice", 0.0)
