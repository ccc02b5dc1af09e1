"""Shortest paths: a small grid against PyEPO, enumeration and a copy; a large one against SciPy."""

from collections.abc import Callable

import numpy as np

from kernels import shortest_path

from .. import inputs
from ..race import Contestant, Effort, Line, made_late, race
from ..references import shortest_path as references

ERROR = "excess over the cost of the shortest path, as a share"


def lines(effort: Effort) -> list[Line]:
    """Return two contests."""
    return _small(effort) + _large(effort)


def _small(effort: Effort) -> list[Line]:
    costs, arcs = inputs.arc_costs(effort.rows(100_000), 5), shortest_path.arcs(5, 5)
    columns = references.all_paths(5, arcs)
    error = _error(costs, arcs)
    entries = [
        Contestant(
            name="ours",
            run=lambda: shortest_path.best_path(costs, 5, 5),
            units=len(costs),
            error=lambda paths: error((paths * costs).sum(-1)),
        ),
        Contestant(
            name="PyEPO + GLOP (OR-Tools)",
            run=made_late(lambda: references.paths_by_pyepo(5), lambda solve: solve(costs[:200])),
            units=len(costs[:200]),
            error=lambda paths: error((paths * costs[:200]).sum(-1)),
            at_least=1_000,
            needs=("pyepo", "ortools"),
        ),
        Contestant(
            name="product with all 70 paths + argmin",
            run=lambda: (costs @ columns).argmin(-1),
            units=len(costs),
            error=lambda chosen: error((columns.T[chosen] * costs).sum(-1)),
            at_least=4,
        ),
        Contestant(name="copying inputs and outputs", run=_copy(costs), units=len(costs), at_most=1.5),
    ]
    return race(f"shortest path: 5 × 5, {len(costs):,} rows", "row", ERROR, entries, effort.repeats)


def _large(effort: Effort) -> list[Line]:
    costs, arcs = inputs.arc_costs(effort.rows(2_000), 30), shortest_path.arcs(30, 30)
    graphs = references.ready_graphs(costs[:50], arcs)
    error = _error(costs, arcs)
    entries = [
        Contestant(
            name="ours",
            run=lambda: shortest_path.best_path(costs, 30, 30),
            units=len(costs),
            error=lambda paths: error((paths * costs).sum(-1)),
        ),
        Contestant(
            name="SciPy's dijkstra, ready graphs",
            run=lambda: references.optima_by_dijkstra(graphs),
            units=len(graphs),
            error=error,
            at_least=15,
        ),
    ]
    return race(f"shortest path: 30 × 30, {len(costs):,} rows", "row", ERROR, entries, effort.repeats)


def _error(costs: np.ndarray, arcs: np.ndarray) -> Callable[[np.ndarray], float]:
    optima = references.optima_by_numpy(costs, arcs)
    return lambda paid: float((paid / optima[: len(paid)] - 1).max())


def _copy(costs: np.ndarray) -> Callable[[], None]:
    # Buffers that exist already: fresh pages would make the copy look several times slower.
    source, first, second = costs.copy(), np.zeros_like(costs), np.zeros_like(costs)

    def copy() -> None:
        np.copyto(first, costs)
        np.copyto(second, source)

    return copy
