"""The outward normals of a polytope's constraints, made ready for projections on the cones that they span."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.linalg import qr

from . import presolve


class Split(NamedTuple):
    """Space as lines, where both signs of a normal count, and the rest, where rays live."""

    lines: np.ndarray
    """(n, r), orthonormal."""
    rest: np.ndarray
    """(n, d), orthonormal, r + d = n."""
    rays: np.ndarray
    """(k, d), the other normals in coordinates of rest, of length one; zero for those along a line."""
    gram: np.ndarray
    """(k, k), products of rays."""


class Normals:
    """Vectors whose non-negative combinations are a cone; of some of them both signs count always.

    Attributes:
        matrix: (k, n). Of a polytope: A, −A, G, −1 for each lower and 1 for each finite upper bound.
        n_lines: the rows 0 to n_lines of matrix are equalities, and the next n_lines are their negatives.
    """

    def __init__(self, matrix: np.ndarray, n_lines: int = 0):
        self.matrix, self.n_lines = matrix, n_lines

    def __len__(self) -> int:
        return len(self.matrix)

    @cached_property
    def split(self) -> Split:
        """The parts of the space, found once."""
        others = self.matrix[2 * self.n_lines :]
        lines, rest = _halves(self.matrix[: self.n_lines])
        rays = others @ rest
        lengths = np.linalg.norm(rays, axis=1, keepdims=True)
        counts = lengths > presolve.NEW * np.linalg.norm(others, axis=1, keepdims=True)
        rays = np.where(counts, rays / np.where(counts, lengths, 1.0), 0.0)
        return Split(lines, rest, rays, rays @ rays.T)


def _halves(equal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return orthonormal bases (n, r), (n, d) of what the equalities span and of the rest."""
    n = equal.shape[1]
    if not equal.any():
        return np.zeros((n, 0)), np.eye(n)
    lengths = np.linalg.norm(equal, axis=1, keepdims=True)
    square, triangle, _ = qr((equal / np.where(lengths > 0, lengths, 1.0)).T, pivoting=True)
    rank = int((abs(triangle.diagonal()) > presolve.NEW).sum())
    return np.ascontiguousarray(square[:, :rank]), np.ascontiguousarray(square[:, rank:])
