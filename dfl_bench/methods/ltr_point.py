"""Pointwise learning to rank: the cost of every decision in a pool is to be met."""

from torch import Tensor

from .. import methods
from ._pool import Offer, Pooled


def pointwise(difference: Tensor) -> Tensor:
    """Return mean_v (f(v; ŷ) - f(v; y))² of cost differences (..., P) -> (...)."""
    return difference.square().mean(-1)


@methods.register("ltr-point", version=1, family="contrast and rank")
class LTRPoint(Pooled):
    """Squared error of the costs of all decisions in a pool (Mandi et al. 2022)."""

    def loss(self, offer: Offer) -> Tensor:
        """Return the mean squared error of costs."""
        return pointwise(offer.difference)
