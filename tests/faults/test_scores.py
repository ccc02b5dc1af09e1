"""Scores that cannot be fail their own cell, with the reason, and the run goes on."""

import numpy as np
import pytest

from dfl_bench import evaluate
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run.driver import run
from dfl_bench.store.store import Store
from tests.faults.support import method_text, run_one, write_plugin

PROBLEM = """
@problems.register("{name}", version=1)
class Faulty(Problem):
    from dataclasses import dataclass
    @dataclass(frozen=True)
    class Config:
        rows: int = 20
    provenance = "synthetic: faulty"
    network = Network(outputs=3, activation="linear")
    calls = 0
    def data(self, seed):
        rng = rng_for("faulty", "data", seed=seed)
        x, y = rng.standard_normal((60, 4)), rng.standard_normal((60, 3))
        {data}
        whole = Split(x, y)
        return Splits(whole[:20], whole[20:40], whole[40:])
    def decide(self, y_hat, context):
        return y_hat.argmax(-1)
    def cost(self, z, y, context):
        cost = -(y * (z[..., None] == np.arange(3))).sum(-1)
        {cost}
        return cost
    def worst(self, y, context):
        return {worst}
"""
FAULTS = {
    "nan-cost": ({"cost": "if len(y) == 20: cost = cost + np.where(np.arange(20) == 7, np.nan, 0)"},
                 "regret that is not finite (first: row 7)"),
    "inf-cost": ({"cost": "if len(y) == 20: cost = cost + np.where(np.arange(20) == 7, np.inf, 0)"},
                 "not finite"),
    "beaten": ({"cost": "cost = -cost"}, "less than the optimal one: solver and scorer disagree"),
    "few": ({"cost": "cost = cost[:-1] if len(y) == 20 else cost"}, "for each of 20 test rows"),
    "zero": ({"worst": "y.argmax(-1)"}, "a sum of reference regrets above 0"),
    "leak": ({"data": "x[50], y[50] = x[3], y[3]"}, "1 of 20 test rows of faulty-leak are train rows, too"),
    "leak-val": ({"data": "x[50], y[50] = x[25], y[25]"}, "are val rows, too"),
    "moving": ({"data": "Faulty.calls += 1; x[0] += Faulty.calls"},
               "gave different train rows; expected the same rows"),
    "moving-test": ({"data": "Faulty.calls += 1; y[-1] += Faulty.calls"}, "gave different test rows"),
}  # fmt: skip


@pytest.fixture
def faulty(tmp_path):
    """Write a problem with one fault."""

    def make(name):
        parts = {"data": "pass", "cost": "pass", "worst": "y.argmin(-1)"} | FAULTS[name][0]
        text = PROBLEM.format(name=f"faulty-{name}", **parts)
        return write_plugin(tmp_path, f"faulty_{name.replace('-', '_')}", text)

    return make


@pytest.mark.parametrize("name", FAULTS)
def test_a_problem_with_impossible_scores_or_rows_fails_its_cell(tmp_path, faulty, name, toy):
    record = run_one(tmp_path, faulty(name), "random", problem=f"faulty-{name}")
    assert record.status == "failed"
    assert FAULTS[name][1] in record.error


@pytest.mark.parametrize("name", FAULTS)
def test_evaluate_refuses_them_too(tmp_path, faulty, name):
    from dfl_bench import make_problem

    faulty(name)
    with pytest.raises(Exception, match=FAULTS[name][1].partition(" (")[0]):
        evaluate("random", make_problem(f"faulty-{name}"))


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("nan-seconds", "task.ledger.seconds['train'] = float('nan')"),
        ("less-than-no-time", "task.ledger.seconds['train'] = -1.0"),
        ("inf-solves", "task.ledger.solves['train'] = float('inf')"),
        ("nan-in-curve", "task.ledger.curve.append((float('nan'), [0.5]))"),
    ],
)
def test_a_ledger_that_cannot_be_fails_its_cell_alone(tmp_path, toy, name, body):
    plugin = write_plugin(tmp_path, name.replace("-", "_"), method_text(name, body))
    cells = plan([Entry(problem="toy", methods=(name, "toy-noisy"), seeds=1)])
    with Store(tmp_path / "r.sqlite") as store:
        summary = run(cells, store, plugins=[toy, plugin])
        (failure,) = store.failures()
    assert (summary.new, summary.failed) == (1, 1)
    assert "expected numbers of at least 0 in the ledger" in failure.error


def test_the_truth_scores_zero_where_nothing_is_wrong():
    from dfl_bench import make_problem

    result = evaluate("truth", make_problem("inventory", n_test=10))
    assert np.allclose(result.regret, 0.0, atol=1e-9)
