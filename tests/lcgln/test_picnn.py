import numpy as np
import pytest
import torch

from lcgln import PICNN
from lcgln.picnn import ACTIVATIONS


def stream(seed=0):
    return np.random.default_rng(seed)


def chord_violations(network, n_targets, seed, spread=5.0):
    """How far the network lies above its own chords at random midpoints; at most 0 for a convex one."""
    rng = stream(seed)
    a, b = (torch.from_numpy(spread * rng.standard_normal((2000, n_targets))) for _ in range(2))
    y = torch.from_numpy(rng.standard_normal((2000, n_targets)))
    t = torch.from_numpy(rng.random((2000, 1)))
    inside = network(t * a + (1 - t) * b, y)
    chord = t[:, 0] * network(a, y) + (1 - t[:, 0]) * network(b, y)
    return (inside - chord) / (1.0 + chord.abs())


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    ("hidden", "gated"), [((2,), True), ((8,), True), ((4, 4), True), ((3, 5, 2), True), ((4,), False)]
)
def test_is_convex_in_the_prediction_whatever_the_parameters(hidden, gated, activation):
    network = PICNN(4, hidden, stream(1), activation, gated=gated)
    with torch.no_grad():
        for i, p in enumerate(network.parameters()):  # far from any initialisation
            p.copy_(torch.from_numpy(3.0 * stream(i).standard_normal(p.shape)))
        assert chord_violations(network, 4, seed=2).max() < 1e-9


def test_free_weights_between_the_layers_are_not_convex():
    """As in the authors' code, without any training: most of its initial states are not convex."""
    with torch.no_grad():
        worst = [
            chord_violations(PICNN(5, (5,), stream(seed), gated=False, constrained=False), 5, seed=2).max()
            for seed in range(20)
        ]
    assert sum(violation > 1e-6 for violation in worst) > 10


@pytest.mark.parametrize("constrained", [True, False])
def test_without_the_first_gate_it_is_the_network_of_the_authors(constrained):
    """Written as in their code: u from y, h from ŷ and y, and the output from u, h and ŷ."""
    network = PICNN(3, (3,), stream(1), gated=False, constrained=constrained)
    y_hat, y = torch.from_numpy(stream(2).standard_normal((2, 5, 3)))
    softplus, affine = torch.nn.functional.softplus, lambda layer, x: x @ layer.weight.mT + layer.bias
    u = softplus(affine(network.outcome[0], y))
    h = softplus(affine(network.prediction[0], y_hat) + affine(network.shift[0], y))
    w_z = softplus(network.convex[0].raw) if constrained else network.convex[0].raw  # theirs is free
    out = softplus(
        (torch.relu(affine(network.gate_convex[0], u)) * h) @ w_z
        + affine(network.prediction[1], affine(network.gate_prediction[0], u) * y_hat)
        + affine(network.shift[1], u)
    )
    torch.testing.assert_close(network(y_hat, y), out.squeeze(-1))


def test_is_not_convex_in_the_outcome():
    network = PICNN(3, (6,), stream(3))
    swapped = lambda y_hat, y: network(y, y_hat)  # noqa: E731
    with torch.no_grad():
        for i, p in enumerate(network.parameters()):
            p.copy_(torch.from_numpy(2.0 * stream(i).standard_normal(p.shape)))
        assert chord_violations(swapped, 3, seed=4).max() > 1e-3


def test_gradient_matches_finite_differences():
    network = PICNN(2, (5, 3), stream(5))
    y_hat = torch.randn(7, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    y = torch.zeros_like(y_hat)
    assert torch.autograd.gradcheck(lambda p: network(p, y), (y_hat.requires_grad_(),))


def test_an_ensemble_computes_what_its_members_compute_apart():
    seeds = [11, 12, 13]
    together = PICNN(3, (4,), [stream(s) for s in seeds])
    inputs = torch.from_numpy(stream(0).standard_normal((2, 3, 9, 3)))
    for i, seed in enumerate(seeds):
        alone = PICNN(3, (4,), stream(seed))
        torch.testing.assert_close(together(*inputs)[i], alone(*inputs[:, i]), rtol=1e-12, atol=1e-12)


def test_state_dict_round_trip():
    a, b = PICNN(3, (4,), stream(0)), PICNN(3, (4,), stream(1))
    b.load_state_dict(a.state_dict())
    y_hat, y = torch.from_numpy(stream(2).standard_normal((2, 5, 3)))
    torch.testing.assert_close(a(y_hat, y), b(y_hat, y), rtol=0.0, atol=0.0)


@pytest.mark.parametrize(("settings", "message"), [
    ({"hidden": (2,), "activation": "tanh"}, "expected an activation among softplus"),
    ({"hidden": ()}, "at least one hidden layer"),
    ({"hidden": (2, 0)}, "at least one hidden layer"),
])  # fmt: skip
def test_refuses_shapes_that_would_not_be_convex(settings, message):
    with pytest.raises(ValueError, match=message):
        PICNN(3, rngs=stream(), **settings)
