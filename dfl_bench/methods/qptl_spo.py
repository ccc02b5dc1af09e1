"""SPO+ over smoothed decisions: regret has no slope on the flat parts that smoothing leaves, SPO+ has one."""

from collections.abc import Callable

from torch import Tensor

from kernels.polytope import Polytope, smoothed

from .. import methods
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ..training.solutions import Solutions
from ._relaxed import constraints, sign_of
from .qptl import QPTL


def smoothed_spo_plus(
    costs_hat: Tensor, costs: Tensor, best: Tensor, polytope: Polytope, mu: float
) -> Tensor:
    """Return f(z*) - min f with f(z) = (2ĉ - c)·z + (μ/2)‖z‖²: (...), never negative.

    Its gradient is 2 (z* - z(2ĉ - c)), where z(.) is the smoothed decision.

    Args:
        costs_hat: ĉ, predicted costs (..., d).
        costs: c, true costs (..., d).
        best: z*, the best decisions under the true costs (..., d).
        polytope: all that can be decided.
        mu: weight of the square, positive.
    """
    q = 2 * costs_hat - costs
    z: Tensor = smoothed(q.detach(), polytope, mu)  # type: ignore[assignment]
    # By the theorem of Danskin the slope of a least cost needs no derivative of z.
    return (q * (best - z)).sum(-1) + mu / 2 * (best.square() - z.square()).sum(-1)


@methods.register("qptl-spo", version=1, family="smoothing")
class QPTLSPO(QPTL):
    """SPO+ with the smoothed decision of QPTL in the place of the best one (arXiv 2508.11365)."""

    def loss(self, batch: SeedBatch) -> Callable[[Tensor, Minibatch], Tensor]:
        """Return the bound in units of the cost."""
        polytope, sign, solutions = constraints(batch.problem), sign_of(batch.problem), Solutions(batch)

        def bound(y_hat: Tensor, rows: Minibatch) -> Tensor:
            batch.ledger.count(rows.y.shape[0] * rows.y.shape[1])
            scale, best = batch.scale_like(rows.y), solutions.decisions_of(rows)
            hat, true = (sign * y / scale for y in (keep_finite(y_hat, rows.y)[0], rows.y))
            return scale.squeeze(-1) * smoothed_spo_plus(hat, true, best, polytope, self.config.mu)

        return bound
