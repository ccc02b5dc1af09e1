"""What decision-focused training gains over prediction-focused training, seed by seed.

**The unit.** A gain is (regret of `pfl` - regret of the method) / (regret of `pfl` - regret of the floor),
sums over seeds in both: 1 is all that `pfl` leaves to be gained, 0 nothing, and a method that loses has a
gain below 0. Where a problem has no known floor it counts as 0, and tables say so: the gain is then a share
of the whole regret, part of which may be out of everybody's reach. A ratio of sums, because a single seed may
bring `pfl` to the floor.

**The test** flips the signs of the differences of the seeds; the interval is what that test does not reject,
so it leaves 0 out exactly where the test finds a difference. Where the interval has no end, `pfl` may be at
the floor: there is nothing to divide by, and no gain is given.

`paired` has another gain, for `dfl-bench advise`: there seeds share the rows of one table, which a flip of
signs cannot allow for. On the map seeds draw new data, but for `energy`, whose seeds share some days.

**Several settings** are pooled by adding their regrets, seed by seed, above and below.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any

import numpy as np

from ..store.record import Record
from .choice import BASELINE, CHOSEN, BySeed, choose, rivals
from .groups import joint_sign_flip_test
from .statistics import MIN_SEEDS, sign_flip_interval, sign_flip_test

FLOOR = "floor"
LEVEL = 0.05


@dataclass(frozen=True)
class Setting:
    """One configured problem and the records of every method on it."""

    problem: str
    at: Mapping[str, Any]  # its place on the axes of the map
    changed: Mapping[str, Any]  # settings of the problem that are not the default
    records: Mapping[str, BySeed]  # by method; `CHOSEN` is among them where it can be told

    @classmethod
    def of(
        cls, problem: str, at: Mapping[str, Any], changed: Mapping[str, Any], records: Mapping[str, BySeed]
    ) -> "Setting":
        """Return a setting with the method that is chosen from the decision-focused ones.

        Args:
            problem: its name.
            at: the place on the axes of the map.
            changed: settings of the problem that are not the default.
            records: by method and seed.
        """
        found = {method: by_seed for method, by_seed in records.items() if by_seed}
        return cls(problem, at, changed, {**found, **choose(found)})

    @property
    def compared(self) -> list[str]:
        """The methods that stand beside `pfl`, without `CHOSEN`."""
        trained, others = rivals(self.records)
        return [*trained, *others] if BASELINE in self.records else []

    @property
    def has_floor(self) -> bool:
        """Whether the floor is known on every seed of `pfl`; else it counts as 0."""
        return self.records.get(FLOOR, {}).keys() >= self.records.get(BASELINE, {}).keys()

    @cached_property
    def found(self) -> frozenset[str]:
        """The methods that a test tells from `pfl`: all of a setting at once, but `CHOSEN` by itself."""
        scores = {
            name: _scores(self.records[name]) for name in (BASELINE, *self.compared) if name in self.records
        }
        pfl = scores.pop(BASELINE, {})
        tested = [name for name, by_seed in scores.items() if len(by_seed.keys() & pfl.keys()) >= MIN_SEEDS]
        found = set()
        if tested:
            rows = [
                [scores[name].get(seed, np.nan) - score for name in tested] for seed, score in pfl.items()
            ]
            p_values = joint_sign_flip_test(np.array(rows))
            found = {name for name, p in zip(tested, p_values, strict=True) if p <= LEVEL}
        chosen = gain_of([self], CHOSEN)
        return frozenset(found | ({CHOSEN} if chosen and chosen.is_found else set()))

    def mean(self, method: str) -> float | None:
        """Return the mean normalized regret of a method, None where it has not been run."""
        by_seed = self.records.get(method)
        return fmean(_scores(by_seed).values()) if by_seed else None

    def excess(self, seed: int) -> float:
        """Return the regret of `pfl` on a seed above that of the floor."""
        floor = _score(self.records[FLOOR][seed]) if self.has_floor else 0.0
        return _score(self.records[BASELINE][seed]) - floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """A method against another on some settings."""

    method: str
    settings: int
    seeds: int  # that all of them have
    difference: float  # of normalized regret, a mean over seeds and settings; above 0 the method is better
    value: float | None  # in units of what `pfl` leaves; None: `pfl` may be at the floor
    interval: tuple[float, float] | None  # 95 %; None: too few seeds, or no gain
    p_value: float | None  # of this comparison alone; None: too few seeds
    solves: float | None  # instances given to the solver, times those of the other; None: it solves nothing
    seconds: float | None  # of a fit, times those of the other; None: timed on another machine

    @property
    def is_found(self) -> bool:
        """Whether the test finds a difference."""
        return self.p_value is not None and self.p_value <= LEVEL


def gain_of(settings: Sequence[Setting], method: str, against: str = BASELINE) -> Gain | None:
    """Return what a method gains over some settings together; None where one of them has no such records.

    Args:
        settings: configured problems; each counts with its regrets.
        method: a name, or `CHOSEN`.
        against: what it is compared with; the unit is that of `pfl` all the same.
    """
    needed = (method, against, BASELINE)
    if not settings or any(name not in setting.records for setting in settings for name in needed):
        return None
    shared = set.intersection(*(set(s.records[name]) for s in settings for name in needed))
    seeds = sorted(shared)
    if not seeds:
        return None
    ours, theirs = (
        [[s.records[name][seed] for s in settings] for seed in seeds] for name in (method, against)
    )
    differences = [
        sum(_score(b) - _score(a) for a, b in zip(one, other, strict=True))
        for one, other in zip(ours, theirs, strict=True)
    ]
    units = [sum(setting.excess(seed) for setting in settings) for seed in seeds]
    enough = len(seeds) >= MIN_SEEDS
    interval = sign_flip_interval(differences, units, level=LEVEL) if enough else None
    known = sum(units) > 0.0 and (interval is not None or not enough)
    return Gain(
        method=method,
        settings=len(settings),
        seeds=len(seeds),
        difference=fmean(differences) / len(settings),
        value=sum(differences) / sum(units) if known else None,
        interval=interval,
        p_value=sign_flip_test(differences) if enough else None,
        solves=_ratio(ours, theirs, lambda record: float(sum(record.solves.values()))),
        seconds=_ratio(ours, theirs, lambda record: record.total_seconds)
        if _one_machine(ours, theirs)
        else None,
    )


def _score(record: Record) -> float:
    score = record.normalized_regret
    assert score is not None, "a setting holds scored records alone"
    return score


def _scores(records: BySeed) -> dict[int, float]:
    return {seed: _score(record) for seed, record in sorted(records.items())}


def _ratio(
    ours: Sequence[Sequence[Record]], theirs: Sequence[Sequence[Record]], cost: Callable[[Record], float]
) -> float | None:
    """What one side spent over what the other did."""
    spent, other = (sum(cost(record) for rows in side for record in rows) for side in (ours, theirs))
    return spent / other if other else None


def _one_machine(*sides: Sequence[Sequence[Record]]) -> bool:
    return len({record.machine for side in sides for rows in side for record in rows}) == 1
