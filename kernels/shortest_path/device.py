"""Shortest paths on a device: cast, compute on tensors, and ask once at the end whether all was valid."""

from torch import Tensor

from .._shared.arrays import Array, broadcast_rows, device_of, giver, to_tensor
from ..deferred import require
from . import given, tensors


def path(costs: Array, height: int, width: int, sign: float) -> Tensor:
    """Return the 0/1 path of sign × costs, as `shortest_path.best_path`.

    Args:
        costs: costs (..., arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
        sign: 1 for the shortest path, -1 for the longest.
    """
    given.check_shape(costs, height, width, "costs")
    values = to_tensor(costs, "costs", device_of(costs))
    out = tensors.path(sign * values, height, width)
    require(tensors.is_valid(values), lambda: _explain(costs=values))
    return out


def cost(path: Array, costs: Array) -> Array:
    """As `shortest_path.cost`, differentiable."""
    device = device_of(path, costs)
    shares, prices = to_tensor(path, "path", device), to_tensor(costs, "costs", device)
    broadcast_rows(path=tuple(shares.shape[:-1]), costs=tuple(prices.shape[:-1]))
    out = (shares * prices).sum(-1)

    def explain() -> None:
        _explain(costs=prices)
        given.explain_path(shares.detach().cpu().numpy())

    require(out.isfinite().all(), explain)
    return giver(path, costs)(out)


def optimal_cost(costs: Array, height: int, width: int) -> Array:
    """As `shortest_path.optimal_cost`, differentiable.

    Args:
        costs: costs (..., arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
    """
    given.check_shape(costs, height, width, "costs")
    values = to_tensor(costs, "costs", device_of(costs))
    out = tensors.optimum(values, height, width)
    require(tensors.is_valid(values), lambda: _explain(costs=values))
    return giver(costs)(out)


def regret(costs_hat: Array, costs: Array, height: int, width: int) -> Array:
    """As `shortest_path.regret`, differentiable in costs.

    Args:
        costs_hat: predicted costs (..., arcs).
        costs: true costs (..., arcs); leading dimensions broadcast.
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
    """
    given.check_shape(costs_hat, height, width, "costs_hat")
    given.check_shape(costs, height, width, "costs")
    device = device_of(costs_hat, costs)
    hat, truth = to_tensor(costs_hat, "costs_hat", device), to_tensor(costs, "costs", device)
    broadcast_rows(costs_hat=tuple(hat.shape[:-1]), costs=tuple(truth.shape[:-1]))
    out = tensors.regret(hat, truth, height, width)
    valid = tensors.is_valid(hat) & tensors.is_valid(truth)
    require(valid, lambda: _explain(costs_hat=hat, costs=truth))
    return giver(costs_hat, costs)(out)


def _explain(**costs: Tensor) -> None:
    for name, values in costs.items():
        given.explain(values.detach().cpu().numpy(), name)
