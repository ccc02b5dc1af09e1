"""The derivative that is written out, against torch's own and against finite differences."""

from itertools import product

import numpy as np
import pytest
import torch
from torch import nn

from dfl_bench.contracts.problem import Network
from dfl_bench.training import PredictorNetwork
from dfl_bench.training.derivative import Derivative
from dfl_bench.training.predictor import ACTIVATIONS
from lcgln.ensemble.layers import Linear

# Instances with rows of their own, with inner rows, and with one output for each inner row.
FORMS = {"rows": ((7, 6), 4), "inner rows": ((7, 5, 6), 4), "one each": ((7, 5, 6), 1), "one": ((7, 6), 1)}
CASES = list(product(FORMS, ACTIVATIONS, [0, 3], [1, 2]))


def streams(n):
    return [np.random.default_rng(seed) for seed in range(n)]


def network_of(form, activation="softmax", hidden=3, seeds=1):
    _, outputs = FORMS[form]
    scale = torch.tensor([2.5, 0.3], dtype=torch.float64)[:seeds]
    shape = Network(outputs=outputs, activation=activation, hidden=hidden)
    return PredictorNetwork(shape, 6, scale, streams(seeds))


def features(form, seeds=1):
    shape, _ = FORMS[form]
    return torch.from_numpy(np.random.default_rng(9).standard_normal((seeds, *shape)))


def slope_for(y_hat):
    return torch.from_numpy(np.random.default_rng(8).standard_normal(y_hat.shape))


@pytest.mark.parametrize(("form", "activation", "hidden", "seeds"), CASES)
def test_predictions_and_gradients_are_those_of_torch(form, activation, hidden, seeds):
    network, x = network_of(form, activation, hidden, seeds), features(form, seeds)
    derivative = Derivative.of(network)
    expected = network(x)
    slope = slope_for(expected)
    expected.backward(slope)
    # One seed: the same operations in the same layout. More: products of a batch may round in another order.
    same = {"rtol": 0.0, "atol": 0.0} if seeds == 1 else {"rtol": 1e-12, "atol": 1e-14}
    for _ in range(2):  # a second step overwrites what the first one kept
        predicted = derivative.predict(x)
        torch.testing.assert_close(predicted, expected.detach(), **same)
        given = derivative.gradients(slope)
        for p, gradient in zip(network.parameters(), given, strict=True):
            torch.testing.assert_close(gradient, p.grad, **same)
            assert gradient.is_contiguous()  # as the parameter: Adam reads both by their addresses


@pytest.mark.parametrize(("form", "activation", "hidden", "seeds"), CASES)
def test_gradients_match_finite_differences(form, activation, hidden, seeds):
    network, x = network_of(form, activation, hidden, seeds), features(form, seeds)
    derivative = Derivative.of(network)
    slope = slope_for(derivative.predict(x))
    given = [g.clone() for g in derivative.gradients(slope)]
    for p, gradient in zip(network.parameters(), given, strict=True):
        direction = torch.from_numpy(np.random.default_rng(7).standard_normal(p.shape))
        ends = []
        for h in (1e-6, -1e-6):
            with torch.no_grad():
                p += h * direction
                ends.append((derivative.predict(x) * slope).sum())
                p -= h * direction
        difference = (ends[0] - ends[1]) / 2e-6
        torch.testing.assert_close((gradient * direction).sum(), difference, rtol=1e-6, atol=1e-8)


def test_a_relu_that_is_off_passes_nothing_back():
    network, x = network_of("rows"), features("rows")
    with torch.no_grad():
        network.hidden.bias.fill_(-1e3)
    derivative = Derivative.of(network)
    weight, bias, *_ = derivative.gradients(slope_for(derivative.predict(x)))
    assert not weight.any() and not bias.any()


class Own(PredictorNetwork):
    def forward(self, x):
        return 2.0 * super().forward(x)


def own():
    return Own(Network(outputs=4, activation="tanh", hidden=3), 6, torch.ones(1).double(), streams(1))


def frozen():
    network = network_of("rows")
    network.hidden.weight.requires_grad_(False)
    return network


def with_another_activation():
    network = network_of("rows")
    network.activation = torch.sigmoid
    return network


def with_another_layer():
    network = network_of("rows")
    network.hidden = nn.Sequential(network.hidden, nn.Tanh())
    return network


def with_another_parameter():
    network = network_of("rows")
    network.temperature = nn.Parameter(torch.ones(1))
    return network


def with_a_third_layer():
    network = network_of("rows")
    network.last = Linear(4, 4, streams(1))
    return network


def with_a_hook_on_a_layer():
    network = network_of("rows")
    network.output.register_forward_hook(lambda module, given, out: out + 1.0)
    return network


def with_a_hook_on_a_parameter():
    network = network_of("rows")
    network.output.weight.register_hook(lambda gradient: gradient.clamp(-1.0, 1.0))
    return network


@pytest.mark.parametrize(
    "unusual",
    [
        own,
        frozen,
        with_another_activation,
        with_another_layer,
        with_another_parameter,
        with_a_third_layer,
        with_a_hook_on_a_layer,
        with_a_hook_on_a_parameter,
        lambda: nn.Linear(6, 4),
    ],
)
def test_torch_differentiates_what_is_not_the_predictor_as_it_was_built(unusual):
    assert Derivative.of(unusual()) is None
