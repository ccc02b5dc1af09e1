"""SPO+: a convex bound on the regret where the cost is linear in the outcome."""

from collections.abc import Callable

from torch import Tensor

from .. import methods
from ..contracts.problem import Context, Problem
from ..training.seed_batch import Minibatch, SeedBatch
from ..training.solutions import Solutions
from ._bound import Bound
from .map import largest_gap


def spo_plus(problem: Problem, y_hat: Tensor, y: Tensor, best: Tensor, context: Context) -> Tensor:
    """Return f(z*; 2ŷ - y) - min_v f(v; 2ŷ - y), with the subgradient 2 (φ(z*) - φ(v)) in ŷ.

    Args:
        problem: one with `embed`.
        y_hat: predictions (..., *targets).
        y: outcomes (..., *targets).
        best: the best decisions under the outcomes.
        context: what belongs to each instance, by name.
    """
    weights = 2 * y_hat - y
    other = problem.lowest(weights.detach(), context)
    of_other = problem.cost_under(other, weights, context)
    return largest_gap(problem.cost_under(best, weights, context), of_other.unsqueeze(-1))


@methods.register("spo-plus", version=1, family="upper bound")
class SPOPlus(Bound):
    """SPO+: a bound on the regret, convex in the prediction (Elmachtoub and Grigas 2022)."""

    survey = {
        "shortest-path": {
            1: {"learning_rate": 0.01},
            2: {"learning_rate": 0.05},
            4: {"learning_rate": 0.1},
            6: {"learning_rate": 1.0},
            8: {"learning_rate": 1.0},
        }
    }

    def loss(self, batch: SeedBatch) -> Callable[[Tensor, Minibatch], Tensor]:
        """Return the bound; the outcomes are solved once, 2ŷ - y at every step."""
        problem, solutions = batch.problem.in_training, Solutions(batch)

        def bound(y_hat: Tensor, rows: Minibatch) -> Tensor:
            best, of_best = solutions.of(rows)
            batch.ledger.count(of_best.numel())
            return spo_plus(problem, y_hat, rows.y, best, rows.context)

        return bound
