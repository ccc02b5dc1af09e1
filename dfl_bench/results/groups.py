"""Groups of methods that no test tells from the best of them.

All methods of a round are compared with the best one at once, by Westfall and Young's step-down test: the
signs of a seed's differences are flipped for all methods together, and a difference counts if it is larger
than nearly all of the largest ones that flipping makes. So the answer holds for all comparisons together, and
its smallest p-value, 2 / 2ⁿ with n seeds, does not grow with their number. Holm's correction multiplies it
instead: with ten seeds and more than 25 other methods it could find none of them worse.

The best method of a round is chosen by the same scores. So with many equal methods one or another of them is
left out of the first group more often than in one of twenty cases; a given one of them is not.
"""

from collections.abc import Hashable, Mapping
from typing import TypeVar

import numpy as np

from .statistics import MIN_SEEDS, signs

Name = TypeVar("Name", bound=Hashable)


def rank_groups(scores: Mapping[Name, Mapping[int, float]], *, level: float = 0.05) -> dict[Name, int | None]:
    """Return each method's rank group, 1 the best; None for too few seeds.

    The best mean of those left opens a group; the methods that a joint test on common seeds does not find
    worse join it; the rest go on to the next round.
    """
    means = {name: float(np.mean(list(by_seed.values()))) for name, by_seed in scores.items() if by_seed}
    ranks: dict[Name, int | None] = dict.fromkeys(scores)
    left = sorted((n for n in means if len(scores[n]) >= MIN_SEEDS), key=means.__getitem__)
    group = 1
    while left:
        best, *others = left
        others = [n for n in others if len(scores[n].keys() & scores[best].keys()) >= MIN_SEEDS]
        adjusted = joint_sign_flip_test(_differences(scores, best, others))
        worse = [n for n, p in zip(others, adjusted, strict=True) if p <= level]
        ranks.update(dict.fromkeys([best, *(n for n in others if n not in worse)], group))
        left, group = worse, group + 1
    return ranks


def joint_sign_flip_test(differences: np.ndarray) -> np.ndarray:
    """Return p-values of "this mean difference is zero", corrected for asking all questions at once.

    Each column is divided by the root of its sum of squares, which no flip changes: else the methods that
    vary most would decide for all.

    Args:
        differences: (seeds, comparisons), NaN where a seed is missing.
    """
    known = np.nan_to_num(differences)
    size = np.sqrt((known**2).sum(0))
    scaled = known / np.where(size > 0, size, 1.0)
    order = np.argsort(-np.abs(scaled.sum(0)), kind="stable")
    flipped = np.abs(signs(len(scaled)) @ scaled[:, order])
    # Beside the comparisons that are still open when one has its turn: those with a smaller difference.
    largest = np.maximum.accumulate(flipped[:, ::-1], axis=1)[:, ::-1]
    observed = np.abs(scaled.sum(0))[order]
    # Rounding must not put a tie below the observed value.
    rounding = 1e-12 * np.abs(scaled).sum(0)[order]
    p = np.maximum.accumulate(np.mean(largest >= observed - rounding, axis=0))
    adjusted = np.empty_like(p)
    adjusted[order] = p
    return adjusted


def _differences(scores: Mapping[Name, Mapping[int, float]], best: Name, others: list[Name]) -> np.ndarray:
    """The scores of others minus those of the best, (its seeds, others); NaN where a seed is missing."""
    seeds = sorted(scores[best])
    rows = [[scores[name].get(seed, np.nan) - scores[best][seed] for name in others] for seed in seeds]
    return np.array(rows).reshape(len(seeds), len(others))
