"""Inventory on a device: cast, compute on tensors, and ask once at the end whether all was valid."""

import numpy as np
from torch import Tensor

from .._shared.arrays import Array, broadcast_rows, device_of, giver, to_tensor
from ..deferred import require
from . import given, tensors


def order_quantity(p: Array, costs: given.Costs, levels: np.ndarray) -> Array:
    """As `inventory.order_quantity`, differentiable."""
    given.check_shape(p, levels, "p")
    device, tolerance = device_of(p), given.sum_tolerance(p)
    p_ = to_tensor(p, "p", device)
    out = tensors.order(p_, to_tensor(levels, "demand", device), costs)
    require(tensors.is_valid(p_, tolerance), lambda: _explain(tolerance, p=p_))
    return giver(p)(out)


def cost(z: Array, p: Array, costs: given.Costs, levels: np.ndarray) -> Array:
    """As `inventory.cost`, differentiable."""
    given.check_shape(p, levels, "p")
    device, tolerance = device_of(z, p), given.sum_tolerance(p)
    z_, p_ = to_tensor(z, "z", device), to_tensor(p, "p", device)
    broadcast_rows(z=tuple(z_.shape), p=tuple(p_.shape[:-1]))
    out = tensors.cost(z_, p_, to_tensor(levels, "demand", device), costs)

    def explain() -> None:
        _explain(tolerance, p=p_)
        given.explain_orders(z_.detach().cpu().numpy())

    require(tensors.is_valid(p_, tolerance) & ((z_ >= 0) & z_.isfinite()).all(), explain)
    return giver(z, p)(out)


def regret(p_hat: Array, y: Array, costs: given.Costs, levels: np.ndarray) -> Array:
    """As `inventory.regret`, differentiable."""
    given.check_shape(p_hat, levels, "p_hat")
    given.check_shape(y, levels, "y")
    device, tolerance = device_of(p_hat, y), given.sum_tolerance(p_hat, y)
    hat, truth = to_tensor(p_hat, "p_hat", device), to_tensor(y, "y", device)
    broadcast_rows(p_hat=tuple(hat.shape[:-1]), y=tuple(truth.shape[:-1]))
    out = tensors.regret(hat, truth, to_tensor(levels, "demand", device), costs)
    valid = tensors.is_valid(hat, tolerance) & tensors.is_valid(truth, tolerance)
    require(valid, lambda: _explain(tolerance, p_hat=hat, y=truth))
    return giver(p_hat, y)(out)


def order_derivative(p: Array, costs: given.Costs, levels: np.ndarray) -> Array:
    """As `inventory.order_derivative`."""
    given.check_shape(p, levels, "p")
    device, tolerance = device_of(p), given.sum_tolerance(p)
    p_ = to_tensor(p, "p", device).detach()
    out = tensors.derivative(p_, to_tensor(levels, "demand", device), costs)
    require(tensors.is_valid(p_, tolerance), lambda: _explain(tolerance, p=p_))
    return giver(p)(out)


def _explain(tolerance: float, **probabilities: Tensor) -> None:
    for name, values in probabilities.items():
        given.explain(values.detach().cpu().numpy(), name, tolerance)
