"""IntOpt: an interior-point path of the linear program, stopped before the vertex."""

from dataclasses import dataclass

from kernels.polytope import barrier

from .. import methods
from ..contracts.checks import require_between, require_choice, require_positive
from ..contracts.problem import Problem
from ..contracts.search_space import Choice, Range
from ..training.config import TrainingConfig
from ._layer import Layer, Layered
from ._relaxed import constraints, sign_of


@dataclass(frozen=True, slots=True, kw_only=True)
class IntOptConfig(TrainingConfig):
    """Where a path stops and how its derivative is damped; costs are in label scales."""

    stop: float = 0.1  # the duality measure of the homogeneous form that ends a path; it starts from 1
    damping: float = 1e-3  # added to the diagonal of the normal matrix
    form: str = "hsd"  # which conditions are differentiated; or "kkt"

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_positive(self, "stop")
        require_between(self, 0.0, 1e6, "damping")
        require_choice(self, "form", "hsd", "kkt")


@methods.register("intopt", version=1, family="smoothing")
class IntOpt(Layered):
    """Regret of a point on the interior-point path of the linear program (Mandi and Guns 2020)."""

    Config = IntOptConfig
    search = {
        **Layered.search,
        "stop": Range(1e-6, 1e1),
        "damping": Range(1e-6, 1e1),
        "form": Choice(("hsd", "kkt")),
    }
    # As printed; the public code ran another layer on these paths (docs/errata.md). Not those on electricity
    # prices: there a path is that of prices, not of prices in label scales.
    survey = {
        "shortest-path": {
            1: {"learning_rate": 0.1, "stop": 1e-3, "damping": 1.0},
            2: {"learning_rate": 0.1, "stop": 0.1, "damping": 0.01},
            4: {"learning_rate": 0.1, "stop": 1e-6, "damping": 0.1},
            6: {"learning_rate": 0.1, "stop": 1e-3, "damping": 1e-6},
            8: {"learning_rate": 0.1, "stop": 10.0, "damping": 1.0},
        }
    }

    def layer(self, problem: Problem) -> Layer:
        """Return where the path of the predicted costs stops."""
        polytope, sign, c = constraints(problem), sign_of(problem), self.config
        return lambda y_hat: barrier(sign * y_hat, polytope, c.stop, c.damping, form=c.form)  # type: ignore
