import numpy as np
import pytest
import torch
from hypothesis import given, settings

from kernels import shortest_path
from kernels.deferred import deferred
from kernels.shortest_path import device, tensors
from tests.kernels.test_shortest_path import instances
from tests.support.device import assert_stays_on_device


@settings(max_examples=40, deadline=None)
@given(instances())
def test_tensor_path_agrees_with_numba_to_the_bit(instance):
    costs, height, width = instance
    hat = costs[::-1].copy()
    values = torch.tensor(costs)
    np.testing.assert_array_equal(
        tensors.path(values, height, width), shortest_path.best_path(costs, height, width)
    )
    np.testing.assert_array_equal(
        tensors.optimum(values, height, width), shortest_path.optimal_cost(costs, height, width)
    )
    np.testing.assert_array_equal(
        tensors.regret(torch.tensor(hat), values, height, width),
        shortest_path.regret(hat, costs, height, width),
    )


@pytest.mark.parametrize(("height", "width"), [(5, 5), (1, 6), (6, 1), (3, 5)])
def test_nothing_leaves_the_device(height, width):
    rng = np.random.default_rng(0)
    hat, costs = torch.tensor(rng.normal(size=(2, 6, shortest_path.n_arcs(height, width))))
    path = assert_stays_on_device(lambda c: tensors.path(c, height, width), costs)
    np.testing.assert_array_equal(path, shortest_path.best_path(costs, height, width))
    optimum = assert_stays_on_device(lambda c: tensors.optimum(c, height, width), costs)
    np.testing.assert_array_equal(optimum, shortest_path.optimal_cost(costs, height, width))
    regret = assert_stays_on_device(lambda a, b: tensors.regret(a, b, height, width), hat, costs)
    np.testing.assert_array_equal(regret, shortest_path.regret(hat, costs, height, width))
    assert assert_stays_on_device(tensors.is_valid, costs)


def test_public_functions_stay_on_the_device():
    hat, costs = torch.tensor(np.random.default_rng(0).normal(size=(2, 6, 12)))

    def all_of_them(hat, costs):
        with deferred():
            path = device.path(costs, 3, 3, -1.0)
            return (
                path,
                device.cost(path, costs),
                device.optimal_cost(costs, 3, 3),
                device.regret(hat, costs, 3, 3),
            )

    path, paid, optimum, regret = assert_stays_on_device(all_of_them, hat, costs)
    np.testing.assert_array_equal(path, shortest_path.worst_path(costs, 3, 3))
    np.testing.assert_allclose(paid, shortest_path.cost(path, costs), atol=1e-12)
    np.testing.assert_array_equal(optimum, shortest_path.optimal_cost(costs, 3, 3))
    np.testing.assert_array_equal(regret, shortest_path.regret(hat, costs, 3, 3))


def test_gradients_are_paths():
    rng = np.random.default_rng(0)
    hat = torch.tensor(rng.normal(size=(4, 17)), requires_grad=True)
    costs = torch.tensor(rng.normal(size=(4, 17)), requires_grad=True)
    (slope,) = torch.autograd.grad(shortest_path.optimal_cost(costs, 3, 4).sum(), costs)
    best, chosen = (shortest_path.best_path(c.detach(), 3, 4) for c in (costs, hat))
    torch.testing.assert_close(slope, best)
    (slope,) = torch.autograd.grad(shortest_path.regret(hat.detach(), costs, 3, 4).sum(), costs)
    torch.testing.assert_close(slope, chosen - best)
    assert not shortest_path.best_path(costs, 3, 4).requires_grad
    (slope,) = torch.autograd.grad(shortest_path.cost(best, costs).sum(), costs)
    torch.testing.assert_close(slope, best)


def test_broadcasting_on_tensors():
    rng = np.random.default_rng(0)
    hat, costs = rng.normal(size=(4, 1, 12)), rng.normal(size=(3, 12))
    got = shortest_path.regret(torch.tensor(hat, requires_grad=True), costs, 3, 3)
    np.testing.assert_array_equal(got.detach(), shortest_path.regret(hat, costs, 3, 3))
    assert tensors.path(torch.zeros(0, 12), 3, 3).shape == (0, 12)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_agrees_with_numba():
    hat, costs = torch.tensor(np.random.default_rng(0).normal(size=(2, 200, 40)))
    path = shortest_path.best_path(costs.cuda(), 5, 5)
    assert path.device.type == "cuda"
    np.testing.assert_array_equal(path.cpu(), shortest_path.best_path(costs, 5, 5))
    regret = shortest_path.regret(hat.cuda(), costs.cuda(), 5, 5)
    np.testing.assert_array_equal(regret.cpu(), shortest_path.regret(hat, costs, 5, 5))
