"""The stored searches of protocol `paper` were scored on validation rows, as their files say."""

import json

import numpy as np
import pytest

from dfl_bench import make_problem, methods
from dfl_bench.contracts.seeding import FIRST_TUNING_SEED
from dfl_bench.experiment.protocols import PACKAGED, configure, place_of
from dfl_bench.run.evaluate import evaluate_batch


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
