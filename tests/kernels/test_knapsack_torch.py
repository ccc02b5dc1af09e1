import numpy as np
import pytest
import torch
from hypothesis import given, settings

from kernels import knapsack
from kernels.deferred import deferred
from kernels.knapsack import device, tensors
from kernels.knapsack.given import knapsack as checked
from tests.kernels.knapsack_cases import electricity, instances, polynomial
from tests.support.device import assert_stays_on_device


@settings(max_examples=80, deadline=None)
@given(instances(most_items=10, most_dims=1, weight_kinds=("whole",)))
def test_tensor_path_agrees_with_numba(instance):
    values, weights, capacity = instance
    sack = checked(weights, capacity, values.shape[-1])
    got = device.best_items(torch.tensor(values), sack, "values")
    np.testing.assert_array_equal(got, knapsack.best_items(values, weights, capacity))
    relaxed = device.relaxed(torch.tensor(values), sack)
    np.testing.assert_allclose(relaxed, knapsack.relaxed(values, weights, capacity), atol=1e-12)


def test_the_energy_knapsack_on_tensors():
    values, weights = electricity(np.random.default_rng(0), 40)
    got = device.best_items(torch.tensor(values), checked(weights, 120.0, 48), "values")
    np.testing.assert_array_equal(got, knapsack.best_items(values, weights, 120.0))


def test_chunks_do_not_change_the_choice(monkeypatch):
    values, weights = electricity(np.random.default_rng(0), 10)
    sack = checked(weights, 60.0, 48)
    whole = device.best_items(torch.tensor(values), sack, "values")
    monkeypatch.setattr(tensors, "_CHUNK", 3 * 48 * 61)
    torch.testing.assert_close(device.best_items(torch.tensor(values), sack, "values"), whole)


def test_nothing_leaves_the_device():
    rng = np.random.default_rng(0)
    values, weights = electricity(rng, 6)
    v, fits = torch.tensor(values), torch.ones(48, dtype=torch.bool)
    rounded = assert_stays_on_device(tensors.rounded, v, fits)
    steps = weights.astype(int).tolist()
    items = assert_stays_on_device(lambda v: tensors.best_items(v, steps, 120), rounded)
    np.testing.assert_array_equal(items, knapsack.best_items(values, weights, 120.0))
    z = assert_stays_on_device(lambda v, w: tensors.relaxed(v, w, 120.0), v, torch.tensor(weights))
    np.testing.assert_allclose(z, knapsack.relaxed(values, weights, 120.0), atol=1e-12)
    assert_stays_on_device(tensors.value, items, v)
    assert assert_stays_on_device(tensors.is_valid, v)


@pytest.mark.parametrize(
    "function",
    [
        lambda v, w: knapsack.best_items(v, w, 120.0),
        lambda v, w: knapsack.worst_items(v, w, 120.0),
        lambda v, w: knapsack.relaxed(v, w, 120.0),
        lambda v, w: knapsack.regret(v, 2 * v, w, 120.0),
        lambda v, w: knapsack.value(v, v),
    ],
    ids=["best_items", "worst_items", "relaxed", "regret", "value"],
)
def test_public_functions_answer_on_the_device(function):
    _, weights = electricity(np.random.default_rng(0), 3)
    # Not fake tensors, because the weights are uploaded; a real "meta" tensor cannot be read either.
    with deferred():
        out = function(torch.ones(2, 3, 48, device="meta"), weights)
    assert (out.device.type, out.dtype) == ("meta", torch.float32)


def test_what_a_device_cannot_do_says_so():
    values, weights = torch.ones(3, 32, device="meta"), np.ones((2, 32))
    with pytest.raises(ValueError, match=r"got 2 dimensions.*pass values\.cpu\(\)"):
        knapsack.best_items(values, weights, 20.0)
    with pytest.raises(ValueError, match=r"got fractional weights.*values\.cpu\(\)"):
        knapsack.best_items(values, weights[0] / 2, 20.0)
    with pytest.raises(ValueError, match=r"branch and bound runs on the CPU: pass values\.cpu\(\)"):
        knapsack.best_items(values, weights[0], 20.0, method="branch")
    with pytest.raises(ValueError, match=r"one dimension for a relaxation on meta, got 2.*values\.cpu\(\)"):
        knapsack.relaxed(values, weights, 20.0)
    with pytest.raises(ValueError, match=r"weights on the CPU, got meta.*weights\.cpu\(\)"):
        knapsack.best_items(values, torch.ones(32, device="meta"), 20.0)


def test_bad_values_are_found_now_or_later():
    values = torch.ones(3, 4, dtype=torch.float64)
    values[2, 1] = torch.nan
    sack = checked(np.ones(4), 2.0, 4)
    for call in (
        lambda: device.best_items(values, sack, "values"),
        lambda: device.relaxed(values, sack),
        lambda: device.value(torch.ones(4), values),
    ):
        with pytest.raises(ValueError, match=r"finite values, got nan at index \(2, 1\)"):
            call()
        with deferred() as pending:
            call()
        with pytest.raises(ValueError, match="finite values"):
            pending.settle()


def test_value_and_regret_carry_gradients_to_the_values():
    values, weights = polynomial(np.random.default_rng(0), 5)
    hats = np.random.default_rng(1).random(values.shape)
    truth = torch.tensor(values, requires_grad=True)
    regret = knapsack.regret(hats, truth, weights, 20.0)
    np.testing.assert_allclose(regret.detach(), knapsack.regret(hats, values, weights, 20.0), rtol=1e-12)
    (slope,) = torch.autograd.grad(regret.sum(), truth)
    best, chosen = (knapsack.best_items(v, weights, 20.0) for v in (values, hats))
    np.testing.assert_array_equal(slope, best - chosen)
    z = torch.tensor(hats, requires_grad=True)
    assert torch.autograd.gradcheck(knapsack.value, (z, truth))


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_agrees_with_numba():
    values, weights = electricity(np.random.default_rng(0), 40)
    got = knapsack.best_items(torch.tensor(values).cuda(), weights, 120.0)
    assert got.device.type == "cuda"
    np.testing.assert_array_equal(got.cpu(), knapsack.best_items(values, weights, 120.0))
