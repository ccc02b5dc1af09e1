"""What the built-in methods share: the seeds of a configuration train as one batch."""

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np

from ..method import Method, Predictor
from ..task import Task


class SeedBatched(Method):
    """A method written for a group of seeds; one seed is a group of one."""

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Train on one seed."""
        return self.fit_group([task], [rng])[0]

    @abstractmethod
    def fit_group(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Train the seeds together."""
