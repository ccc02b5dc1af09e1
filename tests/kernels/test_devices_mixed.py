"""Tensors on different devices are refused by name; arrays of the host go where the tensors are."""

import numpy as np
import pytest
import torch

from kernels import budget, inventory, portfolio
from kernels.portfolio.layout import Fold

# "meta" stands for an accelerator: a device with shapes and no values.
HOST, AWAY = torch.device("cpu"), torch.device("meta")


def vector(device=HOST, n=4, lead=(3,)):
    return torch.full((*lead, n), 1.0 / n, dtype=torch.float64, device=device)


def square(device=HOST):
    return torch.eye(4, dtype=torch.float64, device=device)


CALLS = {
    "solve": ("y", lambda: portfolio.solve(vector(), square(AWAY))),
    "solve, sigma": ("sigma", lambda: portfolio.solve(vector(AWAY), square())),
    "cost, a": ("a", lambda: portfolio.cost(vector(), vector(AWAY), square(AWAY))),
    "cost, y": ("y", lambda: portfolio.cost(vector(AWAY), vector(), square(AWAY))),
    "cost, sigma": ("sigma", lambda: portfolio.cost(vector(AWAY), vector(AWAY), square())),
    "kkt_residual": ("y", lambda: portfolio.kkt_residual(vector(AWAY), vector(), square(AWAY))),
    "derivative_vjp": ("grad", lambda: portfolio.derivative_vjp(vector(AWAY), square(AWAY), vector())),
    "derivative": ("sigma", lambda: portfolio.derivative(vector(AWAY), square())),
    "inventory": ("p", lambda: inventory.cost(vector(AWAY)[..., 0], vector(n=5))),
    "budget": ("weights", lambda: budget.value(vector(AWAY), square(AWAY), weights=vector(lead=()))),
}


@pytest.mark.parametrize(("name", "call"), CALLS.values(), ids=CALLS.keys())
def test_a_tensor_on_another_device_is_refused_by_name(name, call):
    with pytest.raises(ValueError, match=rf"^expected {name} on meta, got cpu; move it there first\.$"):
        call()


def test_arrays_of_the_host_are_copied_to_the_device_of_the_tensors():
    y = np.broadcast_to(np.float32(0.1), (2, 4))  # read-only, which torch would warn of
    returns, matrices = Fold(square(AWAY), y).tensors("y")
    assert returns.device == matrices.device == AWAY
    assert returns.dtype == matrices.dtype == torch.float64
    (host, matrices) = Fold(np.eye(4), torch.tensor(y.copy())).tensors("y")
    assert host.device == matrices.device == HOST
    np.testing.assert_array_equal(host, torch.tensor(y.copy()).double()[None])


@pytest.mark.filterwarnings("error")
def test_a_read_only_array_beside_a_tensor_brings_no_warning():
    y = np.broadcast_to(np.arange(4.0), (2, 4))
    a = vector(lead=(2,)).requires_grad_()
    np.testing.assert_allclose(portfolio.cost(a, y, np.eye(4)).detach(), -1.5 + 0.1 * 0.25)


def test_numbers_that_are_not_real_are_refused_among_tensors_too():
    a = vector().requires_grad_()
    with pytest.raises(TypeError, match="real numbers for y"):
        portfolio.cost(a, vector().to(torch.complex128), square())
