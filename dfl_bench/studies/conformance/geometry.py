"""The losses of family "geometry": angles to cones, and gaps to the vertices next to the best one."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
import torch
from scipy.optimize import nnls
from torch import Tensor

from kernels import shortest_path
from kernels.polytope import normals, project_cone

from ...methods._relaxed import best_vertices, constraints, sign_of
from ...methods.cave import STEPS, alignment, inwards
from ...methods.lava import Edges, adjacent_vertex
from ._cases import Case, case
from ._compare import (
    Loss,
    Maker,
    with_differences,
    with_itself,
    with_mirror,
    with_pyepo,
    with_rows,
    with_values,
)
from .bound import all_paths
from .check import Check

MARGIN = 0.1


def of_cone(variant: str) -> Maker:
    """Return the maker of CaVE's loss: "exact", "plus", or "mean" for what "hybrid" does mostly."""

    def make(given: Case) -> Loss:
        vectors, tight = _cone(given)
        units = torch.nn.functional.normalize(torch.as_tensor(vectors.matrix), dim=-1)
        sign, steps = sign_of(given.problem), None if variant == "exact" else STEPS

        def loss(y_hat: Tensor) -> Tensor:
            q = -sign * y_hat
            if variant == "mean":
                return alignment(q, inwards(q.detach(), units, tight))
            return alignment(q, project_cone(q.detach(), vectors, tight, steps=steps))  # type: ignore[arg-type]

        return loss

    return make


def by_nnls(given: Case) -> Tensor:
    """Return CaVE's loss row by row, (n,), with the nearest point by SciPy's non-negative least squares."""
    vectors, tight = _cone(given)
    rows = []
    for q, mask in zip(-sign_of(given.problem) * given.y_hat.numpy(), tight.numpy(), strict=True):
        cone = vectors.matrix[mask]
        p = nnls(cone.T, q)[0] @ cone
        rows.append(1 - q @ p / np.linalg.norm(q) / np.linalg.norm(p))
    return torch.tensor(rows, dtype=torch.float64)


def of_edges(changes: int | None = None) -> Maker:
    """Return the maker of LAVA's loss; edges are those of the whole case."""

    def make(given: Case) -> Loss:
        edges = Edges(constraints(given.problem), best_vertices(given.problem, given.y), changes)
        rows, sign = edges.of(None), sign_of(given.problem)
        return lambda y_hat: adjacent_vertex(sign * y_hat / given.scale, *rows, MARGIN)

    return make


def by_loops(given: Case, vertices: list[list[float]], adjacent: Any) -> Tensor:
    """Return LAVA's loss row by row, (n,).

    Args:
        given: rows of a problem.
        vertices: all decisions.
        adjacent: function of two decisions: whether an edge joins them.
    """
    sign, rows = sign_of(given.problem), []
    for y_hat, z in zip((given.y_hat / given.scale).tolist(), given.best.tolist(), strict=True):
        gaps = [
            sum(sign * c * (a - b) for c, a, b in zip(y_hat, z, v, strict=True))
            for v in vertices
            if adjacent(z, v)
        ]
        rows.append(sum(max(gap, -MARGIN) for gap in gaps) / len(gaps))
    return torch.tensor(rows, dtype=torch.float64)


def one_cycle(arcs: list[tuple[int, int]]) -> Callable[[list[float], list[float]], bool]:
    """Return the function that says whether the arcs in which two decisions differ are one cycle.

    That is so if each of their nodes has two of them, whatever their directions, and all hang together.
    """

    def is_cycle(z: list[float], v: list[float]) -> bool:
        left = [arc for arc, a, b in zip(arcs, z, v, strict=True) if a != b]
        ends = [node for arc in left for node in arc]
        reached = set(ends[:1])
        while meeting := [arc for arc in left if reached & set(arc)]:
            reached |= {node for arc in meeting for node in arc}
            left = [arc for arc in left if arc not in meeting]
        return bool(reached) and not left and all(ends.count(node) == 2 for node in reached)

    return is_cycle


def checks() -> Iterator[Check]:
    """Yield the checks of both methods."""
    path = case("shortest-path", "shortest path 3 × 3", side=3, degree=4)
    sack = case("knapsack", "knapsack, 8 items, relaxed", items=8, capacity=15.0, degree=2)
    for given in (path, sack):
        yield from _of_cave(given)
        yield with_mirror("lava", given, of_edges())
        yield from with_itself("lava", given, of_edges())
    yield from _of_lava(path)


def _of_cave(given: Case) -> Iterator[Check]:
    rows = {
        variant: replace(given, label=f"{given.label}, {variant}") for variant in ("exact", "plus", "mean")
    }
    exact = rows["exact"]
    yield with_values("cave", exact, of_cone("exact"), "SciPy's nnls", by_nnls(given), 1e-9)
    # The slope of the nearest point adds nothing to that of the angle.
    yield with_differences("cave", exact, of_cone("exact"), of_cone("exact"))
    for variant, labelled in rows.items():
        yield with_mirror("cave", labelled, of_cone(variant))
        yield with_rows("cave", labelled, of_cone(variant))
    # PyEPO needs Gurobi to find normals, so it is given ours. Its nearest point is in float32. After three
    # steps two interior points stand at two points, which cannot be compared.
    for variant, ratio, tolerance in (("exact", 1.0, 1e-5), ("mean", 0.0, 1e-12)):
        yield with_pyepo(
            "cave", rows[variant], of_cone(variant), "coneAlignedCosine", _normals,
            tolerance=tolerance, max_iter=200, solve_ratio=ratio,
        )  # fmt: skip


def _normals(given: Case) -> tuple[Tensor]:
    """Return the tight normals as PyEPO takes them, (n, k, d): rows of zeros count for nothing."""
    vectors, tight = _cone(given)
    return (torch.as_tensor(vectors.matrix) * tight.unsqueeze(-1),)


def _of_lava(path: Case) -> Iterator[Check]:
    arcs = [(int(a), int(b)) for a, b in shortest_path.arcs(3, 3)]
    expected = by_loops(path, all_paths(3, 3).tolist(), one_cycle(arcs))
    yield with_values("lava", path, of_edges(), "paths that differ by one cycle", expected)
    few = case("top-k", "2 of 6 items", items=6, k=2)
    choices = [[float(i in chosen) for i in range(6)] for chosen in combinations(range(6), 2)]
    swapped = lambda z, v: sum(a != b for a, b in zip(z, v, strict=True)) == 2  # noqa: E731
    yield with_values("lava", few, of_edges(), "choices that swap two items", by_loops(few, choices, swapped))
    pairs = case("matching", "matching 4 × 4", size=4, degree=4)
    matchings = [[float(j == p[i]) for i in range(4) for j in range(4)] for p in permutations(range(4))]
    expected = by_loops(pairs, matchings, one_cycle([(i, 4 + j) for i in range(4) for j in range(4)]))
    yield with_values("lava", pairs, of_edges(), "matchings that differ by one cycle", expected)


def _cone(given: Case) -> tuple[Any, Any]:
    """Return the normals of a case, and which of them are tight in each row."""
    return normals(constraints(given.problem), best_vertices(given.problem, given.y))
