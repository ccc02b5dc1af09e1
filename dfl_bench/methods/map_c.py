"""MAP_c: MAP under what predicted costs differ from true ones."""

from torch import Tensor

from .. import methods
from ._pool import Offer, Pooled
from .map import largest_gap


@methods.register("map-c", version=1, family="contrast and rank")
class MAPc(Pooled):
    """MAP under predicted less true costs: zero at the truth, never negative (Mulamba et al. 2021)."""

    survey = {
        "shortest-path": {
            1: {"learning_rate": 0.1},
            2: {"learning_rate": 0.1},
            4: {"learning_rate": 1.0},
            6: {"learning_rate": 1.0},
            8: {"learning_rate": 1.0},
        }
    }

    def loss(self, offer: Offer) -> Tensor:
        """Return the gap under cost differences."""
        costs = offer.difference
        return largest_gap(offer.of_best(costs), costs)
