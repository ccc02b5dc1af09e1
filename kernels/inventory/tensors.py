"""Inventory kernels on tensors of any device: the mathematics of `compiled`, vectorised over rows.

Nothing here reads a value on the host. `order` and `cost` carry gradients; the gradient of `order` is the
implicit derivative, because off the kinks the order is an explicit smooth function of p.

Arguments: p, p_hat and y (..., K), z (...), demand (K,) on the same device, costs (six numbers).
"""

import torch
from torch import Tensor

from .inputs import Costs


def is_valid(p: Tensor, tolerance: float) -> Tensor:
    """Return a 0-d bool tensor: all entries finite and non-negative, all sums within tolerance of one."""
    return ((p >= 0).all(-1) & ((p.sum(-1) - 1).abs() <= tolerance)).all()


def order(p: Tensor, demand: Tensor, costs: Costs) -> Tensor:
    """Return the smallest minimizer: p (..., K), demand (K,) -> (...).

    Args:
        p: probabilities of the demands (..., K).
        demand: the possible demands (K,), on the device of the other tensors.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
    """
    left, length, gain, curvature = _segments(p, demand, costs)
    inside = (gain > 0) & (gain < curvature * length)
    # The inner `where` keeps 0/0 out of the backward pass.
    step = torch.where(inside, gain / torch.where(inside, curvature, 1.0), length)
    return torch.where(gain > 0, left + step, 0.0).max(-1).values


def lowest_order(weights: Tensor, demand: Tensor, costs: Costs) -> tuple[Tensor, Tensor]:
    """Return the first order of least cost in [0, last demand] under weights of any sign.

    Args:
        weights: one of any sign for each demand (..., K).
        demand: the possible demands (K,), on the device of the other tensors.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.

    Returns:
        Orders (...) without a gradient, and a 0-d bool tensor: all costs that were compared are finite.
    """
    weights = weights.detach()
    left, length, gain, curvature = _segments(weights, demand, costs)
    inside = (gain > 0) & (gain < curvature * length)
    step = torch.where(inside, gain / torch.where(inside, curvature, 1.0), 0.0)
    rise = ((0.5 * curvature * length - gain) * length).cumsum(-1)
    start = torch.cat([torch.zeros_like(rise[..., :1]), rise[..., :-1]], -1)
    # Above the cost of no order, for each segment: at its point of slope zero, or left end, and at its end.
    heights = torch.stack([start - 0.5 * gain * step, rise], -1).flatten(-2)
    places = torch.stack([left + step, demand.expand_as(step)], -1).flatten(-2)
    lowest = heights.min(-1, keepdim=True).values
    first = torch.where(heights <= lowest, places, torch.inf).amin(-1)
    return torch.where(lowest.squeeze(-1) < 0, first, 0.0), heights.isfinite().all()


def _segments(p: Tensor, demand: Tensor, costs: Costs) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Left ends and lengths (K,) of the segments; at each left end the negated slope (..., K); curvatures."""
    c0, q0, cb, qb, ch, qh = costs
    left = torch.cat([torch.zeros_like(demand[:1]), demand[:-1]])
    gap = demand[:, None] - left  # demand k seen from the left end of segment j
    ahead = demand[:, None] >= demand
    gain = p @ torch.where(ahead, cb + qb * gap, qh * gap - ch) - (c0 + q0 * left)
    return left, demand - left, gain, q0 + p @ torch.where(ahead, qb, qh).to(p)


def cost(z: Tensor, p: Tensor, demand: Tensor, costs: Costs) -> Tensor:
    """Return the expected cost: z (...), p (..., K) -> (...).

    Args:
        z: orders (...).
        p: probabilities of the demands (..., K).
        demand: the possible demands (K,), on the device of the other tensors.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
    """
    c0, q0, cb, qb, ch, qh = costs
    short = (demand - z[..., None]).clamp(min=0)
    over = (z[..., None] - demand).clamp(min=0)
    uncertain = (cb + 0.5 * qb * short) * short + (ch + 0.5 * qh * over) * over
    return z * (c0 + 0.5 * q0 * z) + (p * uncertain).sum(-1)


def regret(p_hat: Tensor, y: Tensor, demand: Tensor, costs: Costs) -> Tensor:
    """Return cost(order(p_hat); y) − cost(order(y); y): (..., K), (..., K) -> (...).

    Args:
        p_hat: predicted probabilities (..., K).
        y: true probabilities (..., K).
        demand: the possible demands (K,), on the device of the other tensors.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
    """
    decided = cost(order(p_hat, demand, costs), y, demand, costs)
    return decided - cost(order(y, demand, costs), y, demand, costs)


def derivative(p: Tensor, demand: Tensor, costs: Costs) -> Tensor:
    """Return ∂z/∂p (..., K), zero on a kink and at zero.

    Args:
        p: probabilities of the demands (..., K).
        demand: the possible demands (K,), on the device of the other tensors.
        costs: c0, q0, cb, qb, ch and qh: linear and quadratic costs of ordering, of shortage and of stock.
    """
    _, q0, cb, qb, ch, qh = costs
    z = order(p, demand, costs)[..., None]
    smooth = (z > 0) & (z != demand).all(-1, keepdim=True)
    short = z < demand
    marginal = torch.where(short, -cb - qb * (demand - z), ch + qh * (z - demand))
    curvature = q0 + (p * torch.where(short, qb, qh)).sum(-1, keepdim=True)
    return torch.where(smooth, -marginal / torch.where(smooth, curvature, 1.0), 0.0)
