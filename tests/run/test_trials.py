"""Which methods are tried on a problem, and how alike the rows of two seeds are."""

import dataclasses

import numpy as np
import pytest

import dfl_bench
from dfl_bench.results.statistics import MIN_SEEDS
from dfl_bench.run.trials import USUAL_SEEDS, plan_trial, run_here, shared_rows
from tests.support import own
from tests.support.small import small_problem


def tried(problem, **asked):
    trial = plan_trial([problem], seeds=2, **asked)
    return list(dict.fromkeys(cell.method for cell in trial.cells)), trial


def test_the_methods_that_apply():
    path = small_problem("shortest-path")
    assert tried(path)[0] == ["pfl", "spo-plus", "lcgln-plus", "constant", "floor"]
    assert tried(path, methods=["pfy", "pfl"])[0] == ["pfl", "pfy", "constant", "floor"]
    names, trial = tried(own.newsvendor(layer=lambda y: y))
    assert names == ["pfl", "dfl", "lcgln-plus", "constant"]
    assert trial.refused == {"spo-plus": "the cost of own is not linear in the outcome"}
    names, trial = tried(own.newsvendor())
    assert names == ["pfl", "lcgln-plus", "constant"] and set(trial.refused) == {"spo-plus", "dfl"}


def test_a_regressor_leaves_prediction_alone():
    tree = pytest.importorskip("sklearn.tree").DecisionTreeRegressor()
    names, trial = tried(own.choice(predictor=tree))
    assert names == ["pfl", "constant"] and set(trial.refused) == {"spo-plus", "dfl", "lcgln-plus"}


def test_seeds_and_settings_are_in_the_cells():
    trial = plan_trial([own.newsvendor()], seeds=3, first_seed=1000, settings={"steps": 5, "samples": 4})
    assert {cell.seed for cell in trial.cells} == {1000, 1001, 1002}
    configs = {cell.method: cell.method_config for cell in trial.cells}
    assert configs["pfl"]["steps"] == 5 and configs["lcgln-plus"]["samples"] == 4
    assert len({cell.key for cell in trial.cells}) == 9


@pytest.mark.parametrize(
    ("split", "shared"),
    [((0.6, 0.2, 0.2), 0.2), ((0.4, 0.2, 0.4), 0.4), ("chronological", 1.0)],
)
def test_rows_that_seeds_share(split, shared):
    x = np.arange(200.0)
    problem = dfl_bench.problem(x, x, decide=np.copy, cost=lambda z, y: abs(z - y), split=split)
    found = shared_rows([problem.data(seed) for seed in range(6)])
    assert found == pytest.approx(shared, abs=0.05 if shared < 1 else 0)
    path = small_problem("shortest-path")
    assert shared_rows([path.data(seed) for seed in (0, 1)]) == 0


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"seeds": 1}, "at least 2 seeds, got 1: an interval needs pairs"),
        ({"seeds": 2, "first_seed": -1}, "first seed of at least 0"),
        ({"seeds": 2, "methods": ["pfl"]}, "expected a method to train with beside pfl"),
        ({"seeds": 2, "methods": ["truth"]}, "got truth"),
        ({"seeds": 2, "settings": {"stepz": 3}}, "Did you mean 'steps'?"),
    ],
)
def test_bad_wishes(asked, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        plan_trial([own.newsvendor()], **asked)
    with pytest.raises(dfl_bench.DflBenchError, match="Did you mean 'spo-plus'"):
        plan_trial([own.newsvendor()], seeds=2, methods=["spo-pls"])


def test_six_is_what_boards_need():
    assert USUAL_SEEDS == MIN_SEEDS
    assert len({cell.seed for cell in plan_trial([own.newsvendor()]).cells}) == 6


def test_too_few_rows():
    x, y = own.rows(20)
    problem = dfl_bench.problem(x, y, decide=np.copy, cost=own.newsvendor_cost)
    with pytest.raises(
        ValueError, match="at least 10 training rows and 5 test rows for advice, got 12 and 4 of own"
    ):
        plan_trial([problem], seeds=6)


def test_what_goes_wrong_is_a_record():
    def cost(z, y):
        if len(y) == 6:  # the validation and the test rows
            raise RuntimeError("no cost for six")
        return own.newsvendor_cost(z, y)

    problem = own.newsvendor(cost=cost)
    trial = plan_trial([own.newsvendor()], seeds=2, settings={"steps": 2, "samples": 4, "surrogate_steps": 2})
    (record,) = run_here(
        [problem], [dataclasses.replace(trial.cells[0], source_digest=problem.source_digest)]
    )
    assert record.status == "failed" and "no cost for six" in record.error
