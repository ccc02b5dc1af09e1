"""The best of many methods, chosen without looking at the seeds it is scored on.

Of eleven equal methods the one with the lowest mean looks better than the others, by luck alone: a gain of "the best"
that is chosen and scored on the same seeds is too high. So seeds are dealt to two halves in turn, and each half is
scored with the method that has the lowest mean regret on the other half. The mean is then that of someone who
tries every method on half of the seeds and uses the best one, without bias by the choice. It is a little below what the
best method could do, because half of the seeds sometimes choose another one.

The cost of the chosen method is that of its own fit. What was spent on trying the others is not in it.
"""

from collections.abc import Mapping
from statistics import fmean

from .. import methods
from ..store.record import Record

CHOSEN = "chosen"
NOT_DECISION_FOCUSED = ("reference", "prediction")  # families
LEAST_SEEDS = 4  # two in each half

BySeed = Mapping[int, Record]


def choose(records: Mapping[str, BySeed], baseline: BySeed) -> dict[str, dict[int, Record]]:
    """Return the records of the chosen method by seed, under its name; nothing where there is no choice.

    Args:
        records: by method and seed; a method that lacks a seed of the baseline is not chosen.
        baseline: the records whose seeds count.
    """
    seeds = sorted(baseline)
    rivals = {m: by_seed for m, by_seed in decision_focused(records).items() if by_seed.keys() >= set(seeds)}
    if len(seeds) < LEAST_SEEDS or not rivals:
        return {}
    halves = (seeds[::2], seeds[1::2])
    best = [min(rivals, key=lambda m, half=half: _mean(rivals[m], half)) for half in halves]  # type: ignore[misc]
    chosen = {seed: rivals[best[1 - i]][seed] for i, half in enumerate(halves) for seed in half}
    return {CHOSEN: chosen}


def decision_focused(records: Mapping[str, BySeed]) -> dict[str, BySeed]:
    """Return the records of methods that train for decisions."""
    known = methods.entries()
    return {
        name: by_seed
        for name, by_seed in records.items()
        if name in known and known[name].family not in NOT_DECISION_FOCUSED
    }


def _mean(records: BySeed, seeds: list[int]) -> float:
    return fmean(records[seed].normalized_regret or 0.0 for seed in seeds)
