"""How many numbers of a paper ours agree with, and which they do not."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .ours import Pair
from .paper import Paper


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts by method and by problem, and the pairs that do not agree, in the paper's order."""

    by_method: Mapping[str, tuple[int, int]]  # label: (agree, have been run with two seeds or more)
    by_problem: Mapping[str, tuple[int, int]]
    outside: tuple[Pair, ...]

    @property
    def total(self) -> tuple[int, int]:
        """The counts of all methods together."""
        agree, run = (sum(counts) for counts in zip(*self.by_method.values(), strict=True))
        return agree, run


def agreement(made: Iterable[Pair], paper: Paper, divisor: str | None = None) -> Agreement | None:
    """Count the pairs that agree; None where none can be compared.

    Args:
        made: numbers of a paper with ours.
        paper: says what is tolerated.
        divisor: by which of the paper's divisors; None for the first.
    """
    by_method: dict[str, list[bool]] = defaultdict(list)
    by_problem: dict[str, list[bool]] = defaultdict(list)
    outside = []
    for pair in made:
        ours = pair.by[divisor or paper.divisors[0]]
        agrees = None if ours is None else ours.agrees(paper.tolerated(pair.published))
        if agrees is not None:
            by_method[pair.published.label].append(agrees)
            by_problem[pair.published.problem].append(agrees)
            outside += [] if agrees else [pair]
    if not by_method:
        return None
    return Agreement(_counted(by_method), _counted(by_problem), tuple(outside))


def _counted(verdicts: Mapping[str, Sequence[bool]]) -> dict[str, tuple[int, int]]:
    return {name: (sum(agree), len(agree)) for name, agree in verdicts.items()}
