"""Pairwise learning to rank: the best decision is to be cheaper than each other one."""

from dataclasses import dataclass

from torch import Tensor

from .. import methods
from ..contracts.checks import require_between
from ..contracts.search_space import Range
from ._pool import Offer, PoolConfig, Pooled


@dataclass(frozen=True, slots=True, kw_only=True)
class PairConfig(PoolConfig):
    """By how much the best decision is to be cheaper, in label scales."""

    margin: float = 0.0

    def __post_init__(self) -> None:
        PoolConfig.__post_init__(self)
        require_between(self, 0.0, 1e9, "margin")


def pairwise(of_best: Tensor, of_pool: Tensor, margin: Tensor | float = 0.0) -> Tensor:
    """Return the mean over all v but the best one of [margin + f(z*; ŷ) - f(v; ŷ)]₊.

    Args:
        of_best: costs (...) of the best decisions under the predictions.
        of_pool: costs (..., P) of a pool that they are in.
        margin: by how much the best decision is to be cheaper.
    """
    hinges = (of_best.unsqueeze(-1) - of_pool + margin).relu()
    return (hinges.sum(-1) - margin) / max(of_pool.shape[-1] - 1, 1)  # a best one beside itself: the margin


@methods.register("ltr-pair", version=1, family="contrast and rank")
class LTRPair(Pooled):
    """A hinge for every decision in a pool that is predicted cheaper than the best (Mandi et al. 2022)."""

    Config = PairConfig
    search = {**Pooled.search, "margin": Range(1e-2, 1e2)}
    survey = {
        "shortest-path": {
            1: {"learning_rate": 1.0, "margin": 1.0},
            2: {"learning_rate": 0.1, "margin": 0.5},
            4: {"learning_rate": 0.1, "margin": 1.0},
            6: {"learning_rate": 1.0, "margin": 10.0},
            8: {"learning_rate": 1.0, "margin": 10.0},
        }
    }

    def loss(self, offer: Offer) -> Tensor:
        """Return the mean hinge under predicted costs."""
        costs = offer.predicted
        return pairwise(offer.of_best(costs), costs, self.config.margin * offer.scale)
