"""Listwise learning to rank: the predicted ranking of a pool is to be the true one."""

from dataclasses import dataclass

from torch import Tensor

from .. import methods
from ..contracts.checks import require_positive
from ..contracts.search_space import Range
from ._pool import Offer, PoolConfig, Pooled


@dataclass(frozen=True, slots=True, kw_only=True)
class ListConfig(PoolConfig):
    """How far costs are apart for a decision to count as worse, in label scales."""

    temperature: float = 1.0

    def __post_init__(self) -> None:
        PoolConfig.__post_init__(self)
        require_positive(self, "temperature")


def listwise(predicted: Tensor, true: Tensor, temperature: Tensor | float = 1.0) -> Tensor:
    """Return -Σ_v P(v; y) log P(v; ŷ), where P(v; .) is proportional to exp(-f(v; .) / temperature).

    Args:
        predicted: costs (..., P) of a pool under the predictions.
        true: the same under the outcomes.
        temperature: positive, in units of costs.
    """
    wanted = (-true / temperature).softmax(-1)
    return -(wanted * (-predicted / temperature).log_softmax(-1)).sum(-1)


@methods.register("ltr-list", version=1, family="contrast and rank")
class LTRList(Pooled):
    """Cross-entropy of the predicted against the true ranking of a pool (Mandi et al. 2022)."""

    Config = ListConfig
    search = {**Pooled.search, "temperature": Range(1e-2, 1e2)}
    survey = {
        "shortest-path": {
            1: {"learning_rate": 0.1, "temperature": 0.1},
            2: {"learning_rate": 0.1, "temperature": 0.1},
            4: {"learning_rate": 1.0, "temperature": 0.1},
            6: {"learning_rate": 0.1, "temperature": 1.0},
            8: {"learning_rate": 1.0, "temperature": 1.0},
        }
    }

    def loss(self, offer: Offer) -> Tensor:
        """Return the cross-entropy of rankings."""
        return listwise(offer.predicted, offer.true, self.config.temperature * offer.scale)
