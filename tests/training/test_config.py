import pytest

from dfl_bench import methods
from dfl_bench.contracts.settings import names_of
from dfl_bench.experiment.protocols import configure
from dfl_bench.training import TrainingConfig
from tests.support.small import small_problem


@pytest.mark.parametrize(
    "settings",
    [
        {"steps": -5},
        {"steps": 0},
        {"steps": "abc"},
        {"steps": 1.5},
        {"batch": 0},
        {"batch": -1},
        {"validate_every": 0},
        {"patience": 0},
        {"learning_rate": 0.0},
        {"learning_rate": -1.0},
        {"learning_rate": float("nan")},
        {"learning_rate": float("inf")},
        {"learning_rate": True},
        {"weight_decay": -0.1},
        {"samples": 1},
        {"sampling_rate": 0.0},
        {"checkpoints": "sometimes"},
        {"trajectories": 0},
        {"surrogate_steps": 0},
        {"hidden": (0,)},
        {"hold_out": "rows"},
        {"width": 0.0},
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(settings):
    (name,) = settings
    problem = small_problem("inventory")
    built_in = [m for m in methods.names() if methods.get(m).__module__.startswith("dfl_bench.")]
    owners = [m for m in built_in if name in names_of(methods.get(m).Config)]
    assert owners
    for method in owners:
        with pytest.raises(ValueError, match=name):
            configure(methods.get(method), problem, "paper", settings)


def test_none_stands_for_the_problems_own_number():
    config = TrainingConfig(steps=None, batch=None)
    assert (config.steps, config.batch) == (None, None)
