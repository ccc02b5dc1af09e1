"""The functions of inventory for torch: cast, compute on tensors, ask once at the end if all was valid.

Arguments are those of the public function of the same name; `inputs.parameters` has checked costs and levels.
"""

import numpy as np
from torch import Tensor

from .._shared.arrays import Array, broadcast_rows, device_of, giver, to_tensor
from ..deferred import require
from . import inputs, tensors


def order_quantity(p: Array, costs: inputs.Costs, levels: np.ndarray) -> Array:
    """Return the orders (...), differentiable in p.

    Args:
        p: probabilities of the demands (..., K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        levels: the possible demands (K,), already checked.
    """
    inputs.check_shape(p, levels, "p")
    device, tolerance = device_of(p), inputs.sum_tolerance(p)
    p_ = to_tensor(p, "p", device)
    out = tensors.order(p_, to_tensor(levels, "demand", device), costs)
    require(tensors.is_valid(p_, tolerance), lambda: _explain(tolerance, p=p_))
    return giver(p)(out)


def lowest_order(weights: Array, costs: inputs.Costs, levels: np.ndarray) -> Array:
    """Return the orders (...) of least cost in [0, last demand], without a gradient.

    Args:
        weights: one of any sign for each demand (..., K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        levels: the possible demands (K,), already checked.
    """
    inputs.check_shape(weights, levels, "weights")
    device = device_of(weights)
    given = to_tensor(weights, "weights", device)
    out, finite = tensors.lowest_order(given, to_tensor(levels, "demand", device), costs)
    require(finite, lambda: inputs.explain_weights(given.detach().cpu().numpy()))
    return giver(weights)(out)


def cost(z: Array, p: Array, costs: inputs.Costs, levels: np.ndarray) -> Array:
    """Return the expected costs, differentiable in z and p.

    Args:
        z: orders (...).
        p: probabilities of the demands (..., K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        levels: the possible demands (K,), already checked.
    """
    inputs.check_shape(p, levels, "p")
    device, tolerance = device_of(z, p), inputs.sum_tolerance(p)
    z_, p_ = to_tensor(z, "z", device), to_tensor(p, "p", device)
    broadcast_rows(z=tuple(z_.shape), p=tuple(p_.shape[:-1]))
    out = tensors.cost(z_, p_, to_tensor(levels, "demand", device), costs)

    def explain() -> None:
        _explain(tolerance, p=p_)
        orders = z_.detach().cpu().numpy()
        inputs.explain_orders(orders)
        inputs.explain_costs(orders, out.detach().cpu().numpy())

    valid = tensors.is_valid(p_, tolerance) & ((z_ >= 0) & z_.isfinite()).all()
    require(valid & out.isfinite().all(), explain)
    return giver(z, p)(out)


def regret(p_hat: Array, y: Array, costs: inputs.Costs, levels: np.ndarray) -> Array:
    """Return the regrets, differentiable in p_hat and y.

    Args:
        p_hat: predicted probabilities (..., K).
        y: true probabilities (..., K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        levels: the possible demands (K,), already checked.
    """
    inputs.check_shape(p_hat, levels, "p_hat")
    inputs.check_shape(y, levels, "y")
    device, tolerance = device_of(p_hat, y), inputs.sum_tolerance(p_hat, y)
    hat, truth = to_tensor(p_hat, "p_hat", device), to_tensor(y, "y", device)
    broadcast_rows(p_hat=tuple(hat.shape[:-1]), y=tuple(truth.shape[:-1]))
    out = tensors.regret(hat, truth, to_tensor(levels, "demand", device), costs)
    valid = tensors.is_valid(hat, tolerance) & tensors.is_valid(truth, tolerance)
    require(valid, lambda: _explain(tolerance, p_hat=hat, y=truth))
    return giver(p_hat, y)(out)


def order_derivative(p: Array, costs: inputs.Costs, levels: np.ndarray) -> Array:
    """Return the derivatives of the orders (..., K), themselves without a gradient.

    Args:
        p: probabilities of the demands (..., K).
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
        levels: the possible demands (K,), already checked.
    """
    inputs.check_shape(p, levels, "p")
    device, tolerance = device_of(p), inputs.sum_tolerance(p)
    p_ = to_tensor(p, "p", device).detach()
    out = tensors.derivative(p_, to_tensor(levels, "demand", device), costs)
    require(tensors.is_valid(p_, tolerance), lambda: _explain(tolerance, p=p_))
    return giver(p)(out)


def _explain(tolerance: float, **probabilities: Tensor) -> None:
    for name, values in probabilities.items():
        inputs.explain(values.detach().cpu().numpy(), name, tolerance)
