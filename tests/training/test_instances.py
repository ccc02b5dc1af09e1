"""Many small fits as one: each gets what it would get alone."""

import numpy as np
import pytest
import torch

from dfl_bench.training import instances
from dfl_bench.training.instances import fit_each
from lcgln.ensemble.minimize import minimize

SETTINGS = {"steps": 60, "learning_rate": 0.05, "patience": 15}


def drawn(n=12, size=8):
    rng = np.random.default_rng(0)
    draw = lambda *shape: torch.from_numpy(rng.standard_normal(shape))  # noqa: E731
    return draw(n, size), draw(n, size), draw(n, size)


def towards(free, goal, other):
    return (free - goal).square().sum(-1)


def held(free, goal, other):
    return (free - 0.4 * goal - 0.2 * other).square().sum(-1)  # each has its least on the way


def by_minimize(start, goal, other):
    free = torch.nn.Parameter(start.clone())
    fit = minimize(
        [free],
        lambda step: towards(free, goal, other),
        torch.no_grad()(lambda: held(free, goal, other)),
        every=instances.EVERY,
        **SETTINGS,
    )
    return free.detach(), fit


def test_each_gets_what_the_loop_of_all_methods_gives():
    start, *data = drawn()
    expected, fit = by_minimize(start, *data)
    assert len(set(fit.best_step.tolist())) > 2  # they stop at different steps
    assert torch.equal(fit_each(start, data, towards, held, **SETTINGS), expected)


@pytest.mark.parametrize("instances_of_a_block", [1, 5, 12])
def test_blocks_change_nothing(monkeypatch, instances_of_a_block):
    start, *data = drawn()
    expected = fit_each(start, data, towards, held, **SETTINGS)
    monkeypatch.setattr(instances, "BLOCK_BYTES", instances_of_a_block * 8 * start.shape[1])
    assert torch.equal(fit_each(start, data, towards, held, **SETTINGS), expected)


def test_an_instance_that_has_stopped_is_no_longer_computed():
    start, *data = drawn()
    sizes = []

    def counted(free, goal, other):
        sizes.append(len(free))
        return towards(free, goal, other)

    fit_each(start, data, counted, held, **SETTINGS)
    assert sizes[0] == len(start) and sizes[-1] < len(start) and sizes == sorted(sizes, reverse=True)


def test_an_instance_that_is_lost_keeps_its_last_good_state_and_harms_no_other():
    start, goal, other = drawn()
    goal[3] = torch.nan
    fitted = fit_each(start, (goal, other), towards, held, **SETTINGS)
    assert torch.equal(fitted[3], start[3])
    good = [i for i in range(len(start)) if i != 3]
    expected = fit_each(start[good], (goal[good], other[good]), towards, held, **SETTINGS)
    assert torch.equal(fitted[good], expected)


def test_the_start_is_not_changed():
    start, *data = drawn()
    before = start.clone()
    fit_each(start, data, towards, held, **SETTINGS)
    assert torch.equal(start, before)
