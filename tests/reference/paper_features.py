"""The features of the LODL code, one stock and one day at a time, by plain Python."""

from itertools import pairwise
from statistics import fmean, variance


def features_of(close, day):
    """The 28 features of a list of closes on a day, by the days up to it alone."""
    known = close[: day + 1]
    returns = [after / before - 1 for before, after in pairwise(known)]
    found = [returns[-1 - lag] for lag in range(11)]
    found += [known[-1] / known[-1 - rows] - 1 for rows in (365, 120, 30, 7)]
    found += [fmean(returns[-7:]), variance(returns[-7:])]
    for rows in (365, 120, 30, 7, 3):
        found += [fmean(known[-rows:]), variance(known[-rows:])]
    return [*found, known[-1]]


def published_sigma(later, ridge):
    """Σ of the returns of nine days, a list for each stock, entry by entry as published."""
    n = len(later[0])
    scaled = []
    for days in later:
        mean = sum(days) / n
        deviation = (sum(r * r for r in days) / n - mean * mean) ** 0.5
        scaled.append([(r - mean) / deviation for r in days])
    return [
        [
            sum(p * q for p, q in zip(one, other, strict=True)) / (n - 1) + (ridge if i == j else 0.0)
            for j, other in enumerate(scaled)
        ]
        for i, one in enumerate(scaled)
    ]
