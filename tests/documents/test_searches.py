"""The stored searches of protocol `paper` were scored on validation rows, as their files say."""

import json

import numpy as np
import pytest

from dfl_bench import make_problem, methods
from dfl_bench.experiment.protocols import PACKAGED, configure
from dfl_bench.run.evaluate import evaluate_batch
from dfl_bench.run.search import FIRST_TUNING_SEED


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["inventory", "budget"])
def test_a_stored_trial_is_a_score_of_validation_rows(problem):
    search = json.loads((PACKAGED / "paper" / problem / "egl-wmse.json").read_text(encoding="utf-8"))
    trial, cls, made = search["trials"][0], methods.get("egl-wmse"), make_problem(problem)
    assert search["search"]["part"] == "val"
    method = cls(configure(cls, made, "paper", trial["settings"]))
    seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + search["search"]["seeds"])
    value = np.mean([r.normalized_regret for r in evaluate_batch(method, made, seeds, part="val")])
    # Equal to the last bit on the machine it was made on; test rows differ by more than 0.01.
    assert value == pytest.approx(trial["value"], rel=1e-3)
