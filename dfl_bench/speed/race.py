"""Time ours and the references in turn, so that a noisy machine is unfair to none of them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How often each measurement is repeated, and which share of its rows is used."""

    repeats: int
    share: float = 1.0  # below 1 the targets mean nothing: for trying whether a contest runs

    def rows(self, n: int) -> int:
        """Return how many of n rows to use, at least eight."""
        return max(8, round(n * self.share))

    @property
    def fewer(self) -> int:
        """How often to repeat what takes long."""
        return max(1, self.repeats // 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A solver, how to call it, and how good its answer is."""

    name: str
    run: Callable[[], Any]  # the call that is timed
    units: int  # rows, instances or QPs of one call
    error: Callable[[Any], float] | None = None  # of what `run` returned; None where nothing is computed
    at_least: float | None = None  # how many times slower than ours it must be
    at_most: float | None = None  # how many times slower than it ours may be
    needs: tuple[str, ...] = ()  # optional packages


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the table; seconds are CPU seconds per unit, None for a solver that is not installed."""

    contest: str
    solver: str
    seconds: float | None
    unit: str
    error: float | None = None
    error_means: str = ""
    ratio: float | None = None  # to ours; below a limit "at most", ours to it
    target: str = ""
    reached: bool | None = None
    note: str = ""


def race(
    contest: str,
    unit: str,
    error_means: str,
    entries: list[Contestant],
    repeats: int,
) -> list[Line]:
    """Return a line for each entry: the median of CPU times per unit over interleaved repeats.

    All run on one thread, where CPU time is the time an idle machine would take. The first, untimed call of
    each compiles what there is to compile and gives the answer whose error is shown.

    Args:
        contest: what is solved.
        unit: what a time is given for, as "row".
        error_means: what the errors measure, in words.
        entries: ours first; of the others, one whose package is not installed is named and left out.
        repeats: how often each is timed.
    """
    missing = {e.name: lacking for e in entries if (lacking := [m for m in e.needs if not find_spec(m)])}
    running = [e for e in entries if e.name not in missing]
    errors = {e.name: e.error(answer) if e.error else None for e in running for answer in [e.run()]}
    seconds = _seconds(running, repeats)
    lines = []
    for entry in entries:
        if entry.name in missing:
            note = f"skipped: {', '.join(missing[entry.name])} is not installed"
            lines.append(Line(contest=contest, solver=entry.name, seconds=None, unit=unit, note=note))
        else:
            verdict = _verdict(entry, seconds[entry.name], seconds[entries[0].name])
            lines.append(
                Line(
                    contest=contest,
                    solver=entry.name,
                    seconds=seconds[entry.name],
                    unit=unit,
                    error=errors[entry.name],
                    error_means=error_means,
                    **({} if entry is entries[0] else verdict),
                )
            )
    return lines


def _seconds(entries: list[Contestant], repeats: int) -> dict[str, float]:
    times: dict[str, list[float]] = {entry.name: [] for entry in entries}
    for _ in range(repeats):
        for entry in entries:
            start = time.process_time()
            entry.run()
            times[entry.name].append((time.process_time() - start) / entry.units)
    return {name: median(taken) for name, taken in times.items()}


def _verdict(entry: Contestant, theirs: float, ours: float) -> dict[str, Any]:
    if entry.at_most is not None:
        ratio = ours / theirs
        return {"ratio": ratio, "target": f"≤ {entry.at_most:,g}×", "reached": ratio <= entry.at_most}
    ratio = theirs / ours
    if entry.at_least is None:
        return {"ratio": ratio}
    return {"ratio": ratio, "target": f"≥ {entry.at_least:,g}×", "reached": ratio >= entry.at_least}


def made_late(make: Callable[[], Any], call: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return a call whose subject is made the first time, which is not timed."""
    made: list[Any] = []

    def run() -> Any:
        if not made:
            made.append(make())
        return call(made[0])

    return run
