import numpy as np
import pytest
import torch

from kernels import inventory

FAIR = np.full((3, 5), 0.2)


def with_entry(value, row=1):
    p = FAIR.copy()
    p[row, 2] = value
    return p


CALLS = {
    "order_quantity": lambda p: inventory.order_quantity(p),
    "order_derivative": lambda p: inventory.order_derivative(p),
    "regret, prediction": lambda p: inventory.regret(p, FAIR),
    "regret, label": lambda p: inventory.regret(FAIR, p),
    "cost": lambda p: inventory.cost(1.0, p),
    "torch order": lambda p: inventory.order_quantity(torch.tensor(p, requires_grad=True)),
    "torch derivative": lambda p: inventory.order_derivative(torch.tensor(p, requires_grad=True)),
    "torch regret": lambda p: inventory.regret(torch.tensor(FAIR, requires_grad=True), p),
    "torch cost": lambda p: inventory.cost(torch.ones(3, requires_grad=True), p),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize(
    ("p", "message"),
    [
        (with_entry(np.nan), r"finite .* got nan at index \(1, 2\)"),
        (with_entry(np.inf), "finite .* got inf"),
        (with_entry(-np.inf), "finite .* got -inf"),
        (np.tile([0.6, 0.6, -0.2, 0.0, 0.0], (2, 1))[:1].repeat(3, 0), r"probabilities .* at row \(0,\)"),
        (with_entry(0.21), r"sum 1.01 at row \(1,\)"),
        (with_entry(0.2 + 1.1e-6, row=2), r"at row \(2,\)"),
        (FAIR[:, :4], r"shape \(\.\.\., 5\).*got \(3, 4\)"),
        (np.float64(1.0), r"shape \(\.\.\., 5\).*got \(\)"),
    ],
    ids=["nan", "inf", "-inf", "negative", "sum", "sum barely", "shape", "scalar"],
)
def test_bad_probabilities(call, p, message):
    with pytest.raises(ValueError, match=message):
        call(p)


def test_the_row_is_found_beyond_the_first_block():
    p = np.full((500, 5), 0.2)
    p[333, 1] = np.nan
    with pytest.raises(ValueError, match=r"\(333, 1\)"):
        inventory.order_quantity(p)


def test_sums_within_tolerance_pass():
    inventory.order_quantity(with_entry(0.2 + 0.9e-6))
    inventory.order_quantity(with_entry(0.2 + 0.9e-4).astype(np.float32))
    with pytest.raises(ValueError, match=r"0\.0001 of one"):
        inventory.order_quantity(with_entry(0.2 + 1.2e-4).astype(np.float32))


@pytest.mark.parametrize(
    "demand",
    [(1, 2, 2, 3, 4), (1, 3, 2, 4, 5), (-1, 2, 3, 4, 5), (5, 4, 3, 2, 1), (1, 2, 3, 4, np.nan), ()],
)
def test_bad_demand(demand):
    with pytest.raises(ValueError, match="demand"):
        inventory.order_quantity(FAIR, demand=demand)


@pytest.mark.parametrize(
    "costs", [(1, 2, 3), (-1, 0, 1, 0, 1, 0), (0, 0, 1, -1, 1, 0), (0, np.nan, 1, 1, 1, 1), (np.inf,) * 6]
)
def test_bad_costs(costs):
    with pytest.raises(ValueError, match="six finite non-negative costs"):
        inventory.order_quantity(FAIR, costs=costs)


@pytest.mark.parametrize("kind", [np.asarray, lambda z: torch.tensor(z, requires_grad=True)])
@pytest.mark.parametrize(("z", "message"), [(-1.0, "z >= 0, got -1.0"), (np.nan, "finite z")])
def test_bad_orders(kind, z, message):
    with pytest.raises(ValueError, match=message):
        inventory.cost(kind(np.array([1.0, z, 2.0])), FAIR)


@pytest.mark.parametrize(
    "p", [FAIR.astype(complex), FAIR.astype(str), FAIR.astype(object), torch.tensor(FAIR).to(torch.complex64)]
)
def test_bad_dtypes(p):
    with pytest.raises(TypeError, match="real numbers for p"):
        inventory.order_quantity(p)


@pytest.mark.parametrize("kind", [np.asarray, lambda p: torch.tensor(p, requires_grad=True)])
def test_leading_shapes_that_do_not_broadcast(kind):
    with pytest.raises(ValueError, match=r"broadcast, got p_hat \(3,\), y \(2,\)"):
        inventory.regret(kind(FAIR), FAIR[:2])
    with pytest.raises(ValueError, match=r"broadcast, got z \(4,\), p \(3,\)"):
        inventory.cost(np.ones(4), kind(FAIR))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_precision_is_returned_and_computed_in_double(dtype):
    p = np.random.default_rng(0).dirichlet(np.ones(5), 50).astype(dtype)
    exact = inventory.order_quantity(p.astype(np.float64) / p.astype(np.float64).sum(-1, keepdims=True))
    for given in (p, torch.tensor(p), torch.tensor(p, requires_grad=True)):
        out = inventory.order_quantity(given)
        assert str(out.dtype).endswith(dtype) and type(out) is type(given)
        np.testing.assert_allclose(np.asarray(out.detach() if given is not p else out), exact, rtol=3e-6)
    assert inventory.regret(p, p.astype(np.float64)).dtype == np.float64


def test_integer_labels_and_lists_are_accepted():
    labels = np.eye(5, dtype=np.int64)
    np.testing.assert_array_equal(inventory.regret(labels, labels.tolist()), np.zeros(5))
