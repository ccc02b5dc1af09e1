"""Records as scores in pairs: by seed, by problem where there are several, or by block of rows."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

import numpy as np

from ..errors import DflBenchError
from ..store.record import Record
from .paired import Gain, Needed, gain, needed

BLOCKS, LEAST_BLOCKS, LEAST_ROWS = 10, 6, 5  # of neighbouring test rows, and rows of a block

Kind = Literal["seeds", "problems", "blocks"]


@dataclass(frozen=True, slots=True)
class Pairs:
    """The scores of each method by pair.

    Of several problems, as those of several dates, each is a pair, and seeds are averaged. Where all seeds of
    one problem have the same test rows, seeds would say how steady a fit is, and nothing about other
    rows. So seeds are averaged, and a pair is a block of neighbouring rows.
    """

    scores: Mapping[str, Mapping[Hashable, float]]  # normalized regret by method and pair
    shared: float  # share of test rows that two pairs have in common
    kind: Kind

    @classmethod
    def of(cls, records: Mapping[str, Sequence[Record]], shared: float) -> "Pairs":
        """Pair the records of each method.

        Args:
            records: by method; those without a score are left out.
            shared: the mean share of test rows that two pairs have in common; 1: all have the same ones.
        """
        scored = {name: [r for r in group if r.regret is not None] for name, group in records.items()}
        if len({r.cell.place for group in records.values() for r in group}) > 1:
            return cls({name: _by_problem(group) for name, group in scored.items()}, shared, "problems")
        if shared < 1.0:
            return cls({name: _by_seed(group) for name, group in scored.items()}, shared, "seeds")
        return cls({name: _by_block(group) for name, group in scored.items()}, 0.0, "blocks")

    def gain(self, candidate: str, baseline: str, comparisons: int) -> Gain | None:
        """Compare two methods; None where they have fewer than two pairs in common.

        Args:
            candidate: the name of a method.
            baseline: the name of the method that it has to beat.
            comparisons: how many candidates are compared at once.
        """
        both = self._common(candidate, baseline)
        if len(both[0]) < 2:
            return None
        return gain(*both, shared=self.shared, comparisons=comparisons)

    def needed(self, candidate: str, baseline: str, comparisons: int) -> Needed:
        """Return what would show a difference of the size seen.

        Args:
            candidate: the name of a method.
            baseline: the name of the method that it has to beat.
            comparisons: how many candidates are compared at once.
        """
        return needed(*self._common(candidate, baseline), shared=self.shared, comparisons=comparisons)

    def _common(self, candidate: str, baseline: str) -> tuple[np.ndarray, np.ndarray]:
        one, other = self.scores.get(candidate, {}), self.scores.get(baseline, {})
        common = [pair for pair in one if pair in other]
        return np.array([one[i] for i in common]), np.array([other[i] for i in common])


def _score(record: Record) -> float:
    assert record.normalized_regret is not None
    return record.normalized_regret


def _by_seed(records: Sequence[Record]) -> dict[Hashable, float]:
    return {record.cell.seed: _score(record) for record in records}


def _by_problem(records: Sequence[Record]) -> dict[Hashable, float]:
    scores: dict[Hashable, list[float]] = defaultdict(list)
    for record in records:
        scores[record.cell.place].append(_score(record))
    return {place: fmean(values) for place, values in scores.items()}


def _by_block(records: Sequence[Record]) -> dict[Hashable, float]:
    """The mean over seeds of each block's regret, so that the mean over blocks is the normalized regret."""
    if not records:
        return {}
    regret = np.mean([r.regret for r in records if r.regret is not None], axis=0)
    worst = fmean(record.worst_sum or 0.0 for record in records)
    blocks = _blocks(len(regret), rows_of(records[0]))
    return {i: float(regret[part].sum() / worst * len(blocks)) for i, part in enumerate(blocks)}


def _blocks(numbers: int, rows: int) -> list[np.ndarray]:
    """Places of neighbouring rows: rows that follow each other in time are alike, so they stay together."""
    if rows < LEAST_BLOCKS * LEAST_ROWS:
        raise DflBenchError(
            f"all seeds have the same {rows} test rows, too few to compare methods on: expected "
            f"{LEAST_BLOCKS * LEAST_ROWS} or more. Give the split more test rows, or let seeds draw them."
        )
    return np.array_split(np.arange(numbers), min(BLOCKS, rows // LEAST_ROWS))


def rows_of(record: Record) -> int:
    """Return how many test rows a scored record has."""
    assert record.regret is not None
    return record.test_rows or len(record.regret)
