"""Whether a stored score and the one of a new run agree."""

from dataclasses import dataclass

from ..store.record import Record

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
