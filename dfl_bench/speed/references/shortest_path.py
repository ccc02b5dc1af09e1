"""Shortest paths on a square grid by NumPy, by a product with all paths, by Dijkstra and by PyEPO.

Arcs (a, 2) are pairs of nodes, numbered row by row; costs are (rows, a).
"""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np


def optima_by_numpy(costs: np.ndarray, arcs: np.ndarray) -> np.ndarray:
    """Return the cost (rows,) of the shortest paths: node after node from the last one, slow and obvious."""
    n_nodes = arcs.max() + 1
    to_go = np.full((len(costs), n_nodes), np.inf)
    to_go[:, -1] = 0.0
    for node in range(n_nodes - 2, -1, -1):
        ways = np.flatnonzero(arcs[:, 0] == node)
        to_go[:, node] = (costs[:, ways] + to_go[:, arcs[ways, 1]]).min(-1)
    return to_go[:, 0]


def all_paths(side: int, arcs: np.ndarray) -> np.ndarray:
    """Return every path as a column of zeros and ones, (a, paths)."""
    numbers = {(int(start), int(end)): k for k, (start, end) in enumerate(arcs)}
    columns = []
    for rights in combinations(range(2 * (side - 1)), side - 1):
        column, node = np.zeros(len(arcs)), 0
        for step in range(2 * (side - 1)):
            after = node + (1 if step in rights else side)
            column[numbers[node, after]] = 1.0
            node = after
        columns.append(column)
    return np.stack(columns, 1)


def ready_graphs(costs: np.ndarray, arcs: np.ndarray) -> list[Any]:
    """Return one SciPy graph for each row of costs."""
    from scipy.sparse import csr_array

    n_nodes = arcs.max() + 1
    return [csr_array((row, arcs.T), shape=(n_nodes, n_nodes)) for row in costs]


def optima_by_dijkstra(graphs: list[Any]) -> np.ndarray:
    """Return the cost (rows,) of the way to the last node; SciPy also finds the predecessors of all nodes."""
    from scipy.sparse.csgraph import dijkstra

    found = [dijkstra(graph, indices=0, return_predecessors=True) for graph in graphs]
    return np.array([distances[-1] for distances, _ in found])


def pyepo_model(side: int) -> Any:
    """Return PyEPO's model of the grid, solved by GLOP of OR-Tools."""
    # OR-Tools must be the first to load its HiGHS: after highspy, which cvxpy imports, it does not load.
    from ortools.linear_solver import pywraplp  # noqa: F401
    from pyepo.model.ort import shortestPathModel

    return shortestPathModel(grid=(side, side), solver="glop")


def paths_by_pyepo(side: int) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function from costs (rows, a) to paths (rows, a), one solve per row."""
    model = pyepo_model(side)

    def solve(costs: np.ndarray) -> np.ndarray:
        paths = []
        for row in costs:
            model.setObj(row)
            paths.append(model.solve()[0])
        return np.array(paths)

    return solve
