"""Who does what, when the cost of every pair is predicted."""

from dataclasses import dataclass

import numpy as np

from kernels import matching

from .. import problems
from ..contracts.arrays import A
from ..contracts.checks import require_counts
from ..contracts.polytope import Polytope
from ._polynomial import PolynomialConfig, PolynomialProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingConfig(PolynomialConfig):
    """How many are matched with how many."""

    size: int = 10

    def __post_init__(self) -> None:
        PolynomialConfig.__post_init__(self)
        require_counts(self, "size", least=2)


@problems.register("matching", version=1)
class Matching(PolynomialProblem):
    """Give each of n workers one of n jobs at the least total cost.

    Costs y (n·n,) are those of the first worker with every job, then of the second one, and so on.
    """

    Config = MatchingConfig
    provenance = "synthetic: costs of pairs that are a polynomial of the features, times uniform noise"
    sweeps = (*PolynomialProblem.sweeps, "size")
    config: MatchingConfig

    @property
    def n_costs(self) -> int:
        """One for each pair."""
        return self.config.size**2

    def solve(self, costs: A) -> A:
        """Return the pairs of the cheapest matching, zeros and ones."""
        n = self.config.size
        square = costs.reshape(*costs.shape[:-1], n, n)
        return matching.best_matching(square).reshape(costs.shape)  # type: ignore[return-value]

    def polytope(self) -> Polytope:
        """Return the doubly stochastic matrices; every vertex is a matching."""
        n = self.config.size
        one = np.eye(n)
        sums = np.concatenate([np.kron(one, np.ones(n)), np.kron(np.ones(n), one)])
        # The last column follows from the rest.
        return Polytope(equal=(sums[:-1], np.ones(2 * n - 1)), upper=np.ones(n * n))
