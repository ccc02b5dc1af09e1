from itertools import combinations

import numpy as np
import pytest
import torch
from hypothesis import given, settings

from kernels import budget
from kernels.budget import device, tensors
from tests.kernels.budget_cases import click_rates, instances, weights_of_rows
from tests.support.device import assert_stays_on_device


def subsets(n_sites, size):
    return torch.tensor(list(combinations(range(n_sites), size)))


@settings(max_examples=30, deadline=None)
@given(instances())
def test_tensor_path_agrees_with_numba(instance):
    ctr, size, weights = instance
    rates, users = torch.tensor(ctr), torch.tensor(weights_of_rows(weights, ctr).copy())
    table = subsets(ctr.shape[1], size)
    best, value = tensors.extreme_subset(rates, users, table, 1.0)
    worst, _ = tensors.extreme_subset(rates, users, table, -1.0)
    greedy, greedy_value = tensors.greedy_subset(rates, users, size)
    solution = budget.solve(ctr, size, weights=weights)
    np.testing.assert_array_equal(tensors.mark(best, rates), solution.z)
    np.testing.assert_array_equal(tensors.mark(worst, rates), budget.worst_subset(ctr, size, weights=weights))
    np.testing.assert_allclose(value, solution.value, atol=1e-9)
    expected = budget.solve(ctr, size, weights=weights, method="greedy")
    np.testing.assert_allclose(greedy_value, expected.value, atol=1e-9)
    np.testing.assert_array_equal(tensors.mark(greedy, rates), expected.z)


def test_chunks_do_not_change_the_choice(monkeypatch):
    rates = torch.tensor(click_rates(np.random.default_rng(0), (6, 8, 5)))
    users, table = torch.ones(6, 5, dtype=torch.float64), subsets(8, 3)
    whole = tensors.extreme_subset(rates, users, table, 1.0)
    for chunk in (1, 64, 700):  # one subset at a time, some subsets of one row, some rows
        monkeypatch.setattr(tensors, "_CHUNK", chunk)
        for ours, theirs in zip(tensors.extreme_subset(rates, users, table, 1.0), whole, strict=True):
            torch.testing.assert_close(ours, theirs)


def test_nothing_leaves_the_device():
    rng = np.random.default_rng(0)
    rates, users = torch.tensor(click_rates(rng, (6, 5, 4))), torch.tensor(rng.random((6, 4)))
    z, table = torch.tensor(rng.random((6, 5))), subsets(5, 2)
    best, value = assert_stays_on_device(
        lambda y, w, t: tensors.extreme_subset(y, w, t, 1.0), rates, users, table
    )
    solution = budget.solve(rates, weights=users)
    np.testing.assert_allclose(value, solution.value, atol=1e-9)
    marked = assert_stays_on_device(tensors.mark, best, rates)
    np.testing.assert_array_equal(marked, solution.z)
    assert_stays_on_device(lambda y, w: tensors.greedy_subset(y, w, 2), rates, users)
    got = assert_stays_on_device(tensors.value, z, rates, users)
    np.testing.assert_allclose(got, budget.value(z, rates, weights=users), atol=1e-9)
    projected = assert_stays_on_device(lambda z: tensors.project(z, 2.0), z)
    np.testing.assert_allclose(projected, budget.project(z, 2), atol=1e-12)
    ascended = assert_stays_on_device(
        lambda y, w, z: tensors.ascend(y, w, z, 2.0, 20, 0.1, 0.9), rates, users, z
    )
    np.testing.assert_allclose(ascended, budget.relax(rates, weights=users, start=z, steps=20), atol=1e-9)
    assert assert_stays_on_device(lambda y: tensors.is_within(y, 0.0, 1.0), rates)


def test_value_carries_gradients_to_z_and_rates():
    rng = np.random.default_rng(0)
    z = torch.tensor(rng.random((3, 5)), requires_grad=True)
    ctr = torch.tensor(click_rates(rng, (3, 5, 4)), requires_grad=True)
    assert torch.autograd.gradcheck(lambda z, y: tensors.value(z, y, torch.ones_like(y[0, 0])), (z, ctr))
    assert budget.value(z, ctr).grad_fn is not None
    assert budget.regret(ctr.detach() ** 2, ctr).grad_fn is not None


def test_regret_of_tensors_in_a_graph_agrees():
    rng = np.random.default_rng(0)
    hat, ctr, weights = rng.random((4, 3, 5, 6)), rng.random((3, 5, 6)), rng.random(6)
    got = budget.regret(torch.tensor(hat, requires_grad=True), ctr, weights=weights).detach()
    np.testing.assert_allclose(got, budget.regret(hat, ctr, weights=weights), atol=1e-9)


def test_too_many_subsets_for_a_device_say_so():
    ctr = torch.zeros(1, 50, 3)
    with pytest.raises(ValueError, match=r"at most 200000 subsets on cpu, got 2118760 .*ctr\.cpu\(\)"):
        device.solve(ctr, None, 5, 1.0, "exact", budget.ENUMERATION_LIMIT)


def test_device_wrapper_agrees_with_the_public_function():
    rng = np.random.default_rng(0)
    ctr, weights = torch.tensor(rng.random((2, 3, 5, 4))), torch.tensor(rng.random((3, 4)))
    for method, used in [("exact", "enumeration"), ("greedy", "greedy")]:
        z, value, name = device.solve(ctr, weights, 2, 1.0, method, budget.ENUMERATION_LIMIT)
        expected = budget.solve(ctr, weights=weights, method=method)
        assert name == used == expected.method
        torch.testing.assert_close(z, expected.z)
        torch.testing.assert_close(value, expected.value, atol=1e-9, rtol=0)


@pytest.mark.cuda
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_agrees_with_numba():
    rng = np.random.default_rng(0)
    hat, ctr = torch.tensor(rng.random((40, 5, 10))), torch.tensor(rng.random((40, 5, 10)))
    regret = budget.regret(hat.cuda(), ctr.cuda())
    assert regret.device.type == "cuda"
    np.testing.assert_allclose(regret.cpu(), budget.regret(hat, ctr), atol=1e-9)
