"""What a fit cost: seconds and solver calls by phase."""

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from . import devices
from .meter import Meter

PHASES = ("label", "surrogate", "train", "infer")


@dataclass(slots=True)
class Ledger:
    """Seconds and solved instances by phase: labelling, surrogate fit, predictor training, inference."""

    device: str = "cpu"
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    solves: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    curve: list[tuple[float, list[float]]] = field(
        default_factory=list
    )  # (seconds, validation regret a seed)
    meter: Meter | None = None  # of a solver that counts its own calls: then nobody else counts them
    _phase: str = ""
    _since: float = 0.0
    _read: tuple[int, float] = (0, 0.0)  # of the meter, at the last look

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Charge the enclosed time to a phase; a phase inside another pauses the outer one."""
        if name not in PHASES:
            raise ValueError(f"expected a phase among {', '.join(PHASES)}, got {name!r}.")
        outer = self._switch(name)
        try:
            yield
        finally:
            self._switch(outer)

    def _switch(self, name: str) -> str:
        devices.synchronize(self.device)
        self._read_meter()
        now = time.perf_counter()
        if self._phase:
            self.seconds[self._phase] += now - self._since
        outer, self._phase, self._since = self._phase, name, now
        return outer

    def _read_meter(self) -> None:
        if self.meter is None:
            return
        calls, saved = self.meter.calls, self.meter.saved_seconds
        phase = self._phase or "label"
        self.solves[phase] += calls - self._read[0]
        self.seconds[phase] += saved - self._read[1]
        self._read = (calls, saved)

    def observe(self, validation_regret: list[float]) -> None:
        """Add a point to the learning curve: the seconds charged so far and each seed's validation regret."""
        self._switch(self._phase)  # brings the running phase up to date
        self.curve.append((self.total_seconds, validation_regret))

    def count(self, instances: int) -> None:
        """Add solved instances to the current phase."""
        if self.meter is None:
            self.solves[self._phase or "label"] += instances

    def charge(self, phase: str, seconds: float, solves: int) -> None:
        """Add a recorded cost: what a cache hit would have cost without the cache.

        Args:
            phase: one of PHASES.
            seconds: seconds to add.
            solves: solved instances to add.
        """
        if self.meter is not None:  # what was asked for this just now is part of it
            seconds += self.meter.saved_seconds - self._read[1]
            self._read = (self.meter.calls, self.meter.saved_seconds)
        self.seconds[phase] += seconds
        self.solves[phase] += solves

    def share(self, index: int, seeds: int) -> "Ledger":
        """Return the part of one among seeds that were trained as one batch: its curve, an equal cost."""
        return Ledger(
            self.device,
            {phase: seconds / seeds for phase, seconds in self.seconds.items()},
            {phase: solves // seeds for phase, solves in self.solves.items()},
            [(seconds / seeds, [regret[index]]) for seconds, regret in self.curve],
        )

    @property
    def total_seconds(self) -> float:
        """Seconds of all finished phases."""
        return sum(self.seconds.values())
