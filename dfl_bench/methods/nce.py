"""NCE: the best decision against the mean of a pool."""

from torch import Tensor

from .. import methods
from ._pool import Offer, Pooled


def mean_gap(of_best: Tensor, of_pool: Tensor) -> Tensor:
    """Return mean_v [f(z*) - f(v)]: costs (...) of the best decisions and (..., P) of a pool -> (...)."""
    return of_best - of_pool.mean(-1)


@methods.register("nce", version=1, family="contrast and rank")
class NCE(Pooled):
    """NCE: predicted cost of the best decision less the mean one in a pool (Mulamba et al. 2021).

    Without a bound below where the output of the predictor has none: a fit ends by its steps, or diverges.
    """

    def loss(self, offer: Offer) -> Tensor:
        """Return the mean gap under predicted costs."""
        costs = offer.predicted
        return mean_gap(offer.of_best(costs), costs)
