"""The newsvendor with quadratic costs: exact orders, expected cost, regret and the order's derivative.

f(z; p) = c0 z + q0/2 z² + Σ_k p_k [cb (δ_k − z)₊ + qb/2 (δ_k − z)₊² + ch (z − δ_k)₊ + qh/2 (z − δ_k)₊²],
z ≥ 0. Functions take NumPy arrays or torch tensors, compute in float64 and return the same kind.
"""

import math
from collections.abc import Sequence

import numpy as np

from .._shared.arrays import EACH_ITS_OWN, Array, broadcast_rows, giver, to_numpy, wants_torch
from .._shared.threads import n_chunks
from . import compiled as _inventory
from . import given

DEMAND = (1.0, 2.0, 5.0, 10.0, 20.0)
COSTS = (10.0, 2.0, 30.0, 14.0, 10.0, 2.0)

# Rows. Two threads on two busy cores: at 100,000 rows five times slower, from a million on even.
_THREADED_FROM = 1_000_000


def order_quantity(p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND) -> Array:
    """Return the exact minimizer of the expected cost, the smallest one if there are several.

    Args:
        p: probabilities of the demands (..., K).
        costs: (c0, q0, cb, qb, ch, qh), all non-negative.
        demand: K strictly increasing non-negative demands.

    Returns:
        Orders (...). With a tensor in an autograd graph, backward gives `order_derivative`.
    """
    parameters, levels = given.parameters(costs, demand)
    if wants_torch(p):
        from . import device as _inventory_device

        return _inventory_device.order_quantity(p, parameters, levels)
    values = given.rows(p, levels, "p")
    return giver(p)(_orders(values, levels, parameters, given.sum_tolerance(p)))


def cost(z: Array, p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND) -> Array:
    """Return the expected cost of orders z (...) under p (..., K); leading dimensions broadcast."""
    parameters, levels = given.parameters(costs, demand)
    if wants_torch(z, p):
        from . import device as _inventory_device

        return _inventory_device.cost(z, p, parameters, levels)
    z_values, values = to_numpy(z, "z"), given.rows(p, levels, "p")
    tolerance = given.sum_tolerance(p)
    shape, (rows_z, rows_p) = broadcast_rows(z=z_values.shape, p=values.shape[:-1])
    out = np.empty(math.prod(shape))
    flat = values.reshape(-1, len(levels))
    bad = _inventory.expected_costs(
        z_values.reshape(-1), flat, rows_z, rows_p, levels, parameters, tolerance, out
    )
    if bad >= 0:
        given.explain(values, "p", tolerance)
        given.explain_orders(z_values)
    return giver(z, p)(out.reshape(shape))


def regret(
    p_hat: Array, y: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND
) -> Array:
    """Return the expected cost under y of ordering by p_hat, beyond that of ordering by y.

    Args:
        p_hat: predicted probabilities (..., K).
        y: true probabilities (..., K), one-hot labels among them; leading dimensions broadcast.
        costs: as in `order_quantity`.
        demand: as in `order_quantity`.

    Returns:
        Regrets of the broadcast leading shape.
    """
    parameters, levels = given.parameters(costs, demand)
    if wants_torch(p_hat, y):
        from . import device as _inventory_device

        return _inventory_device.regret(p_hat, y, parameters, levels)
    hats, truths = given.rows(p_hat, levels, "p_hat"), given.rows(y, levels, "y")
    tolerance = given.sum_tolerance(p_hat, y)
    shape, (rows_hat, rows_y) = broadcast_rows(p_hat=hats.shape[:-1], y=truths.shape[:-1])
    out = np.empty(math.prod(shape))
    p, q = hats.reshape(-1, len(levels)), truths.reshape(-1, len(levels))
    if (chunks := n_chunks(len(out), _THREADED_FROM)) > 1:
        bad = _inventory.regrets_threaded(p, q, rows_hat, rows_y, levels, parameters, tolerance, chunks, out)
    else:
        bad = _inventory.regrets(p, q, rows_hat, rows_y, levels, parameters, tolerance, 0, len(out), out)
    if bad >= 0:
        given.explain(hats, "p_hat", tolerance)
        given.explain(truths, "y", tolerance)
    return giver(p_hat, y)(out.reshape(shape))


def order_derivative(p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND) -> Array:
    """Return ∂z/∂p (..., K) of the order at p (..., K): zero where the order sits on a demand or at zero."""
    parameters, levels = given.parameters(costs, demand)
    if wants_torch(p):
        from . import device as _inventory_device

        return _inventory_device.order_derivative(p, parameters, levels)
    values = given.rows(p, levels, "p")
    z = _orders(values, levels, parameters, given.sum_tolerance(p))
    out = np.empty(values.shape)
    n_demands = len(levels)
    _inventory.derivatives(
        values.reshape(-1, n_demands), z.reshape(-1), levels, parameters, out.reshape(-1, n_demands)
    )
    return giver(p)(out)


def _orders(values: np.ndarray, levels: np.ndarray, parameters: given.Costs, tolerance: float) -> np.ndarray:
    out = np.empty(values.shape[:-1])
    flat = out.reshape(-1)
    p, rows = values.reshape(-1, len(levels)), EACH_ITS_OWN
    if (chunks := n_chunks(flat.size, _THREADED_FROM)) > 1:
        bad = _inventory.orders_threaded(p, rows, levels, parameters, tolerance, chunks, flat)
    else:
        bad = _inventory.orders(p, rows, levels, parameters, tolerance, 0, flat.size, flat)
    if bad >= 0:
        given.explain(values, "p", tolerance)
    return out
