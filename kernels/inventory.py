"""The newsvendor with quadratic costs: exact orders, expected cost, regret and the order's derivative.

f(z; p) = c0 z + q0/2 z² + Σ_k p_k [cb (δ_k − z)₊ + qb/2 (δ_k − z)₊² + ch (z − δ_k)₊ + qh/2 (z − δ_k)₊²], z ≥ 0

Functions take NumPy arrays or torch tensors of any leading shape, compute in float64 and return the same kind.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from kernels import _inventory
from kernels._arrays import (
    Array,
    broadcast_rows,
    device_of,
    giver,
    is_single,
    require_finite,
    to_numpy,
    to_tensor,
    wants_torch,
)
from kernels._threads import n_chunks

DEMAND = (1.0, 2.0, 5.0, 10.0, 20.0)
COSTS = (10.0, 2.0, 30.0, 14.0, 10.0, 2.0)

Costs = tuple[float, float, float, float, float, float]

# Two threads lost below about this many rows (a row takes 10 to 30 ns, waking a thread 50 µs).
_THREADED_FROM = 50_000


def order_quantity(p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND) -> Array:
    """Return the exact minimizer of the expected cost, the smallest one if there are several.

    Args:
        p: probabilities of the demands (..., K).
        costs: (c0, q0, cb, qb, ch, qh), all non-negative.
        demand: K strictly increasing non-negative demands.

    Returns:
        Orders (...). With a tensor in an autograd graph, backward gives `order_derivative`.
    """
    parameters, levels = _checked(costs, demand)
    tolerance = _tolerance(p)
    if wants_torch(p):
        from kernels import _inventory_torch

        device = device_of(p)
        tensor = to_tensor(_shaped(p, levels, "p"), "p", device)
        out = _inventory_torch.order(tensor, to_tensor(levels, "demand", device), parameters)
        if not bool(_inventory_torch.is_valid(tensor, tolerance)):
            _explain(tensor.detach().cpu().numpy(), "p", tolerance)
        return giver(p)(out)
    values = _shaped(to_numpy(p, "p"), levels, "p")
    return giver(p)(_orders(values, levels, parameters, tolerance))


def cost(
    z: Array, p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND
) -> Array:
    """Return the expected cost of orders z (...) under p (..., K); leading dimensions broadcast."""
    parameters, levels = _checked(costs, demand)
    tolerance = _tolerance(p)
    if wants_torch(z, p):
        from kernels import _inventory_torch

        device = device_of(z, p)
        z_, p_ = to_tensor(z, "z", device), to_tensor(_shaped(p, levels, "p"), "p", device)
        broadcast_rows(z=tuple(z_.shape), p=tuple(p_.shape[:-1]))
        out = _inventory_torch.cost(z_, p_, to_tensor(levels, "demand", device), parameters)
        valid = _inventory_torch.is_valid(p_, tolerance) & ((z_ >= 0) & z_.isfinite()).all()
        if not bool(valid):
            _explain(p_.detach().cpu().numpy(), "p", tolerance)
            _explain_orders(z_.detach().cpu().numpy())
        return giver(z, p)(out)
    z_values, values = to_numpy(z, "z"), _shaped(to_numpy(p, "p"), levels, "p")
    shape, (rows_z, rows_p) = broadcast_rows(z=z_values.shape, p=values.shape[:-1])
    out = np.empty(rows_z.shape)
    flat = values.reshape(-1, len(levels))
    bad = _inventory.expected_costs(
        z_values.reshape(-1), flat, rows_z, rows_p, levels, parameters, tolerance, out
    )
    if bad >= 0:
        _explain(values, "p", tolerance)
        _explain_orders(z_values)
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
    parameters, levels = _checked(costs, demand)
    tolerance = max(_tolerance(p_hat), _tolerance(y))
    if wants_torch(p_hat, y):
        from kernels import _inventory_torch

        device = device_of(p_hat, y)
        hat = to_tensor(_shaped(p_hat, levels, "p_hat"), "p_hat", device)
        truth = to_tensor(_shaped(y, levels, "y"), "y", device)
        broadcast_rows(p_hat=tuple(hat.shape[:-1]), y=tuple(truth.shape[:-1]))
        out = _inventory_torch.regret(hat, truth, to_tensor(levels, "demand", device), parameters)
        if not bool(_inventory_torch.is_valid(hat, tolerance) & _inventory_torch.is_valid(truth, tolerance)):
            _explain(hat.detach().cpu().numpy(), "p_hat", tolerance)
            _explain(truth.detach().cpu().numpy(), "y", tolerance)
        return giver(p_hat, y)(out)
    hats = _shaped(to_numpy(p_hat, "p_hat"), levels, "p_hat")
    truths = _shaped(to_numpy(y, "y"), levels, "y")
    shape, (rows_hat, rows_y) = broadcast_rows(p_hat=hats.shape[:-1], y=truths.shape[:-1])
    out = np.empty(rows_hat.shape)
    n_demands = len(levels)
    arguments = (hats.reshape(-1, n_demands), truths.reshape(-1, n_demands), rows_hat, rows_y)
    arguments += (levels, parameters, tolerance)
    if (chunks := n_chunks(out.size, _THREADED_FROM)) > 1:
        bad = _inventory.regrets_threaded(*arguments, chunks, out)
    else:
        bad = _inventory.regrets(*arguments, 0, out.size, out)
    if bad >= 0:
        _explain(hats, "p_hat", tolerance)
        _explain(truths, "y", tolerance)
    return giver(p_hat, y)(out.reshape(shape))


def order_derivative(p: Array, *, costs: Sequence[float] = COSTS, demand: Sequence[float] = DEMAND) -> Array:
    """Return ∂z/∂p (..., K) of the order at p (..., K): zero where the order sits on a demand or at zero."""
    parameters, levels = _checked(costs, demand)
    tolerance = _tolerance(p)
    if wants_torch(p):
        from kernels import _inventory_torch

        device = device_of(p)
        tensor = to_tensor(_shaped(p, levels, "p"), "p", device).detach()
        out = _inventory_torch.derivative(tensor, to_tensor(levels, "demand", device), parameters)
        if not bool(_inventory_torch.is_valid(tensor, tolerance)):
            _explain(tensor.cpu().numpy(), "p", tolerance)
        return giver(p)(out)
    values = _shaped(to_numpy(p, "p"), levels, "p")
    z = _orders(values, levels, parameters, tolerance)
    out = np.empty(values.shape)
    n_demands = len(levels)
    _inventory.derivatives(
        values.reshape(-1, n_demands), z.reshape(-1), levels, parameters, out.reshape(-1, n_demands)
    )
    return giver(p)(out)


def _orders(values: np.ndarray, levels: np.ndarray, parameters: Costs, tolerance: float) -> np.ndarray:
    out = np.empty(values.shape[:-1])
    flat = out.reshape(-1)
    arguments = (values.reshape(-1, len(levels)), np.arange(flat.size), levels, parameters, tolerance)
    if (chunks := n_chunks(flat.size, _THREADED_FROM)) > 1:
        bad = _inventory.orders_threaded(*arguments, chunks, flat)
    else:
        bad = _inventory.orders(*arguments, 0, flat.size, flat)
    if bad >= 0:
        _explain(values, "p", tolerance)
    return out


def _checked(costs: Sequence[float], demand: Sequence[float]) -> tuple[Costs, np.ndarray]:
    return _parameters(tuple(map(float, costs)), tuple(map(float, demand)))


@lru_cache(maxsize=64)
def _parameters(costs: tuple[float, ...], demand: tuple[float, ...]) -> tuple[Costs, np.ndarray]:
    if len(costs) != 6 or not all(0.0 <= c < np.inf for c in costs):
        raise ValueError(
            f"expected six finite non-negative costs (c0, q0, cb, qb, ch, qh), got {costs}; "
            "a negative cost can make the problem unbounded or non-convex."
        )
    levels = np.array(demand)
    require_finite(levels, "demand")
    if not len(levels) or levels[0] < 0 or (np.diff(levels) <= 0).any():
        raise ValueError(
            f"expected strictly increasing non-negative demands, at least one, got {demand}; "
            "sort them and merge duplicates by adding their probabilities."
        )
    c0, q0, cb, qb, ch, qh = costs
    return (c0, q0, cb, qb, ch, qh), levels


def _tolerance(p: Array) -> float:
    return 1e-4 if is_single(p) else 1e-6


def _shaped(p: Array, levels: np.ndarray, name: str) -> Array:
    shape = np.shape(p)
    if len(shape) == 0 or shape[-1] != len(levels):
        raise ValueError(
            f"expected {name} of shape (..., {len(levels)}), one probability a demand, got {tuple(shape)}."
        )
    return p


def _explain(p: np.ndarray, name: str, tolerance: float) -> None:
    """Raise for the first row that is no probability vector; only a failing batch pays for the search."""
    require_finite(p, name)
    total = p.sum(-1)
    bad = (p < 0).any(-1) | ~(abs(total - 1) <= tolerance)
    if bad.any():
        row = tuple(int(i) for i in np.argwhere(bad)[0])
        raise ValueError(
            f"expected rows of {name} to be probabilities (non-negative, sum within {tolerance:g} of one), "
            f"got {np.array2string(p[row], threshold=8)} with sum {total[row]:.9g} at row {row} "
            f"({int(bad.sum())} such rows); project {name} onto the simplex first."
        )


def _explain_orders(z: np.ndarray) -> None:
    require_finite(z, "z")
    if (z < 0).any():
        row = tuple(int(i) for i in np.argwhere(z < 0)[0])
        raise ValueError(f"expected orders z >= 0, got {z[row]} at index {row}; clip z at zero first.")
