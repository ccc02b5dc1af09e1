"""Problems whose cost is linear in the outcome: a plugin gives the data and one solver."""

from abc import abstractmethod
from typing import ClassVar

from .arrays import A
from .problem import Context, Problem


class LinearProblem(Problem):
    """Choose z from a fixed set so that ⟨y, z⟩ is small, or large where `sign` is -1.

    Decisions have the shape of the outcome. The reference decision that normalizes regret is the worst one.
    """

    sign: ClassVar[float] = 1.0  # -1: y are values to earn, not costs to pay
    shows_relative_regret = True

    @abstractmethod
    def solve(self, costs: A) -> A:
        """Return the z with the smallest ⟨costs, z⟩, one for each leading index; NumPy or torch, as given."""

    def decide(self, y_hat: A, context: Context) -> A:
        """Return the best decision for predicted outcomes."""
        return self.solve(self.sign * y_hat)

    def cost(self, z: A, y: A, context: Context) -> A:
        """Return ⟨y, z⟩ with the sign that makes lower better."""
        return self.sign * (y * z).sum(-1)

    def embed(self, z: A, context: Context) -> A:
        """Return z with the sign of the cost."""
        return self.sign * z

    def worst(self, y: A, context: Context) -> A:
        """Return the worst decision under the true outcome."""
        return self.solve(-self.sign * y)
