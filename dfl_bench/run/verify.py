"""Run stored cells again and say whether the scores agree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..experiment.plan import group_of
from ..store.record import Record
from .child import Job, Plugin
from .supervisor import Limits, Slot

# Seeds trained as one batch agree with separate training to 1e-6; other processors round differently.
TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Check:
    """A stored record beside what this machine makes of its cell."""

    stored: Record
    here: Record

    @property
    def difference(self) -> float | None:
        """How far the two scores are apart, None where one is missing."""
        one, other = self.stored.normalized_regret, self.here.normalized_regret
        return None if one is None or other is None else abs(one - other)

    @property
    def verdict(self) -> str:
        """In a word or a sentence: "agrees", or what differs."""
        if self.stored.status != self.here.status:
            reason = self.here.error.partition("\n")[0]
            return f"{self.stored.status} there, {self.here.status} here" + (f": {reason}" if reason else "")
        if self.difference is None:
            return "agrees"
        if self.stored.data_digest != self.here.data_digest:
            return "other test data"
        return "agrees" if self.difference <= TOLERANCE else f"differs by {self.difference:.2g}"


def rerun(record: Record, *, plugins: Sequence[Plugin] = (), limits: Limits | None = None) -> Check:
    """Run a stored cell again, with the seeds it was trained with."""
    slot = Slot(limits or Limits())
    try:
        return _check(slot, record, plugins)
    finally:
        slot.close()


def verify(
    records: Sequence[Record],
    cells: int,
    *,
    seed: int | None = None,
    plugins: Sequence[Plugin] = (),
    limits: Limits | None = None,
) -> Iterator[Check]:
    """Run some scored records again, drawn at random: whoever made the store cannot know which."""
    scored = [record for record in records if record.status == "ok"]
    drawn = np.random.default_rng(seed).permutation(len(scored))[:cells]
    slot = Slot(limits or Limits())
    try:
        for i in drawn:
            yield _check(slot, scored[i], plugins)
    finally:
        slot.close()


def _check(slot: Slot, record: Record, plugins: Sequence[Plugin]) -> Check:
    again = slot.run(Job(group_of(record.cell, record.group), tuple(plugins), alone=True))
    return Check(record, next(r for r in again if r.key == record.key))
