"""Means, intervals and tests between methods that share seeds and instances. Pure functions of arrays.

The test flips the signs of the per-seed differences: exact for up to sixteen seeds, it assumes only that a
difference is as likely to be positive as negative under the null, and it tests the mean, which is what tables
show (Wilcoxon's test would test ranks, and could order two methods against their printed means).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from ..contracts.seeding import rng_for

MIN_SEEDS = 6  # with five, no two-sided p-value can fall below 0.0625
EXACT_SEEDS = 16
RANDOM_FLIPS = 20_000
RESAMPLES = 2_000
TOO_FEW = "too few seeds"


@dataclass(frozen=True, slots=True)
class Scores:
    """Per-instance regrets of one method by seed, with the worst regrets that normalize them, (N,) each."""

    regret: Mapping[int, np.ndarray]
    worst: Mapping[int, np.ndarray]

    def normalized(self) -> dict[int, float]:
        """Return Σ regret / Σ worst for each seed."""
        return {seed: float(r.sum() / self.worst[seed].sum()) for seed, r in self.regret.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Method a against method b on the seeds they share; a negative difference favours a."""

    seeds: int
    mean_a: float
    mean_b: float
    difference: float
    low: float  # of the 95 % bootstrap interval of the difference
    high: float
    p_value: float | None  # None: too few seeds


def mean_sem(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean and its standard error (n - 1 in the variance); the error of one value is NaN."""
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0:
        raise ValueError("expected at least one value, got none.")
    sem = array.std(ddof=1) / np.sqrt(array.size) if array.size > 1 else np.nan
    return float(array.mean()), float(sem)


def sign_flip_test(differences: Sequence[float], *, seed: int = 0) -> float:
    """Return the two-sided p-value of "the mean difference is zero" for paired differences."""
    d = np.asarray(differences, dtype=np.float64)
    if d.size == 0:
        raise ValueError("expected at least one difference, got none.")
    sums = np.abs(signs(d.size, seed) @ d)
    # Rounding must not put a tie below the observed value.
    return float(np.mean(sums >= np.abs(d.sum()) - 1e-12 * np.abs(d).sum()))


def sign_flip_interval(
    differences: Sequence[float], units: Sequence[float], *, level: float = 0.05, seed: int = 0
) -> tuple[float, float] | None:
    """Return all g for which the sign-flip test of "differences - g · units has mean zero" has p > level.

    So 0 is outside exactly where the test of the differences finds them. Let a flip turn the signs of some
    pairs. It makes the sum as large as the observed one if g lies between Σ d / Σ u of those pairs and that
    of the others; where a sum of units is not positive, the flip is counted for every g, which can only widen
    the interval. None: it has no end, the units may be zero.

    Args:
        differences: one for each pair.
        units: what each is measured in; ones, for an interval of the mean difference.
        level: of the test, 0.05 for an interval of 95 %.
        seed: of the random flips, where there are too many to try all.
    """
    d, u = np.asarray(differences, dtype=np.float64), np.asarray(units, dtype=np.float64)
    if d.size == 0 or d.shape != u.shape:
        raise ValueError(f"expected as many units as differences, got {u.size} and {d.size}.")
    flipped = (signs(d.size, seed) < 0.0).astype(np.float64)
    sums = np.stack([flipped, 1.0 - flipped]) @ np.stack([d, u], axis=1)  # (2, flips, 2)
    bounded = (sums[..., 1] > 0.0).all(0)
    ratios = sums[:, bounded, 0] / sums[:, bounded, 1]
    unbounded = np.full((~bounded).sum(), np.inf)
    lows = np.sort(np.concatenate([-unbounded, ratios.min(0)]))
    highs = np.sort(np.concatenate([unbounded, ratios.max(0)]))
    rejected = int(level * len(lows))  # so many flips may fall on each side
    low, high = float(lows[rejected]), float(highs[-1 - rejected])
    return (low, high) if np.isfinite([low, high]).all() else None


@cache  # one matrix serves all comparisons of a board
def signs(n: int, seed: int = 0) -> np.ndarray:
    """Return all sign patterns of n differences, or random ones where there are too many."""
    if n <= EXACT_SEEDS:
        codes = np.arange(2**n)[:, None] >> np.arange(n)
        return 1.0 - 2.0 * (codes & 1)
    drawn = rng_for("statistics", "sign flips", seed=seed).choice([-1.0, 1.0], size=(RANDOM_FLIPS, n))
    drawn[0] = 1.0  # the observed signs are one of the draws, so that p is never zero
    return drawn


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, in the order given."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.minimum(np.maximum.accumulate(p[order] * (p.size - np.arange(p.size))), 1.0)
    out = np.empty_like(p)
    out[order] = adjusted
    return [float(value) for value in out]


def bootstrap_difference(
    a: Scores, b: Scores, *, names: Sequence[str] = (), resamples: int = RESAMPLES, seed: int = 0
) -> np.ndarray:
    """Return resampled mean differences a - b, shape (resamples,): seeds are drawn, then instances in each.

    Both methods see the same draw of seeds and instances, which is what makes the interval a paired one.

    Args:
        a: the scores of one method.
        b: the scores of the other, on the same instances.
        names: what the random stream is named by, besides the seed.
        resamples: how many differences to draw.
        seed: of the random stream.
    """
    shared = _shared(a, b)
    rng = rng_for("statistics", "bootstrap", *names, seed=seed)
    drawn = rng.integers(0, len(shared), (resamples, len(shared)))
    total = np.zeros(resamples)
    for position, s in enumerate(shared):
        where, _ = np.nonzero(drawn == position)
        excess, worst = a.regret[s] - b.regret[s], a.worst[s]
        rows = rng.integers(0, len(worst), (len(where), len(worst)))
        np.add.at(total, where, excess[rows].sum(-1) / worst[rows].sum(-1))
    return total / len(shared)


def compare(a: Scores, b: Scores, *, names: Sequence[str] = ()) -> Comparison:
    """Compare two methods on their common seeds; fewer than six give no p-value.

    Args:
        a: the scores of one method; a negative difference favours it.
        b: the scores of the other, on the same instances.
        names: what the random stream of the interval is named by.
    """
    shared = _shared(a, b)
    one, other = a.normalized(), b.normalized()
    differences = [one[s] - other[s] for s in shared]
    low, high = np.quantile(bootstrap_difference(a, b, names=names), [0.025, 0.975])
    return Comparison(
        seeds=len(shared),
        mean_a=float(np.mean([one[s] for s in shared])),
        mean_b=float(np.mean([other[s] for s in shared])),
        difference=float(np.mean(differences)),
        low=float(low),
        high=float(high),
        p_value=sign_flip_test(differences) if len(shared) >= MIN_SEEDS else None,
    )


def _shared(a: Scores, b: Scores) -> list[int]:
    shared = sorted(a.regret.keys() & b.regret.keys())
    if not shared:
        raise ValueError("the two methods have no seed in common.")
    for seed in shared:
        if not np.array_equal(a.worst[seed], b.worst[seed]):
            raise ValueError(f"the two methods were scored on different instances of seed {seed}.")
    return shared
