"""PG: the regret's slope as a difference of two least costs."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from .. import methods
from ..contracts.problem import Context, Problem
from ..contracts.search_space import Choice, Range
from ..training.config import TrainingConfig
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ._bound import Bound


@dataclass(frozen=True, slots=True, kw_only=True)
class PGConfig(TrainingConfig):
    """The step towards the outcome, as a share of the outcome itself: so it has no unit."""

    sigma: float = 0.1
    central: bool = False  # steps to both sides

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        if not 0.0 < self.sigma < 1.0:
            raise ValueError(f"expected sigma to be a number between 0 and 1, got {self.sigma!r}.")


def perturbation_gradient(
    problem: Problem, y_hat: Tensor, y: Tensor, context: Context, *, sigma: float = 0.1, central: bool = False
) -> Tensor:
    """Return [V(f(.; ŷ)) - V(f(.; ŷ) - σ f(.; y))] / σ, where V is the least cost over all decisions.

    Central: [V(f(.; ŷ) + σ f(.; y)) - V(f(.; ŷ) - σ f(.; y))] / 2σ. For σ to 0 both are f(z*(ŷ); y).

    Args:
        problem: one with `embed`.
        y_hat: predictions (..., *targets).
        y: outcomes (..., *targets).
        context: what belongs to each instance, by name.
        sigma: between 0 and 1.
        central: whether steps are taken to both sides.
    """
    below = _least(problem, y_hat - sigma * y, 1 - sigma, context)
    if central:
        return (_least(problem, y_hat + sigma * y, 1 + sigma, context) - below) / (2 * sigma)
    return (_least(problem, y_hat, 1.0, context) - below) / sigma


def _least(problem: Problem, weights: Tensor, share: float, context: Context) -> Tensor:
    """The least ⟨weights, φ(v)⟩ + share · known(v): share times that of the weights divided by it."""
    weights = weights / share
    v = problem.lowest(weights.detach(), context)
    return share * problem.cost_under(v, weights, context)


@methods.register("pg", version=1, family="upper bound")
class PG(Bound):
    """Perturbation gradient: a finite difference of least costs towards the outcome (Gupta, Huang 2024)."""

    Config = PGConfig
    search = {**Bound.search, "sigma": Range(1e-2, 0.9), "central": Choice((False, True))}

    def loss(self, batch: SeedBatch) -> Callable[[Tensor, Minibatch], Tensor]:
        """Return the difference; two least costs are solved at every step."""
        problem, config = batch.problem.in_training, self.config

        def difference(y_hat: Tensor, rows: Minibatch) -> Tensor:
            finite, _ = keep_finite(y_hat, rows.y)
            value = perturbation_gradient(
                problem, finite, rows.y, rows.context, sigma=config.sigma, central=config.central
            )
            batch.ledger.count(2 * value.numel())
            return value

        return difference
