"""Normalized regret on small problems with fixed seeds, beside the time: a faster wrong kernel shows here."""

from benchmarks.inputs import SMALL, fit
from dfl_bench.problems import make_problem

SEEDS = [0, 1, 2]


class Quality:
    params = (["pfl", "dfl", "lcgln"], list(SMALL))
    param_names = ["method", "problem"]
    timeout = 300
    unit = "normalized regret"

    def setup(self, method, name):
        self.problem = make_problem(name, **SMALL[name])

    def track_regret(self, method, name):
        scores = fit(method, self.problem, SEEDS, steps=300, samples=16, surrogate_steps=500)
        return sum(scores) / len(scores)
