"""How much less one method loses than another, with an interval that holds although seeds share rows.

The test is a paired t-test, and the interval holds all gains that it does not reject. For the ratio of two
means this is Fieller's interval; 0 lies outside of it exactly where p < 0.05.

Why not flip signs, as boards do? Seeds that shuffle one table agree with each other more than new tables
would. Nadeau and Bengio (2003) add what two seeds share to the variance of the mean; a flip of signs has no
place for it. And with six seeds and two candidates flips can hardly reach p < 0.05 for one of them while the
other one is uncertain. The price: means over test rows have to be nearly normal.

Several candidates are corrected by Bonferroni. As a rule they are two, so that a sharper correction would
gain little, and interval and p-value stay two sides of one test.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

LEVEL = 0.05
POWER = 0.84  # normal quantile of four out of five: how often a difference is to be found again
MOST_UNITS = 1000  # pairs that are thought of when asking how many would be enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Gain:
    """What a candidate saves against a baseline; positive favours the candidate.

    Intervals hold for all comparisons together with at least 95 %, and agree with the p-value.
    """

    pairs: int
    saved: float  # mean regret of the baseline minus that of the candidate
    low: float
    high: float
    share: float | None  # of the baseline's regret; None where that is zero
    share_interval: tuple[float, float] | None  # None where the baseline's regret is not clearly above zero
    p_value: float

    @property
    def verdict(self) -> Literal["better", "worse", "open"]:
        """Whether the candidate is provably better or worse."""
        if self.p_value >= LEVEL:
            return "open"
        return "better" if self.saved > 0 else "worse"


def gain(candidate: np.ndarray, baseline: np.ndarray, *, shared: float = 0.0, comparisons: int = 1) -> Gain:
    """Compare two methods by their scores on the same pairs, two or more.

    Args:
        candidate: its scores (J,); lower is better.
        baseline: the scores of the method it has to beat, in the same order.
        shared: share of test rows that two pairs have in common, below 1.
        comparisons: how many candidates are compared at once.
    """
    from scipy.special import stdtr

    d, n = baseline - candidate, len(baseline)
    spread, quantile = _spread(n, shared), _quantile(n, comparisons)
    saved, error = float(d.mean()), float(d.std(ddof=1) * np.sqrt(spread))
    if error > 0:
        p_value = min(1.0, comparisons * 2 * float(stdtr(n - 1, -abs(saved) / error)))
    else:
        p_value = 0.0 if saved else 1.0
    return Gain(
        pairs=n,
        saved=saved,
        low=saved - quantile * error,
        high=saved + quantile * error,
        share=saved / float(baseline.mean()) if baseline.mean() > 0 else None,
        share_interval=_share_interval(candidate, baseline, quantile**2 * spread),
        p_value=p_value,
    )


def _share_interval(candidate: np.ndarray, baseline: np.ndarray, factor: float) -> tuple[float, float] | None:
    """The shares 1 - r with (mean c - r mean b)² ≤ factor · var(c - r b); None where they have no end."""
    mean_c, mean_b = float(candidate.mean()), float(baseline.mean())
    (var_c, cov), (_, var_b) = np.cov(candidate, baseline) * factor
    square = mean_b**2 - var_b
    if not (square > 0 and mean_b > 0):
        return None
    middle = mean_c * mean_b - cov
    root = float(np.sqrt(max(0.0, middle**2 - square * (mean_c**2 - var_c))))
    return float(1 - (middle + root) / square), float(1 - (middle - root) / square)


@dataclass(frozen=True, slots=True)
class Needed:
    """What would show a difference of the size seen, four times out of five; None: not in reach."""

    pairs: int | None
    rows: float | None  # how many times as many rows as now, with as many pairs as now


def needed(
    candidate: np.ndarray, baseline: np.ndarray, *, shared: float = 0.0, comparisons: int = 1
) -> Needed:
    """Return how many pairs, or how many times as many rows, a difference of the size seen asks for.

    Args:
        candidate: its scores (J,).
        baseline: the scores of the method it has to beat.
        shared: share of test rows that two pairs have in common, below 1.
        comparisons: how many candidates are compared at once.
    """
    d = baseline - candidate
    if not d.mean() or not d.std():
        return Needed(None, None)
    wanted = float(d.mean() / d.std(ddof=1)) ** 2
    asked = {
        n: (_quantile(n, comparisons) + POWER) ** 2 * _spread(n, shared) for n in range(len(d), MOST_UNITS)
    }
    pairs = next((n for n, variance in asked.items() if variance <= wanted), None)
    # The variance of a mean over rows falls with their number.
    return Needed(pairs, max(1.0, asked[len(d)] / wanted))


def _spread(n: int, shared: float) -> float:
    """Variance of the mean of n differences, in units of their sample variance."""
    return 1.0 / n + shared / (1.0 - shared)


def _quantile(n: int, comparisons: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, 1.0 - LEVEL / (2 * comparisons)))
