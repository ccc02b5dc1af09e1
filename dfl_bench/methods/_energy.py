"""A distribution of decisions whose energy is their cost, and its integral by importance sampling."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from ..contracts.problem import Context, Problem

WIDTHS = (0.02, 0.05, 0.1)  # standard deviations of the mixture's parts, in ranges of the training decisions


def mixture_noise(rngs: Sequence[np.random.Generator], shape: tuple[int, ...]) -> Tensor:
    """Draw steps of the Gaussian mixture, (S, *shape); a part is chosen for all entries of a proposal.

    Args:
        rngs: one stream for each seed.
        shape: (blocks, n, M, *decision).
    """
    drawn = []
    for rng in rngs:
        width = rng.choice(WIDTHS, shape[:3]).reshape(*shape[:3], *[1] * (len(shape) - 3))
        drawn.append(width * rng.standard_normal(shape))
    return torch.from_numpy(np.stack(drawn))


def propose(problem: Problem, best: Tensor, noise: Tensor, unit: Tensor) -> tuple[Tensor, Tensor]:
    """Return decisions around the best ones (S, n, M, ...) and the logarithms of their weights (S, n, M).

    A decision that is one number is integrated over all decisions: weights are one over the density, and zero
    where a proposal is no decision. Else proposals are projected, where they have no density: all weights are
    one, and the integral is over the projected proposals.

    Args:
        problem: has `nearest_decision`.
        best: (S, n, ...).
        noise: (S, n, M, ...), in units of the range.
        unit: the range (S,).
    """
    raw = best.unsqueeze(2) + noise * unit.view(-1, *[1] * (noise.ndim - 1))
    z = problem.nearest_decision(raw)
    assert z is not None, "see not_applicable"
    if noise.ndim > 3:
        return z, torch.zeros_like(noise.flatten(3)[..., 0])
    log_density = mixture_log_density(noise) - unit.log().view(-1, 1, 1)
    return z, torch.where(z == raw, -log_density, -torch.inf)


def mixture_log_density(noise: Tensor) -> Tensor:
    """Return the logarithm of the density of the mixture, entry by entry."""
    widths = torch.tensor(WIDTHS, dtype=noise.dtype, device=noise.device)
    parts = -0.5 * (noise.unsqueeze(-1) / widths).square() - widths.log()
    return parts.logsumexp(-1) - math.log(len(WIDTHS) * math.sqrt(2.0 * math.pi))


def energies(problem: Problem, z: Tensor, y: Tensor, context: Context) -> Tensor:
    """Return what decisions (S, n, M, ...) cost under outcomes or predictions (S, n, *targets): (S, n, M).

    Args:
        problem: whose cost it is.
        z: decisions.
        y: outcomes, or predictions; where the cost is linear in them, any are admitted.
        context: of the instances, each (S, n, ...).
    """
    wide = {name: values.unsqueeze(2) for name, values in context.items()}
    if not problem.offers("embed"):
        return problem.cost(z, problem.project(y).unsqueeze(2), wide)
    return problem.cost_under(z, y.unsqueeze(2), wide)


def energy_loss(
    best: Tensor, predicted: Tensor, true: Tensor, log_weights: Tensor, kl_weight: float
) -> Tensor:
    """Return E(z*) + log Z + λ (Σ_m ω_m E(z_m) + log Z).

    The first two are minus the logarithm of the likelihood of z*, the others a divergence up to a constant.
    Z = mean_m w_m exp(-E(z_m)), and ω_m is proportional to w_m exp(-f(z_m)).

    Args:
        best: E of the best decisions by the prediction, (...).
        predicted: E of the proposals by the prediction, (..., M).
        true: f of the proposals by the outcome, (..., M).
        log_weights: log w, (..., M).
        kl_weight: λ.

    Returns:
        Losses (...).
    """
    log_z = (log_weights - predicted).logsumexp(-1) - math.log(predicted.shape[-1])
    share = (log_weights - true).softmax(-1)
    return best + log_z + kl_weight * ((share * predicted).sum(-1) + log_z)
