"""What to do after advice: one recommendation, and the command for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from ..results.advice import CONSTANT, Advice

SEEDS_IN_REACH = 100  # more are not proposed
ROWS_IN_REACH = 100.0  # times as many
USUAL_SEEDS = 10
OTHER_MODEL = "pfl-forest"  # asks whether another kind of predictor sees more in the features


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user has typed, so that the next command can be typed as it stands."""

    shared: str  # options that `run` takes, too: what names the problem, settings, the results file
    own: str = ""  # further options of `advise`


def next_step(advice: Advice, asked: Asked | None) -> Iterator[str]:
    """Yield the recommendation and the next command.

    Args:
        advice: the answer.
        asked: what was typed; None for a caller in Python.
    """
    pfl, name = advice.baseline.method, advice.recommended
    seeds = _seeds_in_reach(advice)
    if name == CONSTANT:
        yield "Recommendation: look for features that say more, or for more rows; a constant decides as well."
        yield (
            _run(asked, [CONSTANT, pfl, OTHER_MODEL], advice) if asked else f"Next: {_advise([OTHER_MODEL])}"
        )
    elif name != pfl:
        yield f"Recommendation: train with {name}."
        yield _run(asked, [pfl, name], advice) if asked else f"Next: {_fit(name)}"
    elif advice.best and seeds and advice.verdict == "open" and not _is_settled(advice):
        # No proof of a gain is no proof that there is none.
        yield (
            f"Recommendation: ask again with more seeds before you choose. Until then {pfl} is the simplest, "
            f"and {advice.best.method} has the lowest mean of the others."
        )
        yield f"Next: {_again(asked, seeds)}"
    else:
        yield f"Recommendation: train with {pfl}, which is the simplest."
        yield _run(asked, [pfl, OTHER_MODEL], advice) if asked else f"Next: {_fit(pfl)}"


def _is_settled(advice: Advice) -> bool:
    return advice.rules_out_a_gain or advice.has_nothing_to_win


def what_is_needed(advice: Advice) -> str:
    """Return how many seeds or rows would show a difference of the size seen."""
    begin = "Needed to find a difference of this size four times out of five:"
    if seeds := _seeds_in_reach(advice):
        return f"{begin} about {seeds} seeds."
    if advice.pairs == "problems" and advice.needed and (advice.needed.pairs or inf) <= SEEDS_IN_REACH:
        return f"{begin} about {advice.needed.pairs} such problems."
    rows = advice.needed.rows if advice.needed else None
    if rows is not None and rows <= ROWS_IN_REACH:
        shared = advice.pairs != "blocks" and advice.shared > 0
        why = f"; more {advice.pairs} alone are not enough, because they share rows" if shared else ""
        which = "test rows" if advice.pairs == "blocks" else "rows"
        return f"{begin} about {rows:.2g} times as many {which}{why}."
    return f"{begin} far more seeds or rows than here. Take the methods as equal."


def _seeds_in_reach(advice: Advice) -> int | None:
    pairs = advice.needed.pairs if advice.needed and advice.pairs == "seeds" else None
    return pairs if pairs is not None and pairs <= SEEDS_IN_REACH else None


def _run(asked: Asked, methods: Sequence[str], advice: Advice) -> str:
    seeds = USUAL_SEEDS if advice.seeds < USUAL_SEEDS else 2 * advice.seeds
    named = " ".join(f"--method {name}" for name in methods)
    return f"Next: dfl-bench run {asked.shared} {named} --seeds {seeds}"


def _again(asked: Asked | None, seeds: int) -> str:
    if asked is None:
        return f"dfl_bench.advise(problem, seeds={seeds})"
    return " ".join(
        part for part in ("dfl-bench advise", asked.shared, asked.own, f"--seeds {seeds}") if part
    )


def _advise(methods: Sequence[str]) -> str:
    return f"dfl_bench.advise(problem, methods={list(methods)})"


def _fit(method: str) -> str:
    return f'dfl_bench.fit("{method}", problem)'
