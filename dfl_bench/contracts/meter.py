"""What a problem's solver was asked for: a solution that is kept counts at the cost of its first time."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Meter:
    """Calls of a solver in one fit: every instance once, however often it is asked for.

    Solutions may be known from an earlier fit. They count as calls here, too, with the seconds that they
    took: so the cost of a fit does not depend on what ran before it.
    """

    calls: int = 0
    saved_seconds: float = 0.0  # what known solutions would have taken
    _seen: set[bytes] = field(default_factory=set)

    def ask(self, instance: bytes, seconds: float | None) -> None:
        """Count an instance, the first time it is asked for.

        Args:
            instance: what is solved, by its content.
            seconds: what its known solution took; None where it is solved now.
        """
        if instance not in self._seen:
            self._seen.add(instance)
            self.calls += 1
            self.saved_seconds += seconds or 0.0
