"""NCE_c: NCE under what predicted costs differ from true ones."""

from torch import Tensor

from .. import methods
from ._pool import Offer, Pooled
from .nce import mean_gap


@methods.register("nce-c", version=1, family="contrast and rank")
class NCEc(Pooled):
    """NCE under predicted less true costs: its gradient is that of NCE (Mulamba et al. 2021)."""

    def loss(self, offer: Offer) -> Tensor:
        """Return the mean gap under cost differences."""
        costs = offer.difference
        return mean_gap(offer.of_best(costs), costs)
