"""The best of many methods, chosen without looking at the seeds it is scored on.

Of eleven equal methods the one with the lowest mean looks better than the others, by luck alone: a gain of
"the best" that is chosen and scored on the same seeds is too high. So seeds are dealt to two halves in turn,
and each half is scored with the method that has the lowest mean regret on the other half. The mean is then
that of someone who tries every method on half of the seeds and uses the best one, without bias by the choice.
It is a little below what the best method could do, because half of the seeds sometimes choose another one.

The cost of the chosen method is that of its own fit. What was spent on trying the others is not in it.
"""

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from .. import methods
from ..store.record import Record

CHOSEN = "chosen"
BASELINE = "pfl"  # what every other method is compared with
LEAST_SEEDS = 4  # two in each half

BySeed = Mapping[int, Record]  # those that have a score


def choose(records: Mapping[str, BySeed]) -> dict[str, dict[int, Record]]:
    """Return the records of the chosen method by seed, under its name; nothing where there is no choice.

    A method that lacks a seed of the baseline is not chosen.
    """
    seeds = sorted(records.get(BASELINE, {}))
    trained, _ = rivals(records)
    whole = [name for name in trained if records[name].keys() >= set(seeds)]
    if len(seeds) < LEAST_SEEDS or not whole:
        return {}
    halves = (seeds[::2], seeds[1::2])
    best = [_best_on(half, {name: records[name] for name in whole}) for half in halves]
    chosen = {seed: records[best[1 - i]][seed] for i, half in enumerate(halves) for seed in half}
    return {CHOSEN: dict(sorted(chosen.items()))}


def rivals(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return which of some methods train for decisions, and which predict in another way than `pfl`."""
    known = methods.entries()
    families = {name: known[name].family for name in names if name in known and name != BASELINE}
    trained = [name for name, family in families.items() if family not in ("reference", "prediction")]
    return trained, [name for name, family in families.items() if family == "prediction"]


def _best_on(seeds: Sequence[int], records: Mapping[str, BySeed]) -> str:
    def mean(name: str) -> float:
        return fmean(records[name][seed].normalized_regret or 0.0 for seed in seeds)

    return min(records, key=mean)
