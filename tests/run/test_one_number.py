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


@pytest.mark.slow
@pytest.mark.parametrize(
    "problem", [p for p in OFFLINE if problems.get(p).__module__.startswith("dfl_bench.")]
)
def test_a_score_does_not_depend_on_which_seeds_were_asked_for(tmp_path, problem):
    names = [m for m in TRAINED if methods.get(m).not_applicable(small_problem(problem)) is None]
    regrets = {}
    for seeds in (1, 2):
        with Store(tmp_path / f"{seeds}.sqlite") as store:
            summary = run(plan([entry(problem, seeds, names)]), store, jobs=2)
            assert summary.failed == 0, summary.errors
            records = store.records()
        regrets[seeds] = {r.key: r.regret.tobytes() for r in records}
    assert regrets[1].items() <= regrets[2].items()
    assert len(regrets[2]) == 2 * len(names)
    for record in (r for r in records if r.cell.seed == 1):
        made = small_problem(problem)
        changes = {k: v for k, v in METHOD.items() if k in names_of(methods.get(record.cell.method).Config)}
        if "samples" in changes:
            changes["samples"] = 8
        here = evaluate(record.cell.method, made, seed=1, **changes)
        assert here.regret.tobytes() == record.regret.tobytes(), record.cell.method
    checks = list(verify([r for r in records if r.cell.seed == 1], 2, seed=0))
    assert all(a.regret.tobytes() == b.regret.tobytes() for a, b in checks)
