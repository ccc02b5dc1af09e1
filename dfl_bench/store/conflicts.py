"""Two scores under one key: a sign that one version stands for two different codes."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from .record import Record

TOLERANCE = 1e-9  # the same code gives the same bits; other processors may add in another order


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two records of one cell whose scores differ."""

    ours: Record
    theirs: Record

    def __str__(self) -> str:
        cell = self.ours.cell
        method = f"{cell.method} (version {cell.method_version})"
        problem = f"{cell.problem} (version {cell.problem_version})"
        scores = f"{_score(self.ours)}, {_score(self.theirs)}"
        return f"{method} on {problem}, seed {cell.seed}: {scores}; key {self.ours.key}"


def find_conflicts(ours: Iterable[Record], theirs: Iterable[Record]) -> list[Conflict]:
    """Return the pairs of results that have one key and different scores.

    The key holds problem, method, both versions, all settings and the seed, so the same code gives the same
    score. Where scores differ, a version was not raised with its code, or a machine computes otherwise.
    """
    known = {record.key: record for record in ours}
    pairs = [(known[record.key], record) for record in theirs if record.key in known]
    return [Conflict(mine, other) for mine, other in pairs if _differ(mine, other)]


def _differ(mine: Record, other: Record) -> bool:
    one, two = mine.normalized_regret, other.normalized_regret
    if one is None or two is None:
        return mine.status != other.status
    if math.isfinite(one) and math.isfinite(two):
        return abs(one - two) > TOLERANCE
    return repr(one) != repr(two)  # NaN differs from itself


def _score(record: Record) -> str:
    score = record.normalized_regret
    shown = record.status if score is None else f"{score:.10g}"
    return f"{shown} at commit {record.environment.get('commit') or 'unknown'}"
