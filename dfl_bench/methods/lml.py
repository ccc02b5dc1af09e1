"""LML: the entropy of each share makes the choice of k among n smooth."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from .. import methods
from ..contracts.checks import require_positive
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..problems.budget import Budget
from ..training.config import TrainingConfig
from ._layer import Layer, Layered
from ._relaxed import sign_of, sum_of

HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyConfig(TrainingConfig):
    """The weight of the entropy, in label scales."""

    temperature: float = 1.0

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_positive(self, "temperature")


def lml(x: Tensor, k: int) -> Tensor:
    """Return the z (..., n) of least -x·z - Σ_i H(z_i), Σ z = k, 0 ≤ z ≤ 1; H is the binary entropy.

    It is σ(x + ν) with the ν for which the sum is k. With h = z (1 - z), a gradient g comes back as
    h ∘ (g - hᵀg / 1ᵀh).
    """
    if not 1 <= k < x.shape[-1]:
        raise ValueError(f"expected 1 <= k < {x.shape[-1]} items, got {k}.")
    fixed = x.detach()
    shift = _shift(fixed, k)
    z = torch.sigmoid(fixed + shift)
    h = z * (1 - z)
    slope = h / h.sum(-1, keepdim=True).clamp_min(torch.finfo(h.dtype).tiny)
    # The difference is zero; its slope is that of ν.
    return torch.sigmoid(x + shift - (slope * (x - fixed)).sum(-1, keepdim=True))


def _shift(x: Tensor, k: int) -> Tensor:
    """Return ν (..., 1) by halving an interval that holds it."""
    largest, margin = x.topk(k + 1).values, math.log(x.shape[-1])
    low, high = -largest[..., -2:-1] - margin, -largest[..., -1:] + margin
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        short = torch.sigmoid(x + middle).sum(-1, keepdim=True) < k
        low, high = torch.where(short, middle, low), torch.where(short, high, middle)
    return (low + high) / 2


@methods.register("lml", version=1, family="smoothing")
class LML(Layered):
    """Regret of a choice of k, smoothed by entropy (Amos et al. 2019); on budget a heuristic by row sums."""

    Config = EntropyConfig
    search = {**Layered.search, "temperature": Range(1e-2, 1e1)}

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse what is not a choice of k among n."""
        if isinstance(problem, Budget) or _chosen(problem) is not None:
            return None
        return f"the decisions of {problem.name} are not k of n items"

    def layer(self, problem: Problem) -> Layer:
        """Return the smooth choice; on budget of the websites with the largest sums of click rates."""
        score, k = _score(problem)
        return lambda y_hat: lml(score(y_hat) / self.config.temperature, k)


def _chosen(problem: Problem) -> int | None:
    """Return k where a decision is k of n items, else None."""
    total, given = sum_of(problem), problem.polytope()
    if total is None or given is None or total != round(total) or (given.upper != 1).any():
        return None
    return round(total)


def _score(problem: Problem) -> tuple[Callable[[Tensor], Tensor], int]:
    """Return how predictions are the worth of items, and how many of them are chosen."""
    if isinstance(problem, Budget):
        return lambda y_hat: y_hat.sum(-1), problem.config.budget
    k, sign = _chosen(problem), sign_of(problem)
    assert k is not None, "see not_applicable"
    return lambda y_hat: -sign * y_hat, k
