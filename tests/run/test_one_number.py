"""One seed, one number: a record depends on its seed alone, bit for bit.

That a worker scores as this process does is part of the contract of every method on every problem. Here is
the rest of a run: several seeds, cells side by side, and the way through the store.
"""

import pytest

from dfl_bench import methods
from dfl_bench.contracts.settings import names_of
from dfl_bench.experiment.plan import draws_samples, plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run.driver import run
from dfl_bench.run.evaluate import evaluate
from dfl_bench.run.verify import verify
from dfl_bench.store.store import Store
from tests.methods.fits import TRAINED
from tests.support.small import METHOD, PROBLEM, small_problem

PROBLEM_NAME, SEEDS, SAMPLES = "inventory", 2, 8


def names():
    """Cells share nothing but the folder of labelled samples: all methods that use it, and one without."""
    problem = small_problem(PROBLEM_NAME)
    sampling = [m for m in TRAINED if draws_samples(m) and methods.get(m).not_applicable(problem) is None]
    return ["pfl", *sampling]


def entry():
    problem = small_problem(PROBLEM_NAME)
    has = {setting for name in names() for setting in names_of(methods.get(name).Config)} - {"samples"}
    return Entry(
        problem=problem.name,
        methods=tuple(names()),
        settings={k: v for k, v in PROBLEM.items() if k in names_of(type(problem).Config)},
        method_settings={k: v for k, v in METHOD.items() if k in has},
        samples=(SAMPLES,),
        seeds=SEEDS,
    )


@pytest.mark.slow
def test_a_score_does_not_depend_on_which_seeds_were_asked_for_nor_on_what_ran_beside_it(tmp_path):
    with Store(tmp_path / "r.sqlite") as store:
        summary = run(plan([entry()]), store, jobs=2)
        assert summary.failed == 0, summary.errors
        records = store.records()
    assert {(r.cell.method, r.cell.seed) for r in records} == {(m, s) for m in names() for s in range(SEEDS)}
    assert len(records) == SEEDS * len(names())
    for record in records:
        changes = {k: v for k, v in METHOD.items() if k in names_of(methods.get(record.cell.method).Config)}
        if "samples" in changes:
            changes["samples"] = SAMPLES
        here = evaluate(record.cell.method, small_problem(PROBLEM_NAME), seed=record.cell.seed, **changes)
        assert here.regret.tobytes() == record.regret.tobytes(), record.cell
    checks = list(verify(records, 2, seed=0))
    assert len(checks) == 2 and all(a.regret.tobytes() == b.regret.tobytes() for a, b in checks)
