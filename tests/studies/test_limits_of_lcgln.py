from itertools import pairwise

import numpy as np

from dfl_bench.contracts.bank import BankCache
from dfl_bench.experiment.protocols import configure
from dfl_bench.studies.limits_of_lcgln import CHANGES, Watched, distance, ladder, results_of
from tests.support.small import METHOD, small_problem


def test_every_line_changes_one_thing():
    lines = [settings for _, settings in ladder(8)]
    problem = small_problem("budget", data="clicks")
    configs = [configure(Watched, problem, "paper", settings) for settings in lines]
    assert len(set(configs)) == len(configs)
    for above, below in pairwise(lines[: len(CHANGES)]):
        assert len([name for name in below if above.get(name) != below[name]]) == 1


def test_a_line_is_scored_on_tuning_seeds_and_its_loss_is_kept():
    problem = small_problem("budget", data="clicks")
    short = {name: METHOD[name] for name in ("steps", "samples", "surrogate_steps", "validate_every")}
    method = Watched(configure(Watched, problem, "paper", ladder(8)[5][1] | short))
    results = results_of(method, problem, [1000, 1001], BankCache())
    assert method.fitted.r2.shape == method.fitted.step.shape == (2,)
    errors = [r.predictions - problem.data(s).test.y for r, s in zip(results, (1000, 1001), strict=True)]
    spreads = [problem.data(s).test.y.std() for s in (1000, 1001)]
    expected = np.mean([np.sqrt((e**2).mean()) / s for e, s in zip(errors, spreads, strict=True)])
    assert distance(problem, [1000, 1001], results) == expected
