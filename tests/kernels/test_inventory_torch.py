import numpy as np
import pytest
import torch
from hypothesis import given, settings

from kernels import inventory
from kernels.inventory import tensors
from tests.kernels.inventory_cases import PAPER, instances, probabilities
from tests.support.device import assert_stays_on_device


@settings(max_examples=30, deadline=None)
@given(instances())
def test_tensor_path_agrees_with_numba(instance):
    p, y, costs, demand = instance
    p_, y_, demand_ = torch.tensor(p), torch.tensor(y), torch.tensor(demand, dtype=torch.float64)
    z = tensors.order(p_, demand_, costs)
    ours = inventory.order_quantity(p, costs=costs, demand=demand)
    np.testing.assert_allclose(
        inventory.cost(z.numpy(), p, costs=costs, demand=demand),
        inventory.cost(ours, p, costs=costs, demand=demand),
        atol=1e-9,
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        tensors.cost(z, y_, demand_, costs),
        inventory.cost(z.numpy(), y, costs=costs, demand=demand),
        atol=1e-9,
        rtol=1e-12,
    )


def test_all_functions_agree_at_the_paper_costs():
    rng = np.random.default_rng(0)
    p, y = probabilities(rng, (300,), 5), probabilities(rng, (300,), 5)
    tensor = torch.tensor(p, requires_grad=True)
    for name, args in [("order_quantity", ()), ("regret", (y,)), ("order_derivative", ())]:
        function = getattr(inventory, name)
        np.testing.assert_allclose(
            function(tensor, *args).detach(), function(p, *args), atol=1e-9, rtol=1e-12
        )


def test_nothing_leaves_the_device():
    rng = np.random.default_rng(0)
    costs, demand = PAPER
    p, y = torch.tensor(probabilities(rng, (4, 30), 5)), torch.tensor(probabilities(rng, (30,), 5))
    levels = torch.tensor(demand, dtype=torch.float64)
    z = assert_stays_on_device(lambda p, d: tensors.order(p, d, costs), p, levels)
    np.testing.assert_allclose(z, inventory.order_quantity(p), atol=1e-9)
    assert_stays_on_device(lambda z, p, d: tensors.cost(z, p, d, costs), z, p, levels)
    regret = assert_stays_on_device(lambda p, y, d: tensors.regret(p, y, d, costs), p, y, levels)
    np.testing.assert_allclose(regret, inventory.regret(p, y), atol=1e-9)
    assert_stays_on_device(lambda p, d: tensors.derivative(p, d, costs), p, levels)
    assert assert_stays_on_device(lambda p: tensors.is_valid(p, 1e-6), p)


def test_autograd_gives_the_derivatives():
    rng = np.random.default_rng(0)
    p = torch.tensor(probabilities(rng, (100,), 5), requires_grad=True)
    inventory.order_quantity(p).sum().backward()
    np.testing.assert_allclose(p.grad, inventory.order_derivative(p), atol=1e-9)
    z = torch.tensor(rng.uniform(0.1, 25, 100), requires_grad=True)
    inventory.cost(z, p.detach()).sum().backward()
    step = torch.tensor([[1e-6], [-1e-6]], dtype=torch.float64)
    above, below = inventory.cost(z.detach() + step, p.detach())
    slope = (above - below) / 2e-6
    np.testing.assert_allclose(z.grad, slope, rtol=1e-6, atol=1e-5)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_agrees_with_numba():
    rng = np.random.default_rng(0)
    p, y = torch.tensor(probabilities(rng, (300,), 5)), torch.tensor(probabilities(rng, (300,), 5))
    regret = inventory.regret(p.cuda(), y.cuda())
    assert regret.device.type == "cuda"
    np.testing.assert_allclose(regret.cpu(), inventory.regret(p, y), atol=1e-9)
