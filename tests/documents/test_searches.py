"""The stored searches of protocol `paper`: which there are, and that validation rows scored their trials."""

import json

import numpy as np
import pytest

from dfl_bench import make_problem, methods
from dfl_bench.contracts.fingerprint import plain
from dfl_bench.contracts.seeding import FIRST_TUNING_SEED
from dfl_bench.experiment.protocols import PACKAGED, configure, place_of
from dfl_bench.experiment.suite import load_suite
from dfl_bench.run.evaluate import evaluate_batch


@pytest.mark.parametrize("suite", ["paper", "published"])
@pytest.mark.parametrize("name", ["lcgln", "egl-wmse", "egl-dq"])
def test_a_sampling_rate_is_searched_for_every_problem_and_sweep_value_on_six_seeds(suite, name):
    cls = methods.get(name)
    for entry in load_suite(suite):
        problem = make_problem(entry.problem, **entry.settings)
        search = json.loads((PACKAGED / "paper" / place_of(problem) / f"{name}.json").read_text("utf-8"))
        made_for = search["search"]
        assert search["complete"] and made_for["seeds"] >= 6 and made_for["part"] == "val"
        assert [made_for[kind][:2] for kind in ("method", "problem")] == [
            [cls.name, cls.version],
            [problem.name, problem.version],
        ]
        assert made_for["problem"][2] == plain(problem.config)
        # The grid of the paper, all of it, and the best of it.
        assert sorted(t["settings"]["sampling_rate"] for t in search["trials"]) == [0.01, 0.05, 0.1, 0.5, 1.0]
        assert search["best"] == min(search["trials"], key=lambda trial: trial["value"])["settings"]


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "settings"), [("inventory", {}), ("budget", {"data": "clicks"})])
def test_a_stored_trial_is_a_score_of_validation_rows(problem, settings):
    made = make_problem(problem, **settings)
    search = json.loads((PACKAGED / "paper" / place_of(made) / "egl-wmse.json").read_text(encoding="utf-8"))
    trial, cls = search["trials"][0], methods.get("egl-wmse")
    assert search["search"]["part"] == "val"
    method = cls(configure(cls, made, "paper", trial["settings"]))
    seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + search["search"]["seeds"])
    value = np.mean([r.normalized_regret for r in evaluate_batch(method, made, seeds, part="val")])
    # Equal to the last bit on the machine it was made on; test rows differ by more than 0.01.
    assert value == pytest.approx(trial["value"], rel=1e-3)
