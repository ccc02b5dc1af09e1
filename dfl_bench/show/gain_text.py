"""Gains as text: the terminal, documents, the page and figures write them alike."""

from typing import Any

from ..results.gain import Gain, Setting, gain_of

NOT_RUN = "–"
AT_FLOOR = "floor"
MOST = 9.995  # times what pfl leaves; more is written without percent
NOTE = (
    "Gain: how much less regret than `pfl`, in percent of what `pfl` leaves above the floor; below 0 the "
    "method loses, −12× is twelve times what `pfl` leaves. *: a paired sign-flip test finds a difference, "
    "for all methods of a setting at once, for `chosen` alone; of twenty settings without any, one has it "
    "by chance. `chosen`: the decision-focused method that is best on one half of the seeds, scored on the "
    "other half. floor: `pfl` may be as good as can be. –: not run."
)
NO_FLOOR = "No floor is known here: gains are in percent of the whole regret of `pfl`."


def share(value: float | None) -> str:
    """Write a gain in percent with its sign; a large one as a multiple; `floor` where there is none."""
    if value is None:
        return AT_FLOOR
    text = f"{value:+.0f}×" if abs(value) > MOST else f"{100.0 * value + 0.0:+.0f}"
    return ("0" if text in ("+0", "-0") else text).replace("-", "−")


def gain_text(gain: Gain | None, *, found: bool) -> str:
    """Write a gain, with a mark where a test finds a difference."""
    return NOT_RUN if gain is None else share(gain.value) + ("*" if found else "")


def gain_at(setting: Setting, method: str) -> str:
    """Write the gain of a method in one setting."""
    return gain_text(gain_of([setting], method), found=method in setting.found)


def interval_of(gain: Gain | None) -> str:
    """Write a 95 % interval: "+30 to +45"; nothing where there is none."""
    return "" if gain is None or gain.interval is None else " to ".join(map(share, gain.interval))


def times(ratio: float | None) -> str:
    """Write a multiple of what `pfl` spends: "×5.2"; nothing where it is not known."""
    if ratio is None:
        return ""
    return f"×{ratio:.2g}" if ratio < 100 else f"×{ratio:,.0f}"


def value_text(value: Any) -> str:
    """Write a place on an axis: thousands with a comma."""
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
    )


def tip(setting: Setting, method: str) -> str:
    """Return what a cell says to whoever points at it."""
    place = ", ".join(f"{axis} {value_text(value)}" for axis, value in setting.at.items())
    gain = gain_of([setting], method)
    if gain is None:
        return f"{method}, {place}: not run"
    said = f"{method}, {place}: {setting.mean(method):.3f}, pfl {setting.mean('pfl'):.3f}"
    unit = "at the floor" if gain.value is None else f"gain {share(gain.value)} %"
    interval = f" ({interval_of(gain)})" if gain.interval else ""
    return f"{said}, {unit}{interval}, {gain.seeds} seeds"
