"""The way through a grid whose travel times are predicted."""

from dataclasses import dataclass

import numpy as np

from kernels import shortest_path

from .. import problems
from ..contracts.arrays import A
from ..contracts.checks import require_counts
from ..contracts.polytope import Polytope
from ._polynomial import PolynomialConfig, PolynomialProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortestPathConfig(PolynomialConfig):
    """The grid has `side` × `side` nodes, unless height or width say otherwise."""

    side: int = 5
    height: int | None = None
    width: int | None = None

    def __post_init__(self) -> None:
        # super() without arguments is lost when slots=True makes a second class.
        PolynomialConfig.__post_init__(self)
        require_counts(self, "side", "height", "width")
        if self.grid == (1, 1):
            raise ValueError("expected a grid of two nodes or more, got one: there is no way to choose.")

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of nodes."""
        return self.height or self.side, self.width or self.side


@problems.register("shortest-path", version=1)
class ShortestPath(PolynomialProblem):
    """Go from the top left to the bottom right of a grid, to the right or down, in the least time.

    The problem of the SPO paper (Elmachtoub and Grigas 2022). A seed has the rows that PyEPO's
    `genData(n, features, grid, degree, noise, seed)` gives, and arcs in the same order: the arcs of a row to
    the right, then those down to the next row.
    """

    Config = ShortestPathConfig
    provenance = "synthetic: travel times that are a polynomial of the features, times uniform noise"
    sweeps = (*PolynomialProblem.sweeps, "side")
    config: ShortestPathConfig

    @property
    def n_costs(self) -> int:
        """One for each arc."""
        return shortest_path.n_arcs(*self.config.grid)

    def solve(self, costs: A) -> A:
        """Return the arcs of the shortest path, zeros and ones; costs may be negative."""
        return shortest_path.best_path(costs, *self.config.grid)  # type: ignore[return-value]

    def polytope(self) -> Polytope:
        """Return one unit of flow from the first node to the last; every vertex is a path."""
        height, width = self.config.grid
        arcs = shortest_path.arcs(height, width)
        balance = np.zeros((height * width, len(arcs)))
        balance[arcs[:, 0], np.arange(len(arcs))] = 1.0
        balance[arcs[:, 1], np.arange(len(arcs))] = -1.0
        supply = np.zeros(height * width)
        supply[0] = 1.0
        # The row of the last node follows from the others.
        return Polytope(equal=(balance[:-1], supply[:-1]), upper=np.ones(len(arcs)))
