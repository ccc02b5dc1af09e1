"""A fit by the derivative that is written out, against the same fit by torch alone."""

import pytest
import torch

from dfl_bench.contracts.task import Task
from dfl_bench.training import PredictionLoss, PredictorNetwork, SeedBatch, TrainingConfig
from dfl_bench.training.derivative import Derivative
from dfl_bench.training.minibatch import Taken
from tests.support.small import OFFLINE, small_problem

CONFIG = TrainingConfig(steps=40, validate_every=10, learning_rate=1e-2, batch=8)


class ByTorch(PredictorNetwork):
    """A class of the user's own, which torch differentiates."""


def batch_of(name, seeds=(1000,)):
    problem = small_problem(name)
    return SeedBatch([Task(problem, (d := problem.data(seed)).train, d.val, seed) for seed in seeds])


def fitted(batch, loss_of, cls=PredictorNetwork, config=CONFIG):
    """Return the parameters after a fit; loss_of makes the loss of a batch and a network."""
    network = batch.new_network()
    network.__class__ = cls
    assert (Derivative.of(network) is None) == (cls is ByTorch)
    fit = batch.fit(network, loss_of(batch, network), config)
    assert fit.steps == config.steps
    return [p.detach() for p in network.parameters()]


def squared(batch, network):
    return lambda y_hat, rows: (y_hat - rows.y).square().flatten(2).mean(-1)


def with_penalty(batch, network):
    """A loss that reaches some parameters by itself."""
    return lambda y_hat, rows: squared(batch, network)(y_hat, rows) + network.output.weight.square().sum()


def of_the_network_alone(batch, network):
    """A loss that looks away from the predictions it is given."""
    return lambda y_hat, rows: squared(batch, network)(network(0.5 * rows.x), rows)


LOSSES = [squared, with_penalty, of_the_network_alone]


@pytest.mark.parametrize("loss_of", LOSSES)
@pytest.mark.parametrize("name", OFFLINE)
def test_one_seed_is_trained_as_by_torch_to_the_last_bit(name, loss_of):
    batch = batch_of(name)
    ours, theirs = fitted(batch, loss_of), fitted(batch, loss_of, ByTorch)
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("loss_of", LOSSES)
@pytest.mark.parametrize("name", OFFLINE)
def test_seeds_in_one_batch_are_trained_as_by_torch(name, loss_of):
    batch = batch_of(name, (1000, 1001, 1002))
    for ours, theirs in zip(fitted(batch, loss_of), fitted(batch, loss_of, ByTorch), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(
    "config", [CONFIG, TrainingConfig(steps=40, weight_decay=0.1)], ids=["some rows", "all"]
)
@pytest.mark.parametrize("name", OFFLINE)
def test_a_gradient_that_is_given_trains_as_the_loss_does(name, config):
    batch = batch_of(name)
    given = fitted(batch, lambda batch, network: PredictionLoss(batch), config=config)
    plain = lambda batch, network: lambda y_hat, rows: batch.prediction_loss(y_hat, rows.y)  # noqa: E731
    for cls in (PredictorNetwork, ByTorch):
        expected = fitted(batch, plain, cls, config)
        assert all(torch.equal(a, b) for a, b in zip(given, expected, strict=True)), cls


class Given:
    """A loss that is asked for its gradient, and for nothing else."""

    def __call__(self, y_hat, rows):
        raise AssertionError("the value is not needed")

    def gradient(self, y_hat, rows, weight):
        assert not y_hat.requires_grad and weight == 1.0 / rows.y.shape[1]
        return 2.0 * weight / rows.y[0, 0].numel() * (y_hat - rows.y)


def test_any_loss_may_give_its_gradient_instead_of_its_value():
    batch = batch_of("budget", (1000, 1001))
    for ours, theirs in zip(fitted(batch, lambda *_: Given()), fitted(batch, squared), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("cls", [PredictorNetwork, ByTorch])
def test_a_loss_of_another_shape_is_refused(cls):
    with pytest.raises(AssertionError, match="one loss an instance"):
        fitted(batch_of("budget"), lambda *_: lambda y_hat, rows: (y_hat - rows.y).square(), cls)


def test_context_is_taken_when_asked_for_and_once():
    whole = {"a": torch.arange(12.0).reshape(2, 6), "b": torch.ones(2, 6, 3)}
    taken = Taken(whole, torch.tensor([[1, 5], [0, 0]]))
    assert taken.keys() == whole.keys() and len(taken) == 2
    assert taken["a"].tolist() == [[1.0, 5.0], [6.0, 6.0]]
    assert taken["a"] is taken["a"]
    with pytest.raises(KeyError):
        taken["c"]
