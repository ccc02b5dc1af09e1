"""A method's rank over many problems, with an interval that says how much it depends on their choice."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy.stats import rankdata

from ..contracts.seeding import rng_for
from .statistics import MIN_SEEDS, RESAMPLES

Name = TypeVar("Name", bound=Hashable)
LEVELS = (0.025, 0.975)
DIGITS = 12  # of a normalized regret: what differs beyond them is rounding


@dataclass(frozen=True, slots=True)
class MeanRank:
    """The mean over problems of a method's rank, 1 the best, and a 95 % bootstrap interval of it."""

    mean: float
    interval: tuple[float, float] | None  # None: too few seeds


def mean_ranks(
    scores: Sequence[Mapping[Name, Mapping[int, float]]], *, resamples: int = RESAMPLES, seed: int = 0
) -> dict[Name, MeanRank]:
    """Return the mean rank of every method that has a score.

    On each problem methods are ranked by their mean score, ties share a rank, and a method is left out where
    it has no score. The interval draws problems with replacement, and the seeds of each of them, the same
    ones for all methods.

    Args:
        scores: for each problem, the scores of each method by seed.
        resamples: how many mean ranks to draw.
        seed: of the random stream.
    """
    names = list(dict.fromkeys(name for problem in scores for name, by_seed in problem.items() if by_seed))
    tables = [_table(problem, names) for problem in scores if any(problem.values())]
    if not names:
        return {}
    rng = rng_for("statistics", "mean rank", seed=seed)
    observed = np.stack([_ranks(table, np.ones((1, table.shape[1])))[0] for table in tables])
    means = np.nanmean(observed, axis=0)
    drawn = np.stack([_ranks(table, _draws(table.shape[1], resamples, rng)) for table in tables], axis=1)
    bounds = _quantiles(drawn, rng)
    enough = [_has_enough_seeds(tables, i) for i in range(len(names))]
    return {
        name: MeanRank(float(means[i]), (float(low), float(high)) if enough[i] else None)
        for i, (name, (low, high)) in enumerate(zip(names, bounds.T, strict=True))
    }


def _table(problem: Mapping[Name, Mapping[int, float]], names: Sequence[Name]) -> np.ndarray:
    """Scores of shape (methods, seeds), NaN where there is none."""
    seeds = sorted({seed for by_seed in problem.values() for seed in by_seed})
    return np.array([[problem.get(name, {}).get(seed, np.nan) for seed in seeds] for name in names])


def _draws(n: int, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """How often each of n things is drawn, shape (resamples, n)."""
    return rng.multinomial(n, np.full(n, 1.0 / n), size=resamples).astype(np.float64)


def _ranks(table: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Ranks by the weighted mean over seeds, shape (draws, methods); NaN where no seed of a method counts."""
    known = np.isfinite(table)
    counted = weights @ known.T
    with np.errstate(invalid="ignore"):
        means = weights @ np.where(known, table, 0.0).T / np.where(counted > 0, counted, np.nan)
    # A product may round the same sum in two ways, and would rank methods with the same scores apart.
    ranks = rankdata(np.where(np.isnan(means), np.inf, means.round(DIGITS)), axis=1)
    return np.where(np.isnan(means), np.nan, ranks)


def _quantiles(ranks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The ends of the interval, (2, methods), from ranks by drawn seeds, (draws, problems, methods).

    A problem that is drawn twice takes two draws of its seeds.
    """
    resamples, problems, _ = ranks.shape
    which = rng.integers(0, problems, (resamples, problems))
    drawn = ranks[rng.integers(0, resamples, (resamples, problems)), which]
    known = np.isfinite(drawn)
    count = known.sum(1)
    means = np.where(known, drawn, 0.0).sum(1) / np.where(count > 0, count, np.nan)
    return np.nanquantile(means, LEVELS, axis=0)


def _has_enough_seeds(tables: Sequence[np.ndarray], method: int) -> bool:
    counts = [int(np.isfinite(table[method]).sum()) for table in tables]
    return all(count >= MIN_SEEDS for count in counts if count)
