"""How many numbers of a paper ours agree with, and which they do not."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .ours import Pair
from .paper import Paper


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts by method, and the pairs that do not agree, in the paper's order."""

    by_method: Mapping[str, tuple[int, int]]  # label: (agree, have been run with two seeds or more)
    outside: tuple[Pair, ...]

    @property
    def total(self) -> tuple[int, int]:
        """The counts of all methods together."""
        agree, run = (sum(counts) for counts in zip(*self.by_method.values(), strict=True))
        return agree, run


def agreement(made: Iterable[Pair], paper: Paper) -> Agreement | None:
    """Count the pairs that agree; None where none can be compared, or the data are not the paper's."""
    found: dict[str, list[bool]] = defaultdict(list)
    outside = []
    for pair in made:
        agrees = None if pair.ours is None else pair.ours.agrees(paper.tolerated(pair.published))
        if agrees is not None:
            found[pair.published.label].append(agrees)
            outside += [] if agrees else [pair]
    if not found or paper.other_data:
        return None
    counts = {label: (sum(verdicts), len(verdicts)) for label, verdicts in found.items()}
    return Agreement(counts, tuple(outside))
