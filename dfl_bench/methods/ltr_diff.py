"""Pairwise differences: by how much the best decision is cheaper than each other one is to be met."""

from torch import Tensor

from .. import methods
from ._pool import Offer, Pooled


def pairwise_difference(of_best: Tensor, of_pool: Tensor) -> Tensor:
    """Return the mean over all v but the best one of (d(z*) - d(v))².

    Args:
        of_best: d(z*) (...), where d(v) = f(v; ŷ) - f(v; y).
        of_pool: d(v) (..., P) of a pool that the best decisions are in.
    """
    squares = (of_best.unsqueeze(-1) - of_pool).square()
    return squares.sum(-1) / max(of_pool.shape[-1] - 1, 1)  # a best one beside itself adds nothing


@methods.register("ltr-diff", version=1, family="contrast and rank")
class LTRDiff(Pooled):
    """Squared error of cost differences between the best decision and a pool (Mandi et al. 2022)."""

    survey = {
        "shortest-path": {
            1: {"learning_rate": 0.1},
            2: {"learning_rate": 0.1},
            4: {"learning_rate": 0.5},
            6: {"learning_rate": 0.1},
            8: {"learning_rate": 1.0},
        }
    }

    def loss(self, offer: Offer) -> Tensor:
        """Return the mean squared error of differences."""
        costs = offer.difference
        return pairwise_difference(offer.of_best(costs), costs)
