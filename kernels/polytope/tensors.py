"""What the torch solvers share: the constraints as tensors of a device, and bounded blocks of rows.

Nothing in them reads a value on the host, and every loop has a fixed length; rows that are done stand still.
Shapes change by method (unsqueeze, select): brackets and ~ need a CUDA driver even where tensors are fake.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from .constraints import Polytope
from .form import dense
from .outward import Normals

CHUNK = 1 << 22
"""Entries of the largest temporary: one for each row, constraint and entry of z."""


class Constraints(NamedTuple):
    """A `Program` on a device, with all n upper bounds: `has` is 1 where one is finite, else 0."""

    matrix: Tensor
    right: Tensor
    upper: Tensor
    has: Tensor
    inside: Tensor
    equal: Tensor
    """(m,), bool: which rows are equalities."""


@lru_cache(maxsize=32)
def constraints(polytope: Polytope, device: torch.device, *, scaled: bool) -> Constraints:
    """Return the constraints on a device, scaled or as given; copied there once.

    Args:
        polytope: the constraints.
        device: where to.
        scaled: whether in the units of `Form.scaled`.
    """
    program = polytope.form.scaled if scaled else polytope.form.given
    finite = np.isfinite(program.upper)
    equal = np.arange(len(program.right)) < program.n_equal
    arrays = (dense(program), program.right, program.upper, finite.astype(np.float64), program.inside, equal)
    return Constraints(*(torch.from_numpy(array).to(device) for array in arrays))


@lru_cache(maxsize=32)
def bounds(polytope: Polytope, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return all normals (k, n) and their limits (k,) on a device; copied there once."""
    normals, limits = torch.from_numpy(polytope.normals.matrix), torch.from_numpy(polytope.limits)
    return normals.to(device), limits.to(device)


@lru_cache(maxsize=32)
def directions(normals: Normals, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Return lines, rest and rays of normals on a device; copied there once."""
    lines, rest, rays, _ = (torch.from_numpy(part).to(device) for part in normals.split)
    return lines, rest, rays


def by_blocks(solve: Callable[..., tuple[Tensor, ...]], width: int, *arrays: Tensor) -> tuple[Tensor, ...]:
    """Apply solve to blocks of rows, so that temporaries of rows × width stay bounded.

    Args:
        solve: takes arrays of some rows; returns tensors with as many rows.
        width: entries of the largest temporary of a row.
        *arrays: with the same number of rows.
    """
    size = max(1, CHUNK // max(width, 1))
    parts = [solve(*block) for block in zip(*(array.split(size) for array in arrays), strict=True)]
    return tuple(torch.cat(part) for part in zip(*parts, strict=True))


def solve_spd(system: Tensor, right: Tensor) -> Tensor:
    """Return system⁻¹ right for matrices (rows, m, m) and vectors (rows, m)."""
    factor = torch.linalg.cholesky_ex(system).L
    return torch.cholesky_solve(right.unsqueeze(-1), factor).squeeze(-1)


def step_length(*pairs: tuple[Tensor, Tensor]) -> Tensor:
    """Return the longest step up to one, (rows, 1), that keeps all values of (value, change) non-negative."""
    now, change = torch.cat([p[0] for p in pairs], -1), torch.cat([p[1] for p in pairs], -1)
    return (-now / change).masked_fill(change >= 0.0, 1.0).amin(-1, keepdim=True).clamp(max=1.0)


def largest(*parts: Tensor) -> Tensor:
    """Return the largest absolute value of each row, (rows, 1); 0 where there is none."""
    every = torch.cat([*(part.abs() for part in parts), torch.zeros_like(parts[0].sum(-1, keepdim=True))], -1)
    return every.amax(-1, keepdim=True)
