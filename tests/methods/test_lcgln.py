"""The settings of LCGLN beside the paper's: the network's form, the anchor, what is held out, the samples."""

import numpy as np
import pytest

from dfl_bench import methods
from dfl_bench.experiment.protocols import configure
from dfl_bench.problems import make_problem
from dfl_bench.run.evaluate import evaluate_batch
from tests.support.small import short_method, small_problem

VARIANTS = [
    {"form": "authors"},
    {"anchored": True},
    {"form": "authors", "anchored": True},
    {"hold_out": "instances"},
    {"convex": False},
    {"scaled": False},
    {"trajectories": 4},
    {"sampler": "gaussian"},
]


@pytest.mark.parametrize("settings", VARIANTS, ids=str)
def test_seeds_trained_together_equal_seeds_trained_apart(settings):
    problem = small_problem("budget")
    method = short_method("lcgln", problem, **settings)
    together = evaluate_batch(method, problem, [1000, 1001])
    for seed, result in zip((1000, 1001), together, strict=True):
        (alone,) = evaluate_batch(method, problem, [seed])
        np.testing.assert_allclose(result.predictions, alone.predictions, rtol=1e-6, atol=1e-6)


def test_every_setting_changes_what_is_learned():
    problem = small_problem("budget")
    learned = [
        evaluate_batch(short_method("lcgln", problem, **settings), problem, [1000])[0].predictions.tobytes()
        for settings in ({}, *VARIANTS)
    ]
    assert len(set(learned)) == len(learned)


def test_a_loss_that_is_not_convex_cannot_be_anchored():
    with pytest.raises(ValueError, match="an anchored loss must be convex"):
        methods.get("lcgln").Config(anchored=True, convex=False)


@pytest.mark.parametrize("problem", ["inventory", "budget", "portfolio"])
def test_in_protocol_paper_it_is_what_the_paper_says(problem):
    config = configure(methods.get("lcgln"), make_problem(problem), "paper", {})
    assert (config.form, config.hidden, config.anchored) == ("paper", (2,), False)
    assert (config.sampler, config.trajectories, config.checkpoints) == ("model-based", 1, "every")
    assert config.surrogate_rate == 1e-3 and config.hold_out == "samples"
    assert (config.convex, config.scaled, config.held_error) == (True, True, "samples")


@pytest.mark.parametrize("method", ["egl-wmse", "egl-dq", "egl-dq-published"])
def test_the_other_global_losses_still_hold_out_instances(method):
    problem = small_problem("inventory")
    usual = short_method(method, problem)
    assert usual.version == 1 and usual.config.hold_out == "instances"
    other = short_method(method, problem, hold_out="samples")
    (first,), (second,) = (evaluate_batch(made, problem, [1000]) for made in (usual, other))
    assert not np.array_equal(first.predictions, second.predictions)
