"""Time ours and the references in turn, so that a noisy machine is unfair to nobody."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from statistics import median
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    """A solver, how to call it, and how good its answer is."""

    name: str
    run: Callable[[], Any]  # the call that is timed
    units: int  # rows, instances or QPs a call
    error: Callable[[Any], float] | None = None  # of what `run` returned; None where nothing is computed
    at_least: float | None = None  # how many times slower than ours it must be
    at_most: float | None = None  # how many times slower than it ours may be
    needs: tuple[str, ...] = ()  # optional packages


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the table; seconds are CPU seconds a unit, None for a solver that is not installed."""

    contest: str
    solver: str
    seconds: float | None
    unit: str
    error: float | None = None
    ratio: float | None = None  # to ours; below a limit "at most", ours to it
    target: str = ""
    reached: bool | None = None
    note: str = ""


def race(
    contest: str,
    unit: str,
    ours: Contestant,
    references: list[Contestant],
    repeats: int,
) -> list[Line]:
    """Return a line for ours and each reference: the median of CPU times a unit over interleaved repeats.

    All run on one thread, where CPU time is the time an idle machine would take. The first, untimed call of
    each compiles what there is to compile and gives the answer whose error is shown.

    Args:
        contest: what is solved.
        unit: what a time is given for, as "row".
        ours: our way.
        references: the others; one whose package is not installed is named and left out.
        repeats: how often each is timed.
    """
    entries = [ours, *references]
    missing = {e.name: lacking for e in entries if (lacking := [m for m in e.needs if not find_spec(m)])}
    running = [e for e in entries if e.name not in missing]
    errors = {e.name: e.error(answer) if e.error else None for e in running for answer in [e.run()]}
    times: dict[str, list[float]] = {e.name: [] for e in running}
    for _ in range(repeats):
        for entry in running:
            start = time.process_time()
            entry.run()
            times[entry.name].append((time.process_time() - start) / entry.units)
    seconds = {name: median(taken) for name, taken in times.items()}
    lines = []
    for entry in entries:
        if entry.name in missing:
            note = f"skipped: {', '.join(missing[entry.name])} is not installed"
            lines.append(Line(contest=contest, solver=entry.name, seconds=None, unit=unit, note=note))
        else:
            verdict = {} if entry is ours else _verdict(entry, seconds[entry.name], seconds[ours.name])
            lines.append(
                Line(
                    contest=contest,
                    solver=entry.name,
                    seconds=seconds[entry.name],
                    unit=unit,
                    error=errors[entry.name],
                    **verdict,
                )
            )
    return lines


def _verdict(entry: Contestant, theirs: float, ours: float) -> dict[str, Any]:
    if entry.at_most is not None:
        ratio = ours / theirs
        return {"ratio": ratio, "target": f"≤ {entry.at_most:,g}×", "reached": ratio <= entry.at_most}
    ratio = theirs / ours
    if entry.at_least is None:
        return {"ratio": ratio}
    return {"ratio": ratio, "target": f"≥ {entry.at_least:,g}×", "reached": ratio >= entry.at_least}
