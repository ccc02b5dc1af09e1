"""Shortest paths on tensors of any device: the sums of the Numba kernels, one diagonal of the grid at a time.

All nodes of a diagonal are as many steps away from the end, so the loop is as long as a path. The grid is
kept skewed, (..., height, diagonals): node (i, j) stands in row i of diagonal i + j, and what is right of it
or below it stands in row i or i + 1 of the next diagonal. Nothing here reads a value on the host.
"""

import math

import torch
from torch import Tensor
from torch.nn.functional import pad


def is_valid(costs: Tensor) -> Tensor:
    """Return a 0-d bool tensor: all costs of a row are finite and can be added."""
    return costs.abs().sum(-1).isfinite().all()


def path(costs: Tensor, height: int, width: int) -> Tensor:
    """Return the 0/1 arcs of the shortest path of every row: (..., arcs) -> (..., arcs).

    Args:
        costs: costs (..., arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
    """
    downs, _ = _choose(*_ways(costs, height, width, math.inf))
    here = torch.zeros_like(downs[0], dtype=torch.bool)
    here[..., 0] = True
    rights_taken, downs_taken = [], []
    for down in downs:
        rights_taken.append(here & ~down)
        downs_taken.append(here & down)
        here = rights_taken[-1] | pad(downs_taken[-1], (1, 0))[..., :-1]
    grids = [_unskew(torch.stack(taken, -1), width) for taken in (rights_taken, downs_taken)]
    return torch.cat([grids[0][..., :-1], grids[1]], -1).flatten(-2)[..., : costs.shape[-1]].to(costs.dtype)


def optimum(costs: Tensor, height: int, width: int) -> Tensor:
    """Return the cost of the shortest path: (..., arcs) -> (...).

    Args:
        costs: costs (..., arcs).
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
    """
    return _choose(*_ways(costs, height, width, math.inf))[1]


def regret(costs_hat: Tensor, costs: Tensor, height: int, width: int) -> Tensor:
    """Return the cost under costs of the path for costs_hat, beyond the optimum; differentiable in costs.

    Args:
        costs_hat: predicted costs (..., arcs).
        costs: true costs (..., arcs); leading dimensions broadcast.
        height: rows of nodes in the grid.
        width: columns of nodes in the grid.
    """
    downs, _ = _choose(*_ways(costs_hat, height, width, math.inf))
    # Arcs that leave the grid are never chosen, so any number serves.
    right, down = _ways(costs, height, width, 0.0)
    paid = right.new_zeros((*right.shape[:-2], height))
    for d in range(height + width - 3, -1, -1):
        by_right, by_down = _both(right[..., d], down[..., d], paid, 0.0)
        paid = torch.where(downs[d], by_down, by_right)
    return paid[..., 0] - optimum(costs, height, width)


def _choose(right: Tensor, down: Tensor) -> tuple[list[Tensor], Tensor]:
    """Return who goes down, for every diagonal (..., height) from the first, and the optimum (...)."""
    height = right.shape[-2]
    to_go = torch.full_like(right[..., 0], math.inf)
    to_go[..., height - 1] = 0.0
    downs = []
    for d in range(right.shape[-1] - 2, -1, -1):
        by_right, by_down = _both(right[..., d], down[..., d], to_go, math.inf)
        downs.append(by_down < by_right)
        to_go = torch.where(downs[-1], by_down, by_right)
    return downs[::-1], to_go[..., 0]


def _both(right: Tensor, down: Tensor, ahead: Tensor, outside: float) -> tuple[Tensor, Tensor]:
    return right + ahead, down + pad(ahead, (0, 1), value=outside)[..., 1:]


def _ways(costs: Tensor, height: int, width: int, outside: float) -> tuple[Tensor, Tensor]:
    """Return the costs of going right and down from every node, skewed; `outside` where no arc is."""
    rows = pad(costs, (0, width), value=outside).unflatten(-1, (height, 2 * width - 1))
    right = pad(rows[..., : width - 1], (0, 1), value=outside)
    return _skew(right, outside), _skew(rows[..., width - 1 :], outside)


def _skew(grid: Tensor, outside: float) -> Tensor:
    """Shift row i of (..., height, width) by i places: rows one longer, read as if they were not."""
    height, width = grid.shape[-2:]
    n_diagonals = height + width - 1
    longer = pad(grid, (0, height), value=outside).flatten(-2)
    return longer[..., : height * n_diagonals].unflatten(-1, (height, n_diagonals))


def _unskew(skewed: Tensor, width: int) -> Tensor:
    """Undo `_skew` of (..., height, diagonals but the last), whose only node has no way on."""
    height, n_diagonals = skewed.shape[-2], skewed.shape[-1] + 1
    flat = pad(pad(skewed, (0, 1)).flatten(-2), (0, height))
    return flat.unflatten(-1, (height, n_diagonals + 1))[..., :width]
