"""The gradient of the prediction error that problems write out, against torch and finite differences."""

import numpy as np
import pytest
import torch

from dfl_bench.contracts.problem import Problem
from dfl_bench.contracts.task import Task
from dfl_bench.problems.inventory import Inventory
from dfl_bench.run.sealed import sealed
from dfl_bench.training import PredictionLoss, SeedBatch
from tests.support.small import OFFLINE, small_problem


def batch_of(problem, seeds=(0, 1)):
    return SeedBatch([Task(problem, (d := problem.data(seed)).train, d.val, seed) for seed in seeds])


def wrong_predictions(y):
    return torch.from_numpy(np.random.default_rng(5).uniform(0.05, 2.0, y.shape))


# As published, inventory has another loss and budget another scale.
PUBLISHED = {"predictor": "published"}
CASES = [*((name, {}) for name in OFFLINE), ("inventory", PUBLISHED), ("budget", PUBLISHED)]


@pytest.fixture(params=CASES, ids=lambda case: " ".join([case[0], *case[1].values()]))
def batch(request):
    name, settings = request.param
    return batch_of(small_problem(name, **settings))


def test_the_gradient_is_that_of_torch_to_the_last_bit(batch):
    loss, rows = PredictionLoss(batch), batch.rows(None)
    y_hat = wrong_predictions(rows.y).requires_grad_()
    loss(y_hat, rows).mean(-1).sum().backward()
    given = loss.gradient(y_hat.detach(), rows, 1.0 / rows.y.shape[1])
    assert given.shape == rows.y.shape and given.any()
    assert torch.equal(given, y_hat.grad)


def test_the_gradient_matches_finite_differences(batch):
    loss, rows = PredictionLoss(batch), batch.rows(None)
    y_hat = wrong_predictions(rows.y)
    direction = torch.from_numpy(np.random.default_rng(6).standard_normal(rows.y.shape))
    up, down = (loss(y_hat + h * direction, rows).sum() for h in (1e-6, -1e-6))
    along = (loss.gradient(y_hat, rows, 3.0) * direction).sum()
    torch.testing.assert_close(along, 3.0 * (up - down) / 2e-6, rtol=1e-6, atol=1e-6)


def test_the_gradient_leaves_its_arguments_alone(batch):
    rows = batch.rows(None)
    y_hat, y, scale = wrong_predictions(rows.y), rows.y.clone(), batch.scale.clone()
    before = y_hat.clone()
    PredictionLoss(batch).gradient(y_hat, rows, 1.0)
    assert torch.equal(y_hat, before) and torch.equal(rows.y, y) and torch.equal(batch.scale, scale)


def test_a_probability_of_zero_has_no_gradient_as_in_torch():
    batch = batch_of(small_problem("inventory"))
    rows = batch.rows(None)
    y_hat = wrong_predictions(rows.y)
    y_hat[..., 1:4] = torch.tensor([0.0, 1e-301, 1e-300], dtype=torch.float64)  # at and below the smallest
    y_hat.requires_grad_()
    PredictionLoss(batch)(y_hat, rows).sum().backward()
    given = PredictionLoss(batch).gradient(y_hat.detach(), rows, 1.0)
    assert torch.isfinite(given).all()
    assert torch.equal(given, y_hat.grad)


class Absolute(Inventory):
    """A loss without its gradient."""

    def prediction_loss(self, y_hat, y, scale):
        return (y_hat - y).abs().sum(-1)


class AbsoluteError:
    def prediction_loss(self, y_hat, y, scale):
        return (y_hat - y).abs().sum(-1)


class Mixed(AbsoluteError, Inventory):
    """The same from a class that is no problem."""


class Both(Absolute):
    def prediction_gradient(self, y_hat, y, scale, weight):
        return weight * (y_hat - y).sign()


@pytest.mark.parametrize("seal", [lambda problem: problem, sealed], ids=["open", "sealed"])
def test_a_loss_that_is_replaced_takes_its_gradient_with_it(seal):
    has_gradient = {}
    for cls in (Inventory, Absolute, Mixed, Both):
        batch = batch_of(cls())
        batch.problem = seal(batch.problem)
        has_gradient[cls] = PredictionLoss(batch).gradient is not None
    assert has_gradient == {Inventory: True, Absolute: False, Mixed: False, Both: True}
    assert Mixed.prediction_gradient is Inventory.prediction_gradient is not Problem.prediction_gradient
