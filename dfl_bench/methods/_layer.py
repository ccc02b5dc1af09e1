"""What the methods share that train through a smooth decision instead of the best one."""

from abc import abstractmethod
from collections.abc import Callable

from torch import Tensor

from ..contracts.problem import Problem
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ..training.solutions import Solutions
from ._bound import Bound
from ._relaxed import without_polytope

Layer = Callable[[Tensor], Tensor]


class Layered(Bound):
    """The loss: what the smooth decision costs under the outcome, differentiated through the layer.

    Test rows are decided by the exact solver, as for all methods.
    """

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem whose decisions are no vertices of a linear program."""
        return without_polytope(problem)

    @abstractmethod
    def layer(self, problem: Problem) -> Layer:
        """Return the function from predictions (..., *targets) in label scales to smooth decisions."""

    def loss(self, batch: SeedBatch) -> Callable[[Tensor, Minibatch], Tensor]:
        """Return the regret of the smooth decision, negative where a relaxation beats all decisions."""
        problem, layer, solutions = batch.problem.in_training, self.layer(batch.problem), Solutions(batch)

        def regret(y_hat: Tensor, rows: Minibatch) -> Tensor:
            batch.ledger.count(rows.y.shape[0] * rows.y.shape[1])
            z = layer(keep_finite(y_hat, rows.y)[0] / batch.scale_like(rows.y))
            return problem.cost(z, rows.y, rows.context) - solutions.of(rows)[1]

        return regret
