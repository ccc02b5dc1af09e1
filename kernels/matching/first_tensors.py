"""Of all cheapest matchings the first, on tensors of any device; all instances in step.

Row after row takes the lowest column that it can have in a cheapest matching of the rows not yet settled.
Loops have a length known from the shape, and nothing here reads a value on the host.
"""

import torch
from torch import Tensor

from .compiled import TIE


def first(costs: Tensor, v: Tensor, column_of: Tensor) -> Tensor:
    """Return the columns (N, n) of the first of all matchings that are as cheap as the given one.

    Args:
        costs: (N, n, n).
        v: prices of the columns (N, n), which show that the given matching is a cheapest one.
        column_of: its column of every row (N, n).
    """
    # Costs that are not finite are refused later; until then every index stays inside.
    column_of = column_of.clamp(min=0)
    equal = _equal(costs, v, column_of)
    place = torch.arange(costs.shape[1], device=costs.device).expand_as(column_of)
    for i in range(costs.shape[1] - 1):
        row_of = torch.zeros_like(column_of).scatter(1, column_of, place)
        giver = _givers(equal, column_of, place, i)
        mine = column_of[:, i : i + 1]
        can_have = equal[:, i] & (place < mine) & (giver.gather(1, row_of) >= 0)
        lowest = torch.where(can_have, place, mine).amin(1, keepdim=True)
        column_of = _pass_on(column_of, giver, lowest, row_of.gather(1, lowest), i)
    return column_of


def _equal(costs: Tensor, v: Tensor, column_of: Tensor) -> Tensor:
    """Return where costs − v are the least of their row: (N, n, n)."""
    paid = costs.gather(2, column_of[..., None])
    least = paid - v.gather(1, column_of)[..., None]
    scale = least.abs() + paid.abs().amax(1, keepdim=True)
    return costs - (v + TIE * v.abs())[:, None] <= least + TIE * scale


def _givers(equal: Tensor, column_of: Tensor, place: Tensor, i: int) -> Tensor:
    """Return from whom every row after i can take a column, so that in the end row i gives its own: (N, n).

    −1 stands for rows from which no way leads to row i, and i for row i itself.
    """
    n = column_of.shape[1]
    giver = torch.where(place == i, i, -1)
    waits = place == i
    for _ in range(i + 1, n):
        row = torch.where(waits, place, n).amin(1, keepdim=True)
        column = column_of.gather(1, row.clamp(max=n - 1))
        takes = equal.take_along_dim(column[:, None], 2)[..., 0]
        takes = takes & (giver < 0) & (place > i) & (row < n)
        giver = torch.where(takes, row, giver)
        waits = takes | (waits & (place != row))
    return giver


def _pass_on(column_of: Tensor, giver: Tensor, lowest: Tensor, owner: Tensor, i: int) -> Tensor:
    """Give row i the lowest column, its owner that of the owner's giver, and so on until row i has given."""
    out = column_of.scatter(1, torch.full_like(owner, i), lowest)
    for _ in range(i + 1, column_of.shape[1]):
        gives = giver.gather(1, owner).clamp(min=0)
        out = out.scatter(1, owner, torch.where(owner == i, lowest, column_of.gather(1, gives)))
        owner = gives
    return out
