"""Published numbers, and records of ours beside them, made by hand."""

import dataclasses

from dfl_bench.experiment.plan import configurations
from dfl_bench.experiment.suite import load_suite
from dfl_bench.results.papers import load_paper
from dfl_bench.store.cell import Cell
from tests.support.made import record


def number(paper, method, **settings):
    (found,) = [
        p
        for p in load_paper(paper).numbers
        if method in (p.label, p.name) and all(p.settings[name] == value for name, value in settings.items())
    ]
    return found


def around(mean, sem):
    """Two scores with this mean and this standard error."""
    return (mean - sem, mean + sem)


def records_of(entry, scores, **changes):
    """Records of an entry's cells as a run would leave them: relative and normalized regret by method."""
    for problem, method in configurations(entry, "paper"):
        for seed, score in enumerate(scores.get(method.name, ())):
            where = Cell.of(problem, method, protocol="paper", seed=seed, device="cpu")
            settings = {f.name: getattr(where, f.name) for f in dataclasses.fields(Cell)}
            del settings["method"], settings["seed"]
            made = record(method.name, seed, score=score, **settings | changes)
            sums = {"predicted_worst_sum": 0.8 * made.worst_sum, "optimal_sum": made.worst_sum}
            yield dataclasses.replace(made, **sums)


def spo_records():
    """Two cells as the paper prints them, but with SPO+ higher by 0.4 points and by 2 points."""
    for entry in load_suite("spo-paper"):
        degree = entry.settings["degree"]
        if (entry.settings["n_train"], entry.settings["noise"]) == (1000, 0.5) and degree in (4, 8):
            at = {"n_train": 1000, "noise": 0.5, "degree": degree}
            means = {name: number("spo", name, **at).mean for name in ("spo-plus", "pfl-exact", "constant")}
            means["spo-plus"] += 0.004 if degree == 4 else 0.02
            yield from records_of(entry, {name: around(mean, 1e-4) for name, mean in means.items()})
