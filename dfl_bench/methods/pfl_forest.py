"""PFL with random forests in place of the problem's predictor, as in the SPO paper."""

import math
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

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
    leaf: int = 5  # rows that a leaf has at least; a row that was drawn twice counts twice
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
        if problem.predictor is not None:
            return f"{problem.name} has a predictor of the user's"
        if find_spec("sklearn") is not None:
            return None
        return (
            f"a forest for {problem.name} needs scikit-learn: pip install 'dfl-bench[forest]', "
            "and run again with --force"
        )

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Grow a forest for each output; the predictor's inner rows are rows of their own."""
        with task.ledger.phase("train"):
            # Trees compare in float32. What is given is finite and of one shape: to look at it again for
            # each of some thousand trees took three quarters of the time.
            rows, outcomes = regressors(task.train.x).astype(np.float32), responses(task.train, task.problem)
            with _unchecked():
                forests = [self._grow(rows, y, rng) for y in outcomes.T]

        def predict(rows: np.ndarray) -> np.ndarray:
            given = rows.astype(np.float32)
            return np.stack(
                [np.mean([tree.predict(given, check_input=False) for tree in trees], 0) for trees in forests],
                axis=1,
            )

        return by_rows(predict, task.train)

    def _grow(self, rows: np.ndarray, y: np.ndarray, rng: np.random.Generator) -> list[Any]:
        """Return the trees of one output, each grown on rows that are drawn here.

        A forest of scikit-learn counts a row that was drawn twice once where it asks for `leaf` rows, and its
        leaves are larger by two fifths. The paper's code (DecisionTree.jl) counts it twice.
        """
        from sklearn.tree import DecisionTreeRegressor

        size = int(self.config.share * len(rows))
        seeds = rng.integers(2**31, size=self.config.trees)
        trees = []
        for seed, drawn in zip(seeds, rng.integers(0, len(rows), (self.config.trees, size)), strict=True):
            features = math.ceil(rows.shape[1] / 3)
            tree = DecisionTreeRegressor(
                max_features=features, min_samples_leaf=self.config.leaf, random_state=int(seed)
            )
            trees.append(tree.fit(rows[drawn], y[drawn], check_input=False))
        return trees


def _unchecked() -> AbstractContextManager[None]:
    from sklearn import config_context

    return config_context(skip_parameter_validation=True)
