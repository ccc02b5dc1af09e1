"""SPO+: a convex bound on the regret where the cost is linear in the outcome."""

from torch import Tensor

from .. import methods
from ..contracts.problem import Context, Problem
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ..training.solutions import Solutions
from ._bound import Bound
from .map import largest_gap


def spo_plus(problem: Problem, y_hat: Tensor, y: Tensor, best: Tensor, context: Context) -> Tensor:
    """Return f(z*; 2ŷ - y) - min_v f(v; 2ŷ - y).

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


def spo_plus_gradient(problem: Problem, y_hat: Tensor, y: Tensor, best: Tensor, context: Context) -> Tensor:
    """Return the subgradient 2 (φ(z*) - φ(v)) of `spo_plus` in ŷ, with v the best decision under 2ŷ - y.

    Args:
        problem: one with `embed`.
        y_hat: predictions (..., *targets).
        y: outcomes (..., *targets).
        best: the best decisions under the outcomes.
        context: what belongs to each instance, by name.
    """
    other = problem.lowest(2 * y_hat - y, context)
    ours, theirs = problem.embed(best, context), problem.embed(other, context)
    assert ours is not None and theirs is not None, "see not_applicable"
    return 2 * (ours - theirs)


class SPOPlusLoss:
    """The bound and its gradient, so that a step needs no record of torch; 2ŷ - y is solved at every step."""

    def __init__(self, batch: SeedBatch) -> None:
        self._problem, self._ledger = batch.problem.in_training, batch.ledger
        self._solutions = Solutions(batch)

    def __call__(self, y_hat: Tensor, rows: Minibatch) -> Tensor:
        """Return the bound of each row, (S, n)."""
        return spo_plus(*self._given(y_hat, rows))

    def gradient(self, y_hat: Tensor, rows: Minibatch, weight: float) -> Tensor:
        """Return weight times the gradient of the bounds, of the shape of y_hat.

        Args:
            y_hat: predictions (S, n, *targets).
            rows: their training rows.
            weight: what the bound of one instance counts.
        """
        return weight * spo_plus_gradient(*self._given(y_hat, rows))

    def _given(self, y_hat: Tensor, rows: Minibatch) -> tuple[Problem, Tensor, Tensor, Tensor, Context]:
        finite, _ = keep_finite(y_hat, rows.y)
        self._ledger.count(rows.y.shape[0] * rows.y.shape[1])
        return self._problem, finite, rows.y, self._solutions.decisions_of(rows), rows.context


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

    def loss(self, batch: SeedBatch) -> SPOPlusLoss:
        """Return the bound; the outcomes are solved once."""
        return SPOPlusLoss(batch)
