"""Advice in plain words: the answer, a small table, what to know, and what to do next."""

from collections.abc import Iterator, Mapping

from ..results.advice import MATTERS, Advice, Standing
from ..results.paired import Gain
from ..results.pairs import Kind
from .format import exact, quantity, score
from .format import seconds as seconds_text
from .next_step import Asked, next_step, what_is_needed

PAIRS: Mapping[Kind, str] = {"seeds": "seeds", "problems": "problems", "blocks": "blocks of test rows"}


def advice_text(advice: Advice, asked: Asked | None = None) -> str:
    """Return all that is said.

    Args:
        advice: the answer.
        asked: what was typed, for the next command; None for a caller in Python.
    """
    lines = [answer(advice), "", *_table(advice), "", *_notes(advice), "", *next_step(advice, asked)]
    return "\n".join(lines)


def answer(advice: Advice) -> str:
    """Return the first sentence: yes, no, or not provably, with the interval."""
    best, pfl = advice.best, advice.baseline.method
    if best is None or best.gain is None:
        return f"It cannot be said: no decision-focused method has scores on {advice.problem}."
    found = f"{best.method} decides {_change(best.gain)} {pfl}"
    if advice.verdict == "yes":
        return f"Yes: {found} ({_evidence(best.gain, advice)})."
    if advice.verdict == "no":
        return f"No: prediction-focused training is better here. {found} ({_evidence(best.gain, advice)})."
    among = ", the best of them," if len(advice.candidates) > 1 else ""
    found = found.replace(best.method, best.method + among, 1)
    return f"Not provably: {found}, but that may be chance ({_evidence(best.gain, advice)})."


def _change(gain: Gain) -> str:
    if gain.share is None:
        return "as well as" if not gain.saved else f"with {exact(-gain.saved)} more regret than"
    if not gain.saved:
        return "exactly as well as"
    return f"{_percent(abs(gain.share))} {'better' if gain.saved > 0 else 'worse'} than"


def _evidence(gain: Gain, advice: Advice) -> str:
    pairs = f"{gain.pairs} {PAIRS[advice.pairs]}"
    p = "p < 0.001" if gain.p_value < 0.001 else f"p = {gain.p_value:.2g}"
    if gain.share_interval is None:
        return f"95 % interval of the regret saved {exact(gain.low)} to {exact(gain.high)}, {p}, {pairs}"
    return f"95 % interval {_interval(*gain.share_interval)}, {p}, {pairs}"


def _interval(low: float, high: float) -> str:
    """Two shares in words: "9 % to 25 %" where the direction has been said, else with better and worse."""
    if low >= 0:
        return f"{_percent(low)} to {_percent(high)}"
    if high <= 0:
        return f"{_percent(-high)} to {_percent(-low)}"
    return f"{_percent(-low)} worse to {_percent(high)} better"


def _percent(share: float) -> str:
    value = 100.0 * share
    return f"{value:.1f} %" if 0 < value < 2 else f"{value:,.0f} %"


def _table(advice: Advice) -> Iterator[str]:
    """Yield the lines of a table: the baseline, the candidates, the references."""
    than = f"than {advice.baseline.method}"
    rows: list[tuple[str, ...]] = [("method", "regret", "lost", than, "95 % interval", "seconds", "solves")]
    rows += [_row(line) for line in (advice.baseline, *advice.candidates, *advice.references)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for name, *others in rows:
        aligned = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        yield "  ".join(["", name.ljust(widths[0]), *aligned]).rstrip()
    yield ""
    yield "regret: the cost above that of knowing the outcome, normalized, mean ± SEM; better: less of it"
    yield "lost: the same for one decision, in units of your cost; seconds by the clock, solves: of one fit"


def _row(line: Standing) -> tuple[str, ...]:
    if line.mean is None or line.lost is None:
        return (line.method, "failed", "", "", "", "", "")
    change, interval = "", ""
    if line.gain is not None and line.gain.share is not None:
        change = f"{_percent(abs(line.gain.share))} {'better' if line.gain.saved >= 0 else 'worse'}"
    if line.gain is not None and line.gain.share_interval is not None:
        low, high = line.gain.share_interval
        side = "" if low < 0 < high else " better" if low >= 0 else " worse"
        interval = _interval(low, high) + side
    costs = (seconds_text(line.seconds or 0.0), quantity(line.solves or 0.0))
    return (line.method, score(line.mean, line.sem), exact(line.lost), change, interval, *costs)


def _notes(advice: Advice) -> Iterator[str]:
    """Yield what the interval stands on, what is left to win, and cautions."""
    yield f"Interval: {_basis(advice)}{_for_all(advice)}"
    yield f"Left to win: {_left(advice)}"
    if advice.verdict == "open" and advice.rules_out_a_gain:
        yield f"A gain of {_percent(MATTERS)} or more can be ruled out: other training has little to win."
    elif advice.verdict == "open":
        yield what_is_needed(advice)
    yield from _as_good(advice)
    if advice.has_nothing_to_win:
        yield (
            f"Caution: {advice.baseline.method} loses next to nothing beside a constant prediction: there is "
            "nothing to win by another training."
        )
    elif advice.over_constant.verdict != "better":
        why = (
            "The features may say nothing about the decision, or "
            if advice.is_near_constant
            else "It seems that "
        )
        yield f"Caution: no method is provably better than a constant prediction. {why}the rows are too few."
    for line in (advice.baseline, *advice.candidates, *advice.references):
        if line.scored < advice.fits:
            missing = f"{advice.fits - line.scored} of {advice.fits} fits"
            yield f"Caution: {line.method} has no score in {missing}, which are left out: {line.reason}"
    for name, reason in advice.refused.items():
        yield f"Not run: {name}, n/a: {reason}."


def _as_good(advice: Advice) -> Iterator[str]:
    """Name the methods that are not provably worse than the best, if they take no longer."""
    for line in advice.as_good:
        assert advice.best and line.seconds is not None and advice.best.seconds is not None
        if line.seconds <= advice.best.seconds:
            times = (
                f"{seconds_text(line.seconds)} s for a fit instead of {seconds_text(advice.best.seconds)} s"
            )
            yield f"Not provably worse than {advice.best.method}: {line.method}, which took {times}."


def _basis(advice: Advice) -> str:
    if advice.pairs == "blocks":
        return (
            f"all seeds have the same {advice.test_rows} test rows. So the pairs are blocks of neighbouring "
            "rows, and seeds are averaged. It is about one training part: another one may answer otherwise."
        )
    one = "seed" if advice.pairs == "seeds" else "problem"
    if not advice.shared:
        return f"paired by {one}; every {one} has rows of its own."
    counts = f"which counts as {_percent(advice.shared)} of their test rows in common and makes it wider"
    return f"paired by {one}. Two {one}s draw from the same rows, {counts}."


def _for_all(advice: Advice) -> str:
    compared = sum(line.gain is not None for line in advice.candidates)
    return f" It holds for {compared} methods at once." if compared > 1 else ""


def _left(advice: Advice) -> str:
    scored = [line for line in (advice.baseline, *advice.candidates) if line.mean is not None]
    mean, method = min((line.mean, line.method) for line in scored if line.mean is not None)
    has = f"{method} has a regret of {mean:.3f}, a constant prediction {advice.constant:.3f}, the truth 0"
    if advice.floor is None:
        return f"{has}. How much of that can be known from features is not known."
    return (
        f"{has}. The floor, which knows the law of the outcome, has {advice.floor:.3f}: at most "
        f"{max(0.0, mean - advice.floor):.3f} is left."
    )
