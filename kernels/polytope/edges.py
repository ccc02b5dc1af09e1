"""The vertices at the other end of all edges from a vertex of a polytope."""

from typing import Any

import numpy as np
from scipy.linalg import null_space

from .constraints import Polytope
from .rays import extreme_rays

LIMIT = 20_000
"""More edges than these are refused; the matchings of ten with ten have 1,112,073 from each."""
TIGHT = 1e-7
"""A constraint is tight if it has no more room, in units of max(1, |right-hand side|)."""


def neighbours(polytope: Polytope, z: np.ndarray, *, changes: int | None = None) -> np.ndarray:
    """Return the vertices (k, n) that an edge joins with the vertex z (n,), degenerate or not.

    Args:
        polytope: the constraints; bounded along every edge.
        z: a vertex.
        changes: leave out edges along which more constraints become loose than this; None for all edges.
            For z of zeros and ones and without rows of G, these are the entries of z that change.

    Raises:
        ValueError: z is no vertex, or it has too many edges.
    """
    z = np.asarray(z, dtype=np.float64)
    cone = _Cone(polytope, z)
    most = len(cone.rows.T) if changes is None else changes
    rays, complete = extreme_rays(cone.rows, most, LIMIT)
    if not complete:
        raise ValueError(
            f"expected a vertex of no more than {LIMIT} edges, got more (changes={changes}); "
            "set changes, or lower it, to leave out the neighbours that differ most."
        )
    moves = cone.moves(rays)
    ends = z + _lengths(polytope, z, moves)[:, None] * moves
    return np.clip(ends, 0.0, polytope.upper)


class _Cone:
    """The directions in which a vertex can be left: v ≥ 0 of rows · v = 0.

    v are the ways from their bounds of the entries that are at one, then the room that tight rows of G get.
    The entries between their bounds follow.
    """

    def __init__(self, polytope: Polytope, z: np.ndarray) -> None:
        given: Any = polytope  # made ready: equal, at_most and upper are arrays
        (equal, _), (at_most, limits), upper = given.equal, given.at_most, given.upper
        allowed = TIGHT * np.maximum(1.0, np.abs(limits))
        tight = at_most[limits - at_most @ z <= allowed]
        high = upper - z <= TIGHT * np.maximum(1.0, np.where(np.isfinite(upper), upper, 0.0))
        self.free = ~high & (z > TIGHT)
        self.signs = np.where(high, -1.0, 1.0)[~self.free]
        rows = np.vstack([equal, tight])
        room = np.eye(len(rows))[:, len(equal) :]
        self.bound = np.hstack([rows[:, ~self.free] * self.signs, room])
        self.between = rows[:, self.free]
        self.rows = np.ascontiguousarray(self.bound)
        if self.free.any():
            if np.linalg.matrix_rank(self.between) < self.between.shape[1]:
                raise ValueError("expected z to be a vertex, but it can move both ways along a line.")
            self.rows = np.ascontiguousarray(null_space(self.between.T).T @ self.bound)

    def moves(self, rays: np.ndarray) -> np.ndarray:
        """Return the directions (k, n) of z for rays (k, m)."""
        out = np.empty((len(rays), len(self.free)))
        out[:, ~self.free] = self.signs * rays[:, : len(self.signs)]
        if self.free.any():
            out[:, self.free] = -np.linalg.lstsq(self.between, self.bound @ rays.T, rcond=None)[0].T
        return out


def _lengths(polytope: Polytope, z: np.ndarray, moves: np.ndarray) -> np.ndarray:
    """Return how far each move (k, n) goes until it meets a constraint, (k,)."""
    given: Any = polytope
    at_most, limits = given.at_most
    room = np.concatenate([limits - at_most @ z, z, given.upper - z])
    speed = np.hstack([moves @ at_most.T, -moves, moves])
    with np.errstate(divide="ignore", invalid="ignore"):
        lengths = np.where(speed > TIGHT, room / speed, np.inf).min(1)
    if not np.isfinite(lengths).all():
        raise ValueError("expected edges that end at a vertex, got one without end: give z upper bounds.")
    return lengths
