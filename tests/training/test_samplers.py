import numpy as np
import pytest

from dfl_bench.contracts.bank import BankCache
from dfl_bench.contracts.task import Task
from dfl_bench.errors import UnknownNameError
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.selection import Selection, parse_settings
from dfl_bench.run.evaluate import evaluate_seed
from dfl_bench.training import SampledConfig, sampler_of, samplers
from tests.support.small import short_method, small_problem


def task(problem):
    data = problem.data(0)
    return Task(problem, data.train, data.val, 0, cache=BankCache())


@pytest.mark.parametrize("name", samplers.names())
def test_the_truth_is_first_and_a_smaller_draw_is_a_prefix(name):
    problem = small_problem("inventory")
    given = task(problem)
    sampler = sampler_of(SampledConfig(sampler=name))
    drawn = sampler.draw(given, 6)
    np.testing.assert_array_equal(drawn[0], given.train.y)
    np.testing.assert_array_equal(drawn[:3], sampler.draw(given, 3))
    np.testing.assert_allclose(problem.project(drawn[1:]), drawn[1:], atol=1e-12)


def test_samplers_draw_differently():
    given = task(small_problem("inventory"))
    drawn = [sampler_of(SampledConfig(sampler=name)).draw(given, 3)[1] for name in samplers.names()]
    assert len(drawn) >= 3
    assert all(not np.array_equal(a, b) for i, a in enumerate(drawn) for b in drawn[:i])


@pytest.mark.parametrize("method", ["lcgln", "egl-wmse", "lodl-dq", "lcgln-plus"])
def test_the_sampler_is_a_setting_of_every_method_that_draws_samples(method):
    problem = small_problem("inventory")
    scores = {
        name: evaluate_seed(short_method(method, problem, sampler=name), problem, 0).predictions.tobytes()
        for name in samplers.names()
    }
    assert len(set(scores.values())) == len(scores)


def test_the_sampler_is_part_of_the_key():
    keys = set()
    for name in samplers.names():
        settings = parse_settings([f"sampler={name}"])
        keys |= {
            c.key
            for c in plan(
                Selection(problems=["inventory"], methods=["lcgln"], settings=settings, seeds=1).entries()
            )
        }
    assert len(keys) == len(samplers.names())


def test_an_unknown_sampler_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'gaussian'"):
        sampler_of(SampledConfig(sampler="gausian"))


def test_a_sampler_of_ones_own_joins_by_its_name():
    @samplers.register("zeros")
    class Zeros(samplers.Gaussian):
        def draw(self, task, samples):
            return np.stack([task.train.y, *(0 * task.train.y for _ in range(samples - 1))])

    try:
        drawn = sampler_of(SampledConfig(sampler="zeros")).draw(task(small_problem("budget")), 3)
        assert not drawn[1:].any()
    finally:
        samplers._samplers.pop("zeros")
