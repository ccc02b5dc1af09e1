"""QPTL: a small quadratic term makes the decision of a linear program differentiable."""

from dataclasses import dataclass

from kernels.polytope import smoothed

from .. import methods
from ..contracts.checks import require_positive
from ..contracts.problem import Problem
from ..contracts.search_space import Range
from ..training.config import TrainingConfig
from ._layer import Layer, Layered
from ._relaxed import constraints, sign_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothedConfig(TrainingConfig):
    """The weight of the square, in label scales: so it means the same for costs of 1 and of 100."""

    mu: float = 0.1

    def __post_init__(self) -> None:
        # super() without arguments is lost when slots=True makes a second class.
        TrainingConfig.__post_init__(self)
        require_positive(self, "mu")


@methods.register("qptl", version=1, family="smoothing")
class QPTL(Layered):
    """Regret of the decision with least cost plus (μ/2)‖z‖² (Wilder et al. 2019)."""

    Config = SmoothedConfig
    search = {**Layered.search, "mu": Range(1e-2, 1e1)}

    def layer(self, problem: Problem) -> Layer:
        """Return the z of least c·z + (μ/2)‖z‖² over the polytope, solved to the KKT conditions."""
        polytope, sign, mu = constraints(problem), sign_of(problem), self.config.mu
        return lambda y_hat: smoothed(sign * y_hat, polytope, mu)  # type: ignore[return-value]
