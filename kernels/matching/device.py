"""Matching on a device: cast, compute on tensors, and ask once at the end whether all was valid."""

import math

from torch import Tensor

from .._shared.arrays import Array, broadcast_rows, device_of, giver, to_tensor
from ..deferred import require
from . import given, tensors


def columns(costs: Array, sign: float) -> Tensor:
    """Return the column of every row of sign × costs: (..., n, n) -> integers (..., n)."""
    given.check_shape(costs, "costs")
    values = to_tensor(costs, "costs", device_of(costs))
    out = _solve(sign * values)
    _require_valid(costs=values)
    return out


def matching(costs: Array, sign: float) -> Tensor:
    """Return 0/1 (..., n, n), as `matching.best_matching` of sign × costs."""
    chosen = columns(costs, sign)
    return tensors.mark(chosen, to_tensor(costs, "costs", chosen.device))


def cost(matching: Array, costs: Array) -> Array:
    """As `matching.cost`, differentiable."""
    device = device_of(matching, costs)
    shares, prices = to_tensor(matching, "matching", device), to_tensor(costs, "costs", device)
    broadcast_rows(matching=tuple(shares.shape[:-2]), costs=tuple(prices.shape[:-2]))
    out = (shares * prices).sum((-2, -1))

    def explain() -> None:
        given.explain(prices.detach().cpu().numpy(), "costs")
        given.explain_matching(shares.detach().cpu().numpy())

    require(out.isfinite().all(), explain)
    return giver(matching, costs)(out)


def optimal_cost(costs: Array) -> Array:
    """As `matching.optimal_cost`, differentiable."""
    given.check_shape(costs, "costs")
    values = to_tensor(costs, "costs", device_of(costs))
    out = tensors.pay(_solve(values), values)
    _require_valid(costs=values)
    return giver(costs)(out)


def regret(costs_hat: Array, costs: Array) -> Array:
    """As `matching.regret`, differentiable in costs."""
    device = device_of(costs_hat, costs)
    hat, truth = to_tensor(costs_hat, "costs_hat", device), to_tensor(costs, "costs", device)
    broadcast_rows(costs_hat=tuple(hat.shape[:-2]), costs=tuple(truth.shape[:-2]))
    out = tensors.pay(_solve(hat), truth) - tensors.pay(_solve(truth), truth)
    _require_valid(costs_hat=hat, costs=truth)
    return giver(costs_hat, costs)(out)


def _solve(values: Tensor) -> Tensor:
    n, lead = values.shape[-1], values.shape[:-2]
    return tensors.columns(values.detach().reshape(math.prod(lead), n, n)).reshape(*lead, n)


def _require_valid(**costs: Tensor) -> None:
    for name, values in costs.items():
        valid = tensors.is_valid(values.detach(), given.limit(values.shape[-1]))
        require(valid, lambda v=values, n=name: given.explain(v.detach().cpu().numpy(), n))  # type: ignore[misc]
