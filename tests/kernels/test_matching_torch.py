import numpy as np
import pytest
import torch
from hypothesis import given, settings

from kernels import matching
from kernels.deferred import deferred
from kernels.matching import device, tensors
from tests.kernels.test_matching import instances, is_matching
from tests.reference import matching as reference
from tests.support.device import assert_stays_on_device


@settings(max_examples=40, deadline=None)
@given(instances(largest=9))
def test_tensor_matchings_cost_as_little(costs):
    values = torch.tensor(costs)
    columns = tensors.columns(values)
    assert is_matching(tensors.mark(columns, values).numpy())
    np.testing.assert_allclose(
        tensors.pay(columns, values), [reference.optimum(c) for c in costs], rtol=1e-12, atol=1e-12
    )


def test_tensor_matchings_are_those_of_numba():
    costs = np.random.default_rng(0).normal(size=(50, 8, 8))
    np.testing.assert_array_equal(tensors.columns(torch.tensor(costs)), matching.best_columns(costs))


def test_nothing_leaves_the_device():
    hat, costs = torch.tensor(np.random.default_rng(0).normal(size=(2, 6, 5, 5)))

    def all_of_them(hat, costs):
        with deferred():
            z = device.matching(costs, -1.0)
            chosen = device.columns(costs, 1.0)
            return z, chosen, device.cost(z, costs), device.optimal_cost(costs), device.regret(hat, costs)

    z, chosen, paid, optimum, regret = assert_stays_on_device(all_of_them, hat, costs)
    np.testing.assert_array_equal(z, matching.worst_matching(costs))
    np.testing.assert_array_equal(chosen, matching.best_columns(costs))
    np.testing.assert_allclose(paid, matching.cost(z, costs), atol=1e-12)
    np.testing.assert_allclose(optimum, matching.optimal_cost(costs), atol=1e-12)
    np.testing.assert_allclose(regret, matching.regret(hat, costs), atol=1e-12)
    assert assert_stays_on_device(lambda c: tensors.is_valid(c, 1e9), costs)


def test_gradients_are_matchings():
    rng = np.random.default_rng(0)
    hat = torch.tensor(rng.normal(size=(4, 5, 5)), requires_grad=True)
    costs = torch.tensor(rng.normal(size=(4, 5, 5)), requires_grad=True)
    best, chosen = (matching.best_matching(c.detach()) for c in (costs, hat))
    (slope,) = torch.autograd.grad(matching.optimal_cost(costs).sum(), costs)
    torch.testing.assert_close(slope, best)
    (slope,) = torch.autograd.grad(matching.regret(hat.detach(), costs).sum(), costs)
    torch.testing.assert_close(slope, chosen - best)
    assert not matching.best_matching(costs).requires_grad
    (slope,) = torch.autograd.grad(matching.cost(best, costs).sum(), costs)
    torch.testing.assert_close(slope, best)


def test_broadcasting_and_empty_batches_on_tensors():
    rng = np.random.default_rng(0)
    hat, costs = rng.normal(size=(4, 1, 5, 5)), rng.normal(size=(3, 5, 5))
    got = matching.regret(hat, torch.tensor(costs, requires_grad=True))
    np.testing.assert_allclose(got.detach(), matching.regret(hat, costs), atol=1e-12)
    assert tensors.columns(torch.zeros(0, 4, 4)).shape == (0, 4)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_agrees_with_numba():
    hat, costs = torch.tensor(np.random.default_rng(0).normal(size=(2, 100, 10, 10)))
    best = matching.best_matching(costs.cuda())
    assert best.device.type == "cuda"
    np.testing.assert_array_equal(best.cpu(), matching.best_matching(costs))
    regret = matching.regret(hat.cuda(), costs.cuda())
    np.testing.assert_allclose(regret.cpu(), matching.regret(hat, costs), atol=1e-12)
