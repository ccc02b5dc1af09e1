"""One seed, one number: a record depends on its seed alone, bit for bit."""

import pytest

from dfl_bench import methods, problems
from dfl_bench.contracts.settings import names_of
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run.driver import run
from dfl_bench.run.evaluate import evaluate
from dfl_bench.run.verify import verify
from dfl_bench.store.store import Store
from tests.methods.fits import TRAINED
from tests.support.small import METHOD, OFFLINE, PROBLEM, small_problem


def entry(problem, seeds, names):
    settings = {k: v for k, v in PROBLEM.items() if k in names_of(problems.get(problem).Config)}
    short = {k: v for k, v in METHOD.items() if k != "samples"}
    return Entry(
        problem=problem,
        methods=tuple(names),
        settings=settings,
        method_settings=short,
        samples=(8,),
        seeds=seeds,
    )


OURS = [p for p in OFFLINE if problems.get(p).__module__.startswith("dfl_bench.")]
# (problem, seeds, jobs). What equals an evaluation that asks for one seed does not depend on which were asked
# for, nor on what ran beside it. A job more is a process more that imports torch.
RUNS = [*((problem, 2, 1) for problem in OURS), ("inventory", 1, 2)]


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "seeds", "jobs"), RUNS)
def test_a_score_does_not_depend_on_which_seeds_were_asked_for(tmp_path, problem, seeds, jobs):
    made = small_problem(problem)
    names = [m for m in TRAINED if methods.get(m).not_applicable(made) is None]
    with Store(tmp_path / "r.sqlite") as store:
        summary = run(plan([entry(problem, seeds, names)]), store, jobs=jobs)
        assert summary.failed == 0, summary.errors
        records = store.records()
    assert {(r.cell.method, r.cell.seed) for r in records} == {(m, s) for m in names for s in range(seeds)}
    assert len(records) == seeds * len(names)
    for record in records:
        changes = {k: v for k, v in METHOD.items() if k in names_of(methods.get(record.cell.method).Config)}
        if "samples" in changes:
            changes["samples"] = 8
        here = evaluate(record.cell.method, made, seed=record.cell.seed, **changes)
        assert here.regret.tobytes() == record.regret.tobytes(), record.cell
    if jobs > 1:  # once: to verify is to run the same cells in one more process
        checks = list(verify(records, 2, seed=0))
        assert len(checks) == 2 and all(a.regret.tobytes() == b.regret.tobytes() for a, b in checks)
