"""Scores of ours beside a published number, and whether they agree."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .paper import Published
from .statistics import mean_sem


@dataclass(frozen=True, slots=True)
class Ours:
    """Our scores, one for each seed, beside a published number."""

    scores: tuple[float, ...]
    published: Published

    @property
    def mean(self) -> float:
        """The mean over seeds."""
        return mean_sem(self.scores)[0]

    @property
    def sem(self) -> float | None:
        """The standard error of the mean; None if there is one seed."""
        return mean_sem(self.scores)[1] if len(self.scores) > 1 else None

    @property
    def combined(self) -> float | None:
        """The standard error of the difference; None where either side is a single run."""
        if self.sem is None or self.published.sem is None:
            return None
        return float((self.sem**2 + max(self.published.sem, self.published.half_digit) ** 2) ** 0.5)

    @property
    def z(self) -> float | None:
        """The difference, ours minus theirs, in units of the combined standard error."""
        return None if self.combined is None else (self.mean - self.published.mean) / self.combined

    @property
    def lower(self) -> int:
        """How many of our seeds are lower than the published number: where a single run lies among them."""
        return sum(score < self.published.mean for score in self.scores)

    def agrees(self, tolerated: float = 0.0) -> bool | None:
        """Whether the difference is within two combined standard errors and what else is tolerated.

        A single run of theirs agrees where it lies between our lowest and our highest seed. None: one seed.
        """
        if self.sem is None:
            return None
        if self.combined is None:
            return 0 < self.lower < len(self.scores)
        return abs(self.mean - self.published.mean) <= 2.0 * self.combined + tolerated

    @classmethod
    def of(cls, scores: Iterable[float | None], published: Published) -> "Ours | None":
        """Return our scores; None if there is none, or one is missing."""
        values = list(scores)
        known = tuple(value for value in values if value is not None)
        return cls(known, published) if known and len(known) == len(values) else None


@dataclass(frozen=True, slots=True)
class Pair:
    """A published number and ours, by each divisor of the paper; None where nothing has been run."""

    published: Published
    by: Mapping[str, Ours | None]
    seeds: int
    older: str = ""  # the problem and the method of ours, where they are of an earlier version: "budget 1"

    @property
    def ours(self) -> Ours | None:
        """Ours by the first divisor."""
        return next(iter(self.by.values()))
