"""Policies nobody trains: the lines a table is read against."""

import numpy as np

from .. import methods
from ..contracts.method import Reference
from ..contracts.problem import Problem
from ..contracts.split import Split
from ..contracts.task import Task


@methods.register("constant", version=1, family="reference")
class Constant(Reference):
    """The same prediction for everybody: the mean training label."""

    def predict(self, task: Task, split: Split, rng: np.random.Generator) -> np.ndarray:
        """Repeat the mean label."""
        return np.broadcast_to(task.train.y.mean(0), split.y.shape).copy()


@methods.register("random", version=1, family="reference")
class Random(Reference):
    """A training label drawn at random for every instance."""

    def predict(self, task: Task, split: Split, rng: np.random.Generator) -> np.ndarray:
        """Draw labels with replacement."""
        return task.train.y[rng.integers(0, len(task.train), len(split))]


@methods.register("truth", version=1, family="reference")
class Truth(Reference):
    """The outcome itself: zero regret by definition, a check of solver and scorer."""

    def predict(self, task: Task, split: Split, rng: np.random.Generator) -> np.ndarray:
        """Return the outcomes."""
        return split.y


@methods.register("floor", version=1, family="reference")
class Floor(Reference):
    """The best any policy could do: deciding with the true distribution of the outcome."""

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem without a known floor."""
        return None if problem.offers("floor") else f"{problem.name} has no known floor"

    def predict(self, task: Task, split: Split, rng: np.random.Generator) -> np.ndarray:
        """Return the problem's own floor."""
        floor = task.problem.floor(split)
        assert floor is not None, "see not_applicable"
        return floor
