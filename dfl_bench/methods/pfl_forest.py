"""PFL with random forests in place of the problem's predictor, as in the SPO paper."""

import math
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from .. import methods
from ..contracts.checks import require_between, require_counts
from ..contracts.method import Method, Predictor
from ..contracts.problem import Problem
from ..contracts.task import Task
from ._regression import by_rows, regressors, responses


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestConfig:
    """The forest of the SPO paper's code: one for each output; a split looks at a third of the features."""

    trees: int = 100
    leaf: int = 5  # rows that a leaf has at least
    share: float = 0.7  # of the rows, drawn with replacement for each tree

    def __post_init__(self) -> None:
        require_counts(self, "trees", "leaf")
        require_between(self, 0.01, 1.0, "share")


@methods.register("pfl-forest", version=1, family="prediction")
class PFLForest(Method):
    """Random forests, one for each output; needs scikit-learn."""

    Config = ForestConfig

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse where scikit-learn is not installed."""
        if find_spec("sklearn") is not None:
            return None
        return (
            f"a forest for {problem.name} needs scikit-learn: pip install 'dfl-bench[forest]', "
            "and run again with --force"
        )

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Grow a forest for each output; the predictor's inner rows are rows of their own."""
        from sklearn.ensemble import RandomForestRegressor

        config = self.config
        with task.ledger.phase("train"):
            rows, outcomes = regressors(task.train.x), responses(task.train, task.problem)
            forests = [
                RandomForestRegressor(
                    config.trees,
                    max_features=math.ceil(rows.shape[1] / 3),
                    min_samples_leaf=config.leaf,
                    max_samples=config.share,
                    random_state=int(rng.integers(2**31)),
                ).fit(rows, y)
                for y in outcomes.T
            ]
        return by_rows(lambda rows: np.stack([f.predict(rows) for f in forests], axis=1), task.train)
