"""SPO+ over smoothed decisions: regret has no slope on the flat parts that smoothing leaves, SPO+ has one."""

from collections.abc import Callable

from torch import Tensor

from kernels.polytope import Polytope, smoothed

from .. import methods
from ..training.seed_batch import Minibatch, SeedBatch
from ..training.solutions import Solutions
from ._relaxed import constraints, in_label_scales, sign_of
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
            hat, true = (sign * in_label_scales(batch, y) for y in (y_hat, rows.y))
            value = smoothed_spo_plus(hat, true, solutions.of(rows)[0], polytope, self.config.mu)
            return batch.scale.unsqueeze(-1) * value

        return bound
