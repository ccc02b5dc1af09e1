"""lcgln-plus where costs are linear: its pool, its costs, and what its switches change."""

import numpy as np
import pytest
import torch

from dfl_bench.contracts.problem import Problem
from dfl_bench.contracts.task import Task
from dfl_bench.methods._lcgln_decisions import Labelled
from dfl_bench.methods.spo_plus import spo_plus, spo_plus_gradient
from dfl_bench.run.evaluate import evaluate_batch
from dfl_bench.training import SeedBatch
from dfl_bench.training.samplers import Gaussian
from lcgln.decisions import DecisionLossConfig, fit_decision_loss
from tests.support.small import OFFLINE, short_method, small_problem

LINEAR = [name for name in OFFLINE if type(small_problem(name)).embed is not Problem.embed]
SEEDS = (1000, 1001)
SAMPLES = 6


def labelled(problem):
    tasks = [Task(problem, (d := problem.data(seed)).train, d.val, seed) for seed in SEEDS]
    batch = SeedBatch(tasks)
    return batch, Labelled(batch, Gaussian(width=1.0), SAMPLES)


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("shared", [0, 3, 1000])
def test_a_pool_holds_the_decisions_of_a_row_once_at_their_regrets(name, shared):
    problem = small_problem(name).in_training
    batch, samples = labelled(problem)
    pool = samples.pool(shared, own=True)
    assert batch.ledger.solves["label"] == len(SEEDS) * SAMPLES * batch.train.y.shape[1]
    for seed in range(len(SEEDS)):
        for row in range(0, batch.train.y.shape[1], 7):
            regrets = pool.regret[seed, row][pool.real[seed, row]]
            assert regrets.min() == pytest.approx(0.0, abs=1e-9)  # the best decision is among them
            # All of the row's own are there, and so is each as often as it differs from the others.
            own = torch.unique(samples.decisions[seed, :, row].reshape(SAMPLES, -1), dim=0)
            distances = (regrets[:, None] - samples.regret[seed, :, row]).abs().amin(0)
            assert distances.max() < 1e-9 * (1.0 + regrets.max())
            assert len(regrets) == len(own) if shared == 0 else len(regrets) >= len(own)


@pytest.mark.parametrize("name", LINEAR)
def test_gaps_are_differences_of_costs(name):
    problem = small_problem(name).in_training
    batch, samples = labelled(problem)
    train, y_hat = batch.train, samples.y_hat[:, -1]
    gaps = samples.pool(0, own=True).of(None).gaps(y_hat.flatten(2).unsqueeze(2)).squeeze(2)
    context = {key: values.unsqueeze(1) for key, values in train.context.items()}
    costs = problem.cost(samples.decisions, y_hat.unsqueeze(1), context)  # (S, K, n)
    torch.testing.assert_close(gaps, (costs[:, :1] - costs).mT, rtol=1e-8, atol=1e-8)


def test_on_a_pool_of_all_decisions_it_is_spo_plus():
    problem = small_problem("shortest-path", side=3)  # six paths
    batch, samples = labelled(problem)
    pool = samples.pool(1000, own=True)
    assert (pool.real.sum(-1) == 6).all()
    points = samples.y_hat.transpose(1, 2).flatten(3)
    config = DecisionLossConfig(steps=0, temperature=1e-7)
    rngs = [np.random.default_rng(seed) for seed in SEEDS]
    loss = fit_decision_loss(pool, points, samples.regret.mT, rngs=rngs, config=config).frozen()
    y_hat = samples.y_hat[:, -1]
    given = problem, y_hat, batch.train.y, samples.decisions[:, 0], batch.train.context
    torch.testing.assert_close(loss(y_hat, None), spo_plus(*given), rtol=0, atol=1e-5)
    torch.testing.assert_close(loss.gradient(y_hat, None), spo_plus_gradient(*given))


@pytest.mark.parametrize("name", ["shortest-path", "inventory"])
def test_no_step_of_the_predictor_solves(name):
    problem = small_problem(name)
    method = short_method("lcgln-plus", problem, steps=20, validate_every=20, start=False, rounds=1)
    (result,) = evaluate_batch(method, problem, [1000])
    assert result.ledger.solves["train"] == 2 * len(problem.data(1000).val)  # at its start and end


@pytest.mark.parametrize(
    "settings",
    [
        {"fitted": False},
        {"decisions": False},
        {"pool_own": False},
        {"pool_shared": 0},
        {"reach": 0.0},
        {"on_policy": 0.0},
        {"start": False},
        {"prediction_weight": 0.5},
        {"pieces": 3},
    ],
    ids=str,
)
def test_every_part_can_be_switched(settings):
    problem = small_problem("knapsack")
    usual, changed = (
        evaluate_batch(
            short_method("lcgln-plus", problem, rounds=1, select="last", **given), problem, [1000]
        )[0]
        for given in ({}, settings)
    )
    assert np.isfinite(changed.predictions).all()
    assert not np.array_equal(usual.predictions, changed.predictions)
