"""A small map and its records, made by hand."""

import numpy as np

from dfl_bench.contracts.fingerprint import plain
from dfl_bench.experiment.suite import load_suite
from dfl_bench.problems import make_problem
from tests.support.made import REFERENCES, record

SUITE = """
[defaults]
methods = ["pfl", "spo-plus", "lancer", "pfl-forest", "floor", "constant"]
seeds = 8
first_seed = 10

[[entry]]
problem = "shortest-path"
[entry.axes]
degree = [1, 8]
rows = [{ at = 50, n_train = 50, n_val = 12 }, { at = 200, n_train = 200, n_val = 50 }]

[[entry]]
problem = "shortest-path"
leave_out = ["lancer"]
axes = { degree = [1, 8], rows = [{ at = 1000 }] }

[[entry]]
problem = "budget"
methods = ["pfl", "dfl"]
axes = { fake_targets = [0, 500] }
"""
# With degree 8 SPO+ halves what PFL leaves and LANCER doubles it; with degree 1 nothing is to be gained.
LEVELS = {"pfl": 0.3, "spo-plus": 0.2, "lancer": 0.5, "pfl-forest": 0.28, "floor": 0.1, "constant": 0.6}


AT_EASE = {**dict.fromkeys(LEVELS, 0.3), "pfl": 0.2, "floor": 0.1}


def made_map(suite, unrun=({"degree": 1, "rows": 1000},)):
    """Yield a record for every cell on shortest paths, but those of some places; and one of another seed."""
    for entry in load_suite(suite):
        if entry.problem == "shortest-path" and entry.at not in unrun:
            levels = LEVELS if entry.at["degree"] == 8 else AT_EASE
            kept = {method: levels[method] for method in entry.methods}
            yield from records_at(entry, kept, range(9, 18))


def records_at(entry, levels, seeds):
    """Yield records of one place on a map, with scores near a level for each method."""
    config = plain(make_problem(entry.problem, **entry.settings).config)
    for method, level in levels.items():
        rng = np.random.default_rng([*map(ord, method)])
        for seed in seeds:
            yield record(
                method,
                seed,
                score=level + 0.004 * rng.standard_normal(),
                problem=entry.problem,
                problem_config=config,
                protocol=entry.protocol,
                reference=method in REFERENCES,
                solves={"train": 700 if method == "spo-plus" else 7},
            )
