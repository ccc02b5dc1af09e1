"""How much to order before demand is known: exact orders, expected cost, regret and the order's derivative.

f(z; p) = c0 z + q0/2 z² + Σ_k p_k [cb (δ_k − z)₊ + qb/2 (δ_k − z)₊² + ch (z − δ_k)₊ + qh/2 (z − δ_k)₊²],
z ≥ 0. Functions take NumPy arrays or torch tensors, compute in float64 and return the same kind.
"""

import math
from collections.abc import Sequence

import numpy as np

from .._shared.arrays import EACH_ITS_OWN, Array, broadcast_rows, giver, to_numpy, wants_torch
from .._shared.threads import n_chunks
from . import compiled, inputs, segments

__all__ = ["COSTS", "DEMAND", "cost", "lowest_order", "order_derivative", "order_quantity", "regret"]

DEMAND = (1.0, 2.0, 5.0, 10.0, 20.0)
COSTS = (10.0, 2.0, 30.0, 14.0, 10.0, 2.0)

# In rows. Two threads on two busy cores are five times slower at 100,000 rows and equal from a million on.
_THREADED_FROM = 1_000_000


def order_quantity(p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND) -> Array:
    """Return the exact minimizer of the expected cost, the smallest one if there are several.

    Args:
        p: probabilities of the demands (..., K).
        costs: (c0, q0, cb, qb, ch, qh), all non-negative: linear and quadratic cost of ordering, of too
            little and of too much.
        demand: K strictly increasing non-negative demands.

    Returns:
        Orders (...). With a tensor in an autograd graph, backward gives `order_derivative`.
    """
    parameters, levels = inputs.parameters(costs, demand)
    if wants_torch(p):
        from . import device

        return device.order_quantity(p, parameters, levels)
    values = inputs.rows(p, levels, "p")
    return giver(p)(_orders(values, levels, parameters, inputs.sum_tolerance(p)))


def lowest_order(
    weights: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND
) -> Array:
    """Return the order of least cost under weights that need not be probabilities.

    With probabilities this is `order_quantity`. With a negative weight the cost is not convex, and may have
    no end below beyond the last demand: so orders are taken from [0, last demand], where all best orders
    under probabilities are.

    Args:
        weights: one of any sign for each demand (..., K).
        costs: as in `order_quantity`.
        demand: as in `order_quantity`.

    Returns:
        Orders (...), the smallest ones among equals; without a gradient.
    """
    parameters, levels = inputs.parameters(costs, demand)
    if wants_torch(weights):
        from . import device

        return device.lowest_order(weights, parameters, levels)
    values = inputs.rows(weights, levels, "weights")
    out = np.empty(values.shape[:-1])
    if segments.lowest_orders(values.reshape(-1, len(levels)), levels, parameters, out.reshape(-1)) >= 0:
        inputs.explain_weights(values)
    return giver(weights)(out)


def cost(z: Array, p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND) -> Array:
    """Return the expected cost of orders.

    Args:
        z: orders (...), non-negative.
        p: probabilities of the demands (..., K); leading dimensions broadcast.
        costs: as in `order_quantity`.
        demand: as in `order_quantity`.

    Returns:
        Costs of the broadcast leading shape.

    Raises:
        ValueError: an input is not valid, or a cost is too large for float64.
    """
    parameters, levels = inputs.parameters(costs, demand)
    if wants_torch(z, p):
        from . import device

        return device.cost(z, p, parameters, levels)
    z_values, values = to_numpy(z, "z"), inputs.rows(p, levels, "p")
    tolerance = inputs.sum_tolerance(p)
    shape, (rows_z, rows_p) = broadcast_rows(z=z_values.shape, p=values.shape[:-1])
    out = np.empty(math.prod(shape))
    flat = values.reshape(-1, len(levels))
    bad = compiled.expected_costs(
        z_values.reshape(-1), flat, rows_z, rows_p, levels, parameters, tolerance, out
    )
    if bad >= 0:
        inputs.explain(values, "p", tolerance)
        inputs.explain_orders(z_values)
        inputs.explain_costs(z_values, out.reshape(shape))
    return giver(z, p)(out.reshape(shape))


def regret(
    p_hat: Array, y: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND
) -> Array:
    """Return how much more it costs, expected under y, to order by p_hat instead of by y.

    Args:
        p_hat: predicted probabilities (..., K).
        y: true probabilities (..., K), for example one-hot labels; leading dimensions broadcast.
        costs: as in `order_quantity`.
        demand: as in `order_quantity`.

    Returns:
        Regrets of the broadcast leading shape.
    """
    parameters, levels = inputs.parameters(costs, demand)
    if wants_torch(p_hat, y):
        from . import device

        return device.regret(p_hat, y, parameters, levels)
    hats, truths = inputs.rows(p_hat, levels, "p_hat"), inputs.rows(y, levels, "y")
    tolerance = inputs.sum_tolerance(p_hat, y)
    shape, (rows_hat, rows_y) = broadcast_rows(p_hat=hats.shape[:-1], y=truths.shape[:-1])
    out = np.empty(math.prod(shape))
    p, q = hats.reshape(-1, len(levels)), truths.reshape(-1, len(levels))
    if (chunks := n_chunks(len(out), _THREADED_FROM)) > 1:
        bad = compiled.regrets_threaded(p, q, rows_hat, rows_y, levels, parameters, tolerance, chunks, out)
    else:
        bad = compiled.regrets(p, q, rows_hat, rows_y, levels, parameters, tolerance, 0, len(out), out)
    if bad >= 0:
        inputs.explain(hats, "p_hat", tolerance)
        inputs.explain(truths, "y", tolerance)
    return giver(p_hat, y)(out.reshape(shape))


def order_derivative(p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND) -> Array:
    """Return ∂z/∂p, the derivative of the order: zero where the order equals a demand or zero.

    Args:
        p: probabilities of the demands (..., K).
        costs: as in `order_quantity`.
        demand: as in `order_quantity`.

    Returns:
        Derivatives (..., K).
    """
    parameters, levels = inputs.parameters(costs, demand)
    if wants_torch(p):
        from . import device

        return device.order_derivative(p, parameters, levels)
    values = inputs.rows(p, levels, "p")
    z = _orders(values, levels, parameters, inputs.sum_tolerance(p))
    out = np.empty(values.shape)
    n_demands = len(levels)
    compiled.derivatives(
        values.reshape(-1, n_demands), z.reshape(-1), levels, parameters, out.reshape(-1, n_demands)
    )
    return giver(p)(out)


def _orders(values: np.ndarray, levels: np.ndarray, parameters: inputs.Costs, tolerance: float) -> np.ndarray:
    out = np.empty(values.shape[:-1])
    flat = out.reshape(-1)
    p, rows = values.reshape(-1, len(levels)), EACH_ITS_OWN
    if (chunks := n_chunks(flat.size, _THREADED_FROM)) > 1:
        bad = compiled.orders_threaded(p, rows, levels, parameters, tolerance, chunks, flat)
    else:
        bad = compiled.orders(p, rows, levels, parameters, tolerance, 0, flat.size, flat)
    if bad >= 0:
        inputs.explain(values, "p", tolerance)
    return out
