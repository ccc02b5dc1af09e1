"""Subsets by enumeration, and their relaxation by gradient steps in torch."""

from itertools import combinations

import numpy as np
import torch
from torch import Tensor


def clicks(z: Tensor, ctr: Tensor) -> Tensor:
    """Return Σ_u [1 − Π_w (1 − z_w Y_wu)] of z (..., W), ctr (..., W, U)."""
    return (1 - (1 - z[..., None] * ctr).prod(-2)).sum(-1)


def subset_by_enumeration(ctr: np.ndarray, size: int) -> np.ndarray:
    """Return the largest clicks (n,) over all subsets of ctr (n, W, U)."""
    values = [
        (1 - (1 - ctr[:, subset]).prod(1)).sum(-1) for subset in combinations(range(ctr.shape[1]), size)
    ]
    return np.max(values, axis=0)


def relax_by_torch(ctr: Tensor, size: int, steps: int = 100) -> Tensor:
    """Return z (..., W) by projected gradient through autograd, as code published for this problem does.

    Args:
        ctr: click rates (..., W, U).
        size: the sum of z.
        steps: how many gradient steps.
    """
    z = torch.full(ctr.shape[:-1], size / ctr.shape[-2], dtype=ctr.dtype, requires_grad=True)
    optimizer = torch.optim.SGD([z], lr=0.1, momentum=0.9)
    for _ in range(steps):
        optimizer.zero_grad()
        (-clicks(z, ctr).sum()).backward()
        optimizer.step()
        with torch.no_grad():
            z.copy_(_project(z, size))
    return z.detach()


def _project(z: Tensor, total: float) -> Tensor:
    """Return the nearest point of {0 ≤ z ≤ 1, Σz = total}: where the filling of sorted corners reaches it."""
    corners = torch.cat([-z, 1 - z], -1).sort(-1).values
    filled = (z[..., None, :] + corners[..., None]).clamp(0, 1).sum(-1)
    after = (filled < total).sum(-1, keepdim=True).clamp(1, corners.shape[-1] - 1)
    x0, x1 = corners.gather(-1, after - 1), corners.gather(-1, after)
    y0, y1 = filled.gather(-1, after - 1), filled.gather(-1, after)
    shift = x0 + (total - y0) * (x1 - x0) / (y1 - y0).clamp_min(1e-12)
    return (z + shift).clamp(0, 1)
