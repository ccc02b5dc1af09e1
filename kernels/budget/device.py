"""The functions of budget for torch: cast, compute on tensors, ask once at the end if all was valid.

Arguments are those of the public function of the same name; size is its checked budget.
"""

import math
from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .._shared.arrays import Array, broadcast_rows, device_of, giver, require_finite, to_tensor
from ..deferred import require
from . import inputs, tensors


def value(z: Array, ctr: Array, weights: Array | None) -> Array:
    """Return the values of decisions, differentiable in z, ctr and weights.

    Args:
        z: decisions (..., W), from 0 to 1.
        ctr: click rates (..., W, U).
        weights: user weights (..., U), or None for ones.
    """
    n_sites, _ = inputs.check_shapes(ctr, weights)
    inputs.check_decisions(z, n_sites)
    rates, users = _instance(ctr, weights, z)
    z_ = to_tensor(z, "z", rates.device)
    broadcast_rows(z=tuple(z_.shape[:-1]), ctr=tuple(rates.shape[:-2]), weights=tuple(users.shape[:-1]))
    out = tensors.value(z_, rates, users)

    def explain() -> None:
        inputs.decisions(z_.detach().cpu(), n_sites)
        _explain(rates, users)

    require(_is_valid(rates, users) & tensors.is_within(z_, -inputs.SLACK, 1 + inputs.SLACK), explain)
    return giver(*inputs.present(z, ctr, weights))(out)


def solve(
    ctr: Array, weights: Array | None, size: int, sign: float, method: str, limit: int
) -> tuple[Tensor, Tensor, str]:
    """Return zeros and ones (..., W), values (...) and the method used, as `budget.solve` does.

    Args:
        ctr: click rates (..., W, U).
        weights: user weights (..., U) or None.
        size: B, how many websites a subset has.
        sign: 1 for the best subset, -1 for the worst.
        method: "exact" or "greedy".
        limit: the largest number of subsets to enumerate.
    """
    rates, users = _instance(ctr, weights)
    n_sites, n_users = rates.shape[-2:]
    shape, _ = broadcast_rows(ctr=tuple(rates.shape[:-2]), weights=tuple(users.shape[:-1]))
    flat = rates.expand(*shape, n_sites, n_users).reshape(-1, n_sites, n_users)
    flat_users = users.expand(*shape, n_users).reshape(-1, n_users)
    if method == "greedy":
        chosen, values = tensors.greedy_subset(flat, flat_users, size)
    elif (n_subsets := math.comb(n_sites, size)) <= limit:
        method = "enumeration"
        chosen, values = tensors.extreme_subset(flat, flat_users, _subsets(n_sites, size, flat.device), sign)
    else:
        raise ValueError(
            f"expected at most {limit} subsets on {flat.device}, got {n_subsets} ({size} of {n_sites}); "
            f'branch and bound runs on the CPU: pass ctr.cpu(), or ask for method="greedy".'
        )
    z = tensors.mark(chosen, flat).reshape(*shape, n_sites)
    require(_is_valid(rates, users), lambda: _explain(rates, users))
    return z, values.reshape(shape), method


def shortfall(chosen: Array, best: Array, ctr: Array, weights: Array | None) -> Tensor:
    """Return value(best) − value(chosen), differentiable in ctr.

    Args:
        chosen: subsets (..., W) to compare.
        best: best subsets (..., W).
        ctr: true click rates (..., W, U).
        weights: user weights (..., U) or None.
    """
    rates, users = _instance(ctr, weights, chosen, best)
    broadcast_rows(ctr_hat=tuple(chosen.shape[:-1]), ctr=tuple(best.shape[:-1]))
    best_, chosen_ = to_tensor(best, "best", rates.device), to_tensor(chosen, "chosen", rates.device)
    return tensors.value(best_, rates, users) - tensors.value(chosen_, rates, users)


def project(z: Array, size: int) -> Array:
    """Return the projection of z (..., W) onto {0 ≤ z ≤ 1, Σz = size}."""
    z_ = to_tensor(z, "z", device_of(z))
    out = tensors.project(z_, float(size))
    require(z_.isfinite().all(), lambda: require_finite(z_.detach().cpu().numpy(), "z"))
    return giver(z)(out)


def relax(
    ctr: Array,
    weights: Array | None,
    start: Array | None,
    size: int,
    steps: int,
    lr: float,
    momentum: float,
) -> Array:
    """Return z (..., W) after projected gradient ascent.

    Args:
        ctr: click rates (..., W, U).
        weights: user weights (..., U), or None for ones.
        start: first point (..., W), or None for equal shares.
        size: B, the sum of z.
        steps: how many gradient steps.
        lr: step size.
        momentum: share of the last step that is repeated.
    """
    n_sites, _ = inputs.check_shapes(ctr, weights)
    rates, users = _instance(ctr, weights, start)
    first = np.full(n_sites, size / n_sites) if start is None else start
    start_ = to_tensor(first, "start", rates.device)
    broadcast_rows(
        ctr=tuple(rates.shape[:-2]), weights=tuple(users.shape[:-1]), start=tuple(start_.shape[:-1])
    )
    out = tensors.ascend(rates, users, start_, float(size), steps, lr, momentum)

    def explain() -> None:
        _explain(rates, users)
        require_finite(start_.detach().cpu().numpy(), "start")

    require(_is_valid(rates, users) & start_.isfinite().all(), explain)
    return giver(*inputs.present(ctr, weights, start))(out)


def _instance(ctr: Array, weights: Array | None, *others: Any) -> tuple[Tensor, Tensor]:
    device = device_of(ctr, weights, *others)
    rates = to_tensor(ctr, "ctr", device)
    if weights is None:
        return rates, torch.ones(rates.shape[-1], dtype=torch.float64, device=device)
    return rates, to_tensor(weights, "weights", device)


@lru_cache(maxsize=8)
def _subsets(n_sites: int, size: int, device: torch.device) -> Tensor:
    table = np.array(list(combinations(range(n_sites), size)), np.int64)
    return torch.from_numpy(table).to(device)


def _is_valid(ctr: Tensor, weights: Tensor) -> Tensor:
    largest = float(np.finfo(np.float64).max)
    return tensors.is_within(ctr, 0.0, 1.0) & tensors.is_within(weights, 0.0, largest)


def _explain(ctr: Tensor, weights: Tensor) -> None:
    inputs.rates(ctr.detach().cpu())
    inputs.user_weights(weights.detach().cpu(), weights.shape[-1])
