"""Whether decision-focused training pays on one problem: from records of a few seeds to an answer."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean
from typing import Literal, Self

from ..errors import DflBenchError
from ..store.record import Record
from .paired import Gain, Needed
from .pairs import Kind, Pairs, rows_of
from .statistics import mean_sem

CONSTANT, FLOOR = "constant", "floor"
NOTHING = 0.01  # of what a constant prediction loses above the floor: less than that is not worth winning
CLEAR = 0.1  # of a constant's regret: who saves more on average says something, proven or not
MATTERS = 0.05  # of the baseline's regret: a gain below that is small

Verdict = Literal["yes", "no", "open", "no candidate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One method: what it loses, what it costs, and what it saves against the baseline."""

    method: str
    mean: float | None  # normalized regret; None without a score
    sem: float | None  # over the seeds; None below two
    lost: float | None  # mean regret of one decision, in the units of the problem's cost
    seconds: float | None  # of one fit
    solves: float | None  # of one fit
    scored: int  # fits with a score
    reason: str  # why the others have none
    gain: Gain | None  # against the baseline; None for itself, and without two pairs


@dataclass(frozen=True, kw_only=True)
class Advice:
    """The answer to "does decision-focused training pay here?", with all that it stands on."""

    problem: str
    seeds: int
    fits: int  # of each method
    test_rows: int
    pairs: Kind  # what is compared: see `Pairs`
    shared: float  # the mean share of test rows that two pairs have in common
    baseline: Standing
    candidates: tuple[Standing, ...]  # best first; those without a score last
    references: tuple[Standing, ...]  # a constant prediction, and the floor where it is known
    refused: Mapping[str, str]  # methods that do not apply, with the reason
    over_constant: Gain  # what the best method, the baseline included, saves against a constant prediction
    as_good: tuple[Standing, ...]  # other proven candidates that are not provably worse than the best
    needed: Needed | None  # what would show the difference of the best candidate

    @classmethod
    def of(
        cls,
        records: Sequence[Record],
        *,
        baseline: str,
        shared: float,
        refused: Mapping[str, str] | None = None,
    ) -> Self:
        """Judge the records of one problem, or of several that differ in their rows.

        Args:
            records: of the baseline, the candidates, and of `constant` and perhaps `floor`.
            baseline: the method that the others have to beat.
            shared: the mean share of test rows that two pairs have in common; 1: all have the same ones.
            refused: methods that do not apply, with the reason.
        """
        groups: dict[str, list[Record]] = defaultdict(list)
        for record in records:
            groups[record.cell.method].append(record)
        pairs = Pairs.of(groups, shared)
        for name in (baseline, CONSTANT):
            if len(pairs.scores.get(name, {})) < 2:
                raise DflBenchError(
                    f"no answer without two scores of {name}: {_reason(groups[name]) or 'none ran'}"
                )
        trained = [name for name in groups if name not in (baseline, CONSTANT, FLOOR)]
        lines = [_standing(groups[name], pairs.gain(name, baseline, len(trained))) for name in trained]
        lines.sort(key=lambda line: inf if line.gain is None or line.mean is None else line.mean)
        above = [pairs.gain(name, CONSTANT, len(trained) + 1) for name in (baseline, *trained)]
        most = max((gain for gain in above if gain is not None), key=lambda gain: gain.saved)
        return cls(
            problem=records[0].cell.problem,
            seeds=len({record.cell.seed for record in records}),
            fits=len(groups[baseline]),
            test_rows=next(rows_of(r) for r in groups[baseline] if r.regret is not None),
            pairs=pairs.kind,
            shared=shared,
            baseline=_standing(groups[baseline], None),
            candidates=tuple(lines),
            references=tuple(_standing(groups[name], None) for name in (CONSTANT, FLOOR) if name in groups),
            refused=refused or {},
            over_constant=most,
            as_good=tuple(_as_good(lines, pairs)),
            needed=pairs.needed(lines[0].method, baseline, len(trained)) if lines and lines[0].gain else None,
        )

    @property
    def verdict(self) -> Verdict:
        """Yes: a candidate is provably better than the baseline; no: all are provably worse."""
        found = {line.gain.verdict for line in self.candidates if line.gain}
        if not found:
            return "no candidate"
        if "better" in found:
            return "yes"
        return "no" if found == {"worse"} else "open"

    @property
    def best(self) -> Standing | None:
        """The candidate that the answer is about: the lowest regret, of those proven where there are any."""
        scored = [line for line in self.candidates if line.gain]
        return next(iter(_proven(scored) or scored), None)

    @property
    def floor(self) -> float | None:
        """The regret that no method can go below on average; None where it is not known."""
        return next((line.mean for line in self.references if line.method == FLOOR), None)

    @property
    def constant(self) -> float:
        """The regret of a constant prediction."""
        return next(
            line.mean for line in self.references if line.method == CONSTANT and line.mean is not None
        )

    @property
    def has_nothing_to_win(self) -> bool:
        """Whether the baseline loses next to nothing above the floor, beside what a constant loses."""
        assert self.baseline.mean is not None
        floor = self.floor or 0.0
        return self.baseline.mean - floor <= max(1e-9, NOTHING * (self.constant - floor))

    @property
    def is_near_constant(self) -> bool:
        """Whether no method is provably better than a constant prediction, nor much better on average."""
        share = self.over_constant.share
        return self.over_constant.verdict != "better" and (share is None or share < CLEAR)

    @property
    def rules_out_a_gain(self) -> bool:
        """Whether no candidate can save a share that matters, by the upper ends of the intervals."""
        ends = [line.gain.share_interval for line in self.candidates if line.gain]
        return bool(ends) and all(end is not None and end[1] < MATTERS for end in ends)

    @property
    def recommended(self) -> str:
        """The method to decide with: the best of those proven to pay, else the simplest one."""
        if self.has_nothing_to_win:
            return self.baseline.method
        if self.is_near_constant:
            return CONSTANT
        return self.best.method if self.best and self.verdict == "yes" else self.baseline.method


def _proven(lines: Sequence[Standing]) -> list[Standing]:
    return [line for line in lines if line.gain and line.gain.verdict == "better"]


def _as_good(lines: Sequence[Standing], pairs: Pairs) -> Iterator[Standing]:
    """The proven candidates that no test finds worse than the best of them."""
    for line in _proven(lines)[1:]:
        found = pairs.gain(line.method, _proven(lines)[0].method, len(_proven(lines)) - 1)
        if found is None or found.verdict != "worse":
            yield line


def _standing(records: Sequence[Record], gain: Gain | None) -> Standing:
    scored = [record for record in records if record.regret is not None]
    scores = [record.normalized_regret for record in scored if record.normalized_regret is not None]
    mean, sem = mean_sem(scores) if scores else (None, None)
    return Standing(
        method=records[0].cell.method,
        mean=mean,
        sem=sem if len(scores) > 1 else None,
        lost=fmean((r.regret_sum or 0.0) / rows_of(r) for r in scored) if scored else None,
        seconds=fmean(r.total_seconds for r in scored) if scored else None,
        solves=fmean(sum(r.solves.values()) for r in scored) if scored else None,
        scored=len(scored),
        reason=_reason(records),
        gain=gain,
    )


def _reason(records: Sequence[Record]) -> str:
    """The first line of the last error."""
    return next((r.error.partition("\n")[0] for r in reversed(records) if r.error), "")
