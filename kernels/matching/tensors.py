"""Cheapest assignments on tensors of any device: shortest augmenting paths, all instances in step.

The rows are assigned one after the other; the s-th of them scans at most s columns before it meets a free
one, so all loops have a length known from the shape, n(n + 1)/2 scans in all. An instance that is done waits.
Nothing here reads a value on the host. Of equal matchings `first_tensors` takes the one that the CPU takes.
"""

import math

import torch
from torch import Tensor

from .first_tensors import first


def columns(costs: Tensor) -> Tensor:
    """Return the column of every row: (N, n, n) -> integers (N, n)."""
    n_instances, n, _ = costs.shape
    v = torch.zeros_like(costs[:, 0])
    row_of = torch.full((n_instances, n), -1, dtype=torch.int64, device=costs.device)
    column_of = torch.full_like(row_of, -1)
    for start in range(n):
        end, through, change = _search(costs, v, row_of, start)
        v = v + change
        row_of, column_of = _assign(row_of, column_of, through, end, start)
    return first(costs, v, column_of)


def _search(costs: Tensor, v: Tensor, row_of: Tensor, start: int) -> tuple[Tensor, Tensor, Tensor]:
    """Return the free column (N, 1) nearest to row start, the row before every column, changes of prices."""
    reach, price = costs[:, start] - v, v
    through = torch.full_like(row_of, start)
    at = torch.full_like(v, math.inf)
    done = torch.zeros_like(row_of[:, :1], dtype=torch.bool)
    end, least_end = torch.zeros_like(row_of[:, :1]), torch.zeros_like(v[:, :1])
    for _ in range(start + 1):
        least, j = _nearest(reach, row_of)
        i = row_of.gather(1, j)
        stays = done | (i < 0)
        end = torch.where(done, end, j)
        least_end = torch.where(done, least_end, least)
        done = stays
        at = torch.where(done, at, at.scatter(1, j, least))
        price = torch.where(done, price, price.scatter(1, j, -math.inf))
        reach = torch.where(done, reach, reach.scatter(1, j, math.inf))
        i = i.clamp(min=0)
        row = costs.take_along_dim(i[..., None], 1)[:, 0]
        slack = row.gather(1, j) - v.gather(1, j) - least
        distance = row - price - slack
        closer = ~done & (distance < reach)
        reach = torch.where(closer, distance, reach)
        through = torch.where(closer, i, through)
    return end, through, torch.where(at.isinf(), 0.0, at - least_end)


def _nearest(reach: Tensor, row_of: Tensor) -> tuple[Tensor, Tensor]:
    """Return the least distance (N, 1) and its column (N, 1), if possible a free one, then the first."""
    n = reach.shape[1]
    least = reach.amin(1, keepdim=True)
    order = torch.arange(n, device=reach.device) + torch.where(row_of < 0, 0, n)
    # Costs that are not finite are refused later; until then every index stays inside.
    j = torch.where(reach == least, order, 2 * n).amin(1, keepdim=True) % n
    return least, j


def _assign(
    row_of: Tensor, column_of: Tensor, through: Tensor, end: Tensor, start: int
) -> tuple[Tensor, Tensor]:
    """Shift the assignments along the path that ends in column end, back to row start."""
    done = torch.zeros_like(end, dtype=torch.bool)
    for _ in range(start + 1):
        i = through.gather(1, end)
        before = column_of.gather(1, i)
        row_of = torch.where(done, row_of, row_of.scatter(1, end, i))
        column_of = torch.where(done, column_of, column_of.scatter(1, i, end))
        done = done | (i == start)
        end = torch.where(done, end, before.clamp(min=0))
    return row_of, column_of


def mark(chosen: Tensor, costs: Tensor) -> Tensor:
    """Turn the column of every row (..., n) into 0/1 like costs (..., n, n)."""
    return torch.zeros_like(costs).scatter(-1, chosen[..., None], 1.0)


def pay(chosen: Tensor, costs: Tensor) -> Tensor:
    """Return the sum of the chosen costs: (..., n) and (..., n, n) -> (...); differentiable in costs."""
    shape = torch.broadcast_shapes(chosen.shape[:-1], costs.shape[:-2])
    n = costs.shape[-1]
    prices = costs.expand(*shape, n, n)
    return prices.gather(-1, chosen.expand(*shape, n)[..., None])[..., 0].sum(-1)


def is_valid(costs: Tensor, limit: float) -> Tensor:
    """Return a 0-d bool tensor: the costs of every instance are finite and add up to less than limit."""
    return (costs.abs().sum((-2, -1)) < limit).all()
