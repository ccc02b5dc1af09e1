"""What is compared of methods that put a gradient in the place of the solver's."""

from collections.abc import Callable

from torch import Tensor

from ...methods._decision_loss import Truth
from ...methods._interpolation import solve
from ._cases import Case
from ._compare import Loss, Maker

SHIFT = {"regret": 0.3, "distance": 8.0}  # λ by task loss, in label scales: both change some decisions
TASKS: dict[str, Callable[[Case, Tensor], Tensor]] = {  # of decisions (n, D), as in PyEPO's examples
    "squared": lambda given, w: (w - given.best).square().mean(-1),
    "distance": lambda given, w: (w - given.best).abs().mean(-1),
    "regret": lambda given, w: given.problem.cost_under(w - given.best, given.y, given.context),
}


def truth_of(given: Case) -> Truth:
    """Return what a loss compares with."""
    return Truth(given.y, given.best, given.context)


def shift_of(given: Case, task_loss: str) -> Tensor | float:
    """Return λ: along a distance it is in units of y, along the regret it has none."""
    return SHIFT[task_loss] if task_loss == "regret" else SHIFT[task_loss] * given.scale


def interpolated(task_loss: str, points: Callable[[Case, Tensor], Tensor]) -> Maker:
    """Return the maker of mean_m [min_z {f(z; ỹ_m) + λ⟨g, w⟩} - min_z f(z; ỹ_m)] / λ.

    Its gradient is what I-MLE and DBB claim to have. The regret has the known part of the cost in it, too.

    Args:
        task_loss: "regret" or "distance".
        points: case and predictions to ỹ (draws, n, D).
    """

    def make(given: Case) -> Loss:
        problem, context, shift = given.problem, given.context, shift_of(given, task_loss)
        share = 1.0 + SHIFT[task_loss] if task_loss == "regret" else 1.0

        def least(at: Tensor) -> Tensor:
            return problem.cost_under(problem.lowest(at, context), at, context)

        def loss(y_hat: Tensor) -> Tensor:
            point = points(given, y_hat)
            moved = (point + shift * solve(problem, point, truth_of(given), task_loss).slope) / share
            return ((share * least(moved) - least(point)) / shift).mean(0)

        return loss

    return make
