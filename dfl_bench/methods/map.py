"""MAP: the best decision against the one that the prediction likes most."""

from torch import Tensor

from .. import methods
from ._pool import Offer, Pooled


def largest_gap(of_best: Tensor, of_others: Tensor) -> Tensor:
    """Return max_v [f(z*) - f(v)]: costs (...) of the best decisions and (..., P) of others -> (...).

    Under f(.; ŷ) this is MAP, under f(.; ŷ) - f(.; y) MAP_c, and under f(.; 2ŷ - y) with the least v of all
    decisions SPO+.
    """
    return of_best - of_others.min(-1).values


@methods.register("map", version=1, family="contrast and rank")
class MAP(Pooled):
    """MAP: predicted cost of the best decision less the least one in a pool (Mulamba et al. 2021)."""

    def loss(self, offer: Offer) -> Tensor:
        """Return the gap under predicted costs; it is zero at ŷ = 0, too."""
        costs = offer.predicted
        return largest_gap(offer.of_best(costs), costs)
