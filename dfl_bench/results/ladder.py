"""From one way of running a problem to another, one change at a time: what each change does to whom."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..experiment.suite import load_suite
from ..store.record import Record
from .runs import Run, runs_of
from .statistics import MIN_SEEDS, mean_sem, sign_flip_test

SUITE = "ladder"
LEVEL = 0.05  # of the tests, uncorrected


@dataclass(frozen=True, slots=True)
class Rung:
    """One method on one step, and how far it is from the step before on the seeds that both have."""

    scores: Mapping[int, float]  # normalized regret by seed
    change: float | None  # the mean difference; None on the first step, and where a side is missing
    p_value: float | None  # None: no change, or too few seeds

    @property
    def concerned(self) -> bool:
        """Whether the step changed anything for the method; else its cells are those of the step before."""
        return bool(self.scores) and self.change != 0.0

    @property
    def significant(self) -> bool:
        """Whether a sign-flip test finds the change."""
        return self.p_value is not None and self.p_value < LEVEL

    @property
    def mean(self) -> float | None:
        """The mean over seeds; None where nothing has been run."""
        return mean_sem(list(self.scores.values()))[0] if self.scores else None

    @property
    def sem(self) -> float | None:
        """The standard error of the mean; None with fewer than two seeds."""
        return mean_sem(list(self.scores.values()))[1] if len(self.scores) > 1 else None


@dataclass(frozen=True, slots=True)
class Ladder:
    """The steps of one problem, from the first to the last, and a rung of every method on each."""

    problem: str
    steps: tuple[str, ...]
    rungs: Mapping[str, tuple[Rung, ...]]  # by method, one for each step
    protocol: str
    device: str


def problems_of(suite: str) -> set[str]:
    """Return the problems of a suite."""
    return {entry.problem for entry in load_suite(suite)}


def ladders(records: Iterable[Record], *, suite: str = SUITE) -> list[Ladder]:
    """Return the ladder of each problem of a suite whose entries name steps, in its order."""
    runs = runs_of(records, suite)
    return [_ladder(problem, list(group)) for problem, group in groupby(runs, lambda run: run.entry.problem)]


def _ladder(problem: str, runs: Sequence[Run]) -> Ladder:
    steps = tuple(dict.fromkeys(run.entry.step for run in runs))
    scores: dict[str, dict[str, Mapping[int, float]]] = {}
    for run in runs:
        scores.setdefault(run.cell.method, {})[run.entry.step] = _scores(run)
    rungs = {
        method: tuple(
            _rung(found.get(step, {}), found.get(before, {}) if before else {})
            for step, before in zip(steps, ("", *steps), strict=False)
        )
        for method, found in scores.items()
    }
    first = runs[0].cell
    return Ladder(problem, steps, rungs, first.protocol, first.device)


def _scores(run: Run) -> dict[int, float]:
    """Scores by seed; those of an earlier version would not be a step away from the others."""
    if run.older:
        return {}
    return {seed: r.normalized_regret for seed, r in run.records.items() if r.normalized_regret is not None}


def _rung(scores: Mapping[int, float], before: Mapping[int, float]) -> Rung:
    shared = sorted(scores.keys() & before.keys())
    if not shared:
        return Rung(scores, None, None)
    differences = [scores[seed] - before[seed] for seed in shared]
    enough = len(shared) >= MIN_SEEDS and any(differences)
    return Rung(scores, mean_sem(differences)[0], sign_flip_test(differences) if enough else None)
