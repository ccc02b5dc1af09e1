"""The contract of a method."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from .problem import Problem
from .search_space import Choice, Range
from .split import Split
from .task import Task


class Predictor(Protocol):
    """A trained model: features (N, ...) to predictions (N, ...), NumPy both."""

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return the predictions for some rows."""


def is_regressor(predictor: Any) -> bool:
    """Return whether a predictor is one as scikit-learn has them: with `fit` and `predict`, no class."""
    return not isinstance(predictor, type) and all(
        callable(getattr(predictor, n, None)) for n in ("fit", "predict")
    )


@dataclass(frozen=True, slots=True)
class Empty:
    """The configuration of a method with nothing to configure."""


class Method(ABC):
    """A way to train a predictor. `fit` is the timed part; data, compilation and test scores are outside."""

    name: ClassVar[str]
    version: ClassVar[int]  # raised when a code change changes results, so that stale scores are never reused
    family: ClassVar[str]  # what kind of idea it is; suites name families, figures colour by them
    Config: ClassVar[type] = Empty  # a frozen dataclass; its defaults are the protocol `paper`

    paper: ClassVar[Mapping[str, Mapping[str, Any]]] = {}  # what `paper` changes on a problem, by its name
    search: ClassVar[Mapping[str, Range | Choice]] = {}  # what `tuned` may change
    # What `survey` changes: by problem, then by the value of the setting that the survey has varied.
    survey: ClassVar[Mapping[str, Mapping[Any, Mapping[str, Any]]]] = {}
    # Whether it predicts first and decides later, so that a regressor of scikit-learn can be its predictor.
    takes_regressor: ClassVar[bool] = False

    def __init__(self, config: Any = None) -> None:
        self.config = self.Config() if config is None else config

    @abstractmethod
    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Train on one seed. `rng` is this method's own stream; shared streams come from `task.rng`."""

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Return why this method cannot serve a problem, or None when it can."""
        return None

    @classmethod
    def refuses(cls, problem: Problem) -> str | None:
        """Return why this method cannot serve a problem with its predictor, or None when it can."""
        if is_regressor(problem.predictor) and not (cls.takes_regressor or issubclass(cls, Reference)):
            kind = type(problem.predictor).__name__
            return f"{problem.name} has the predictor {kind}, which torch cannot train; pfl takes it"
        return cls.not_applicable(problem)


class SeedBatched(Method):
    """A method written for a group of seeds, trained as one batched model; one seed is a group of one."""

    @abstractmethod
    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Train the seeds together."""

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Train on one seed."""
        return self.fit_batch([task], [rng])[0]


class Reference(Method):
    """A policy that stands in tables as a line: it may look at the whole split, the outcome included."""

    @abstractmethod
    def predict(self, task: Task, split: Split, rng: np.random.Generator) -> np.ndarray:
        """Return predictions for the rows of a split.

        Args:
            task: the problem and the training rows of a seed.
            split: the rows to predict, with their outcomes.
            rng: the stream of this method.
        """

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Refuse: a reference is asked through `predict`, because it may see what no predictor may."""
        raise TypeError(f"{self.name} is a reference policy: call predict(task, split, rng).")
