"""Sentences about the map that are recomputed: which settings back each, and which inequality it stands for.

A sentence holds if the whole 95 % interval of its gain fulfils the inequality, it does not hold if the whole
interval breaks it, and it is open if the interval has both. Nothing is said before all of its settings have
been run. Each is asked twice: of the settings it was written on (suite `map`), and of those held back (suite
`map-check`).
"""

import operator
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any, Literal

from ..contracts.fingerprint import canonical
from ..contracts.settings import did_you_mean
from ..store.record import Record
from .choice import BASELINE, CHOSEN
from .gain import Gain, Setting, gain_of
from .map import CHECK_SUITE, Panel, panels

Status = Literal["holds", "does not hold", "open", "not run"]
Selector = Mapping[str, Any]  # a problem, and values on its axes: one or a list for each
INEQUALITY = re.compile(r"(gain|solves|seconds) (>=|<=) (-?\d+(?:\.\d+)?)")
SIGNS = {">=": operator.ge, "<=": operator.le}


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """If this, then that; and what has to be so on the map."""

    when: str  # a reader's own case
    then: str  # what to do; {gain} stands for the number
    holds: str  # "gain >= 0.2", or of "solves" and "seconds", which are multiples of those of the other
    stated: str  # "before" the map was run, or "after"
    cells: tuple[Selector, ...]  # of the suite `map`
    checked: tuple[Selector, ...]  # of the suite `map-check`
    method: str = CHOSEN
    against: str = BASELINE

    def __post_init__(self) -> None:
        if not INEQUALITY.fullmatch(self.holds):
            raise ValueError(f"expected an inequality as 'gain >= 0.2', got {self.holds!r}.")
        if self.stated not in ("before", "after"):
            raise ValueError(f"expected stated to be 'before' or 'after', got {self.stated!r}.")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What some settings say about a claim."""

    claim: Claim
    settings: int
    run: int  # of those
    gain: Gain | None  # over all of them together; None: not all have been run
    status: Status


def load_claims() -> list[Claim]:
    """Return the claims of the package."""
    return parse_claims((files("dfl_bench.results") / "claims.toml").read_text(encoding="utf-8"))


def parse_claims(text: str) -> list[Claim]:
    """Return the claims of a file's text; a mistake names its claim."""
    known = [f.name for f in fields(Claim)]
    claims = []
    for i, table in enumerate(tomllib.loads(text).get("claim", []), 1):
        if unknown := [name for name in table if name not in known]:
            raise ValueError(f"claim {i} has an unknown key {unknown[0]!r}.{did_you_mean(unknown[0], known)}")
        try:
            given = {name: tuple(table[name]) for name in ("cells", "checked") if name in table}
            claims.append(Claim(**{**table, **given}))
        except (TypeError, ValueError) as error:
            raise ValueError(f"claim {i}: {error}") from error
    return claims


def judge_all(records: Iterable[Record], held_back: Iterable[Record]) -> list[tuple[Verdict, Verdict]]:
    """Return what both maps say about every claim of the package: the map itself, and what was held back."""
    here, there = panels(records), panels(held_back, suite=CHECK_SUITE)
    return [(judge(c, c.cells, here), judge(c, c.checked, there)) for c in load_claims()]


def judge(claim: Claim, selectors: Iterable[Selector], made: Sequence[Panel]) -> Verdict:
    """Return what a map says about a claim.

    Args:
        claim: the sentence.
        selectors: its settings on this map.
        made: the panels of the map.
    """
    settings = select(selectors, made)
    run = [s for s in settings if gain_of([s], claim.method, claim.against) is not None]
    gain = gain_of(settings, claim.method, claim.against) if len(run) == len(settings) else None
    return Verdict(claim, len(settings), len(run), gain, _status(claim.holds, gain))


def select(selectors: Iterable[Selector], made: Sequence[Panel]) -> list[Setting]:
    """Return the settings of a map at some places, each once; a place that is not there is an error."""
    found: dict[str, Setting] = {}
    for selector in selectors:
        wanted = {axis: value if isinstance(value, list) else [value] for axis, value in selector.items()}
        problem = wanted.pop("problem")[0]
        there = [
            setting
            for panel in made
            for setting in panel.settings
            if setting.problem == problem and all(setting.at.get(a) in values for a, values in wanted.items())
        ]
        for axis, values in wanted.items():
            if missing := [value for value in values if not any(s.at[axis] == value for s in there)]:
                raise ValueError(
                    f"the map has no setting of {problem} with {axis} = {missing[0]} in {selector}."
                )
        if not there:
            raise ValueError(f"the map has no setting of {problem}.")
        found |= {canonical([s.problem, s.changed]): s for s in there}
    return list(found.values())


def _status(inequality: str, gain: Gain | None) -> Status:
    if gain is None:
        return "not run"
    quantity, sign, number = INEQUALITY.fullmatch(inequality).groups()  # type: ignore[union-attr]
    ends: Sequence[float | None] = (gain.interval or ()) if quantity == "gain" else [getattr(gain, quantity)]
    kept = {SIGNS[sign](end, float(number)) for end in ends if end is not None}
    if len(kept) != 1:  # an interval with both, or no number at all
        return "open"
    return "holds" if kept == {True} else "does not hold"
