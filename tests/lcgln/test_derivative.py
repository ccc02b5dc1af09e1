"""The derivative that is written out, against torch's own and against finite differences."""

from itertools import product

import numpy as np
import pytest
import torch

from lcgln import SurrogateConfig, fit_surrogate
from lcgln.bregman import Divergence
from lcgln.derivative import Derivative, gradient_of_prediction
from lcgln.exchangeable import Shared
from lcgln.fit import _error
from lcgln.picnn import ACTIVATIONS, PICNN

# Without a gate in the first layer, and as wide as a prediction: the form of the authors' code.
SHAPES = [((2,), True), ((3, 4, 5), True), ((5,), False), ((3, 4), False)]
CASES = [(*case, *shape) for case, shape in product(product(ACTIVATIONS, [None, 1, 3]), SHAPES)]
ROWS, TARGETS, OUTCOMES = 40, 5, 7


def streams(members):
    """One stream for each member; None is one model, without an axis for members."""
    made = [np.random.default_rng(seed) for seed in range(members or 1)]
    return made if members else made[0]


def case_of(activation, members, hidden, gated=True, constrained=True):
    """A network with its arguments and a gradient of its values."""
    made = {"gated": gated, "constrained": constrained}
    network = PICNN(TARGETS, hidden, streams(members), activation, OUTCOMES, **made)
    batch, rng = (members,) if members else (), np.random.default_rng(9)
    shapes = (*batch, ROWS, TARGETS), (*batch, ROWS, OUTCOMES), (*batch, ROWS)
    return network, *(torch.from_numpy(rng.standard_normal(shape)) for shape in shapes)


def assert_same(ours, torchs, members, **close):
    """One member: the same operations in the same layout. More: products of a batch may round otherwise."""
    close = close if members and members > 1 else {"rtol": 0.0, "atol": 0.0}
    torch.testing.assert_close(ours, torchs, **close)


FREE = [("softplus", members, (3, 4), False, False) for members in (None, 1, 3)]


@pytest.mark.parametrize(
    ("activation", "members", "hidden", "gated", "constrained"), [*((*case, True) for case in CASES), *FREE]
)
def test_values_and_gradients_are_those_of_torch(activation, members, hidden, gated, constrained):
    network, y_hat, y, slope = case_of(activation, members, hidden, gated, constrained)
    y_hat.requires_grad_()
    expected = network(y_hat, y)
    expected.backward(slope)
    derivative, close = Derivative(network), {"rtol": 1e-11, "atol": 1e-13}
    for _ in range(2):  # a second step overwrites what the first one kept
        assert_same(derivative.value(y_hat.detach(), y), expected.detach(), members, **close)
        assert_same(derivative.of_prediction(slope), y_hat.grad, members, **close)
        for p, gradient in zip(network.parameters(), derivative.of_parameters(slope), strict=True):
            assert_same(gradient, p.grad, members, **close)
            assert gradient.is_contiguous()  # as the parameter: Adam reads both by their addresses


@pytest.mark.parametrize("members", [None, 2])
@pytest.mark.parametrize("gated", [True, False])
@pytest.mark.parametrize("activation", ["softplus", "elu"])  # those without a kink
def test_gradients_match_finite_differences(activation, gated, members):
    network, y_hat, y, slope = case_of(activation, members, (3, 4), gated)
    derivative = Derivative(network)
    derivative.value(y_hat, y)
    gradients = [g.clone() for g in (*derivative.of_parameters(slope), derivative.of_prediction(slope))]
    for p, gradient in zip([*network.parameters(), y_hat], gradients, strict=True):
        direction = torch.from_numpy(np.random.default_rng(7).standard_normal(p.shape))
        ends = []
        for h in (1e-6, -1e-6):
            with torch.no_grad():
                p += h * direction
                ends.append((derivative.value(y_hat, y) * slope).sum())
                p -= h * direction
        difference = (ends[0] - ends[1]) / 2e-6
        torch.testing.assert_close((gradient * direction).sum(), difference, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_nothing_given_is_overwritten(activation):
    network, *given = case_of(activation, 1, (3,))
    held = [*given, *network.parameters()]
    before = [t.detach().clone() for t in held]
    derivative = Derivative(network)
    derivative.value(*given[:2])
    derivative.of_parameters(given[2])
    derivative.of_prediction(given[2])
    assert all(torch.equal(a, b) for a, b in zip(before, held, strict=True))


@pytest.mark.parametrize("members", [None, 1, 2])
@pytest.mark.parametrize("gated", [True, False])
def test_the_gradient_of_a_divergence_is_that_of_torch_and_of_finite_differences(gated, members):
    batch, rng = (members,) if members else (), np.random.default_rng(9)
    divergence = Divergence(PICNN(TARGETS, (TARGETS,), streams(members), gated=gated)).requires_grad_(False)
    y_hat, y, slope = (
        torch.from_numpy(rng.standard_normal((*batch, ROWS, *end))) for end in ((TARGETS,), (TARGETS,), ())
    )
    given = gradient_of_prediction(divergence)(y_hat, y, slope)
    point = y_hat.clone().requires_grad_()
    divergence(point, y).backward(slope)
    torch.testing.assert_close(given, point.grad, rtol=1e-11, atol=1e-13)
    direction = torch.from_numpy(rng.standard_normal(y_hat.shape))
    ends = [(divergence(y_hat + h * direction, y) * slope).sum() for h in (1e-6, -1e-6)]
    torch.testing.assert_close((given * direction).sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-5, atol=1e-6)
    assert gradient_of_prediction(divergence)(y, y, slope).abs().max() == 0.0


def test_a_network_whose_derivative_is_not_written_out_is_left_to_torch():
    shared = Shared(4, 2, (3,), streams(None), "softplus")
    assert gradient_of_prediction(shared) is None and gradient_of_prediction(Divergence(shared)) is None


@pytest.mark.parametrize("form", ["paper", "authors"])
@pytest.mark.parametrize("members", [None, 1, 2])
def test_a_surrogate_is_fitted_as_by_torch(monkeypatch, members, form):
    rng, batch = np.random.default_rng(3), (members,) if members else ()
    y, y_hat = rng.random((*batch, 30, 2, 2)), rng.random((*batch, 8, 30, 2, 2))
    regret = ((y_hat - np.expand_dims(y, -4)) ** 2).sum((-2, -1))
    config = SurrogateConfig(steps=60, every=20, batch=64, hidden=(3,), form=form)
    ours = fit_surrogate(y, y_hat, regret, config=config, rng=streams(members))
    monkeypatch.setattr(
        "lcgln.fit._objective",
        lambda surrogate, rows_at: lambda step: _error(surrogate.scaled, *rows_at(step)),
    )
    theirs = fit_surrogate(y, y_hat, regret, config=config, rng=streams(members))
    for a, b in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert_same(a, b, members, rtol=1e-8, atol=1e-10)
