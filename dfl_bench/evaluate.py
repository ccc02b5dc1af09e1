"""Fit a method on some seeds of a problem and score its decisions on the test rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .bank import BankCache
from .errors import DivergedError, NotApplicableError
from .fingerprint import array_digest
from .ledger import Ledger
from .method import Method, Reference, methods
from .problem import Problem
from .protocol import configure
from .seeding import rng_for
from .split import Split
from .task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The score of one seed, with all it was computed from."""

    regret: np.ndarray  # per test instance
    worst_regret: np.ndarray  # of the problem's reference decision, per test instance
    predictions: np.ndarray
    decisions: np.ndarray
    ledger: Ledger
    data_digest: str
    group: tuple[int, ...]  # the seeds that were trained together with this one, itself included

    @property
    def normalized_regret(self) -> float:
        """Sum of regrets over sum of worst regrets; the mean of ratios would be another number."""
        return float(self.regret.sum() / self.worst_regret.sum())

    @property
    def seconds(self) -> float:
        """Seconds of all phases; for a group, the seed's share."""
        return self.ledger.total_seconds


def evaluate(
    method: str,
    problem: Problem,
    *,
    seed: int = 0,
    samples: int | None = None,
    protocol: str = "paper",
    device: str = "cpu",
    **settings: Any,
) -> Result:
    """Fit one method on one seed and score it; `settings` change the method's configuration by name."""
    cls = methods.get(method)
    if samples is not None:
        settings["samples"] = samples
    config = configure(cls, problem, protocol, settings)
    return evaluate_group(cls(config), problem, [seed], device=device)[0]


def evaluate_group(
    method: Method,
    problem: Problem,
    seeds: Sequence[int],
    *,
    device: str = "cpu",
    cache: BankCache | None = None,
) -> list[Result]:
    """Fit the seeds of one configuration, together where the method can, and score each."""
    if reason := method.not_applicable(problem):
        raise NotApplicableError(reason)
    ledger = Ledger(device)
    data = [problem.data(seed) for seed in seeds]
    cache = cache or BankCache()
    tasks = [
        Task(problem, splits.train, splits.val, seed, device, ledger, cache)
        for seed, splits in zip(seeds, data, strict=True)
    ]
    rngs = [rng_for(problem.name, method.name, seed=seed) for seed in seeds]
    if isinstance(method, Reference):
        predicted = [
            method.predict(task, splits.test, rng)
            for task, splits, rng in zip(tasks, data, rngs, strict=True)
        ]
    else:
        predictors = method.fit_group(tasks, rngs)
        with ledger.phase("infer"):
            predicted = [p(splits.test.x) for p, splits in zip(predictors, data, strict=True)]
    return [
        _score(problem, splits.test, y_hat, ledger.share(i, len(seeds)), tuple(seeds))
        for i, (splits, y_hat) in enumerate(zip(data, predicted, strict=True))
    ]


def _score(
    problem: Problem, test: Split, y_hat: np.ndarray, ledger: Ledger, group: tuple[int, ...]
) -> Result:
    if not np.isfinite(y_hat).all():
        raise DivergedError(
            f"{int((~np.isfinite(y_hat)).sum())} of {y_hat.size} test predictions are not finite."
        )
    return Result(
        regret=problem.regret(y_hat, test.y, test.context),
        worst_regret=problem.worst_regret(test.y, test.context),
        predictions=y_hat,
        decisions=problem.decide(problem.project(y_hat), test.context),
        ledger=ledger,
        data_digest=array_digest(*test.arrays()),
        group=group,
    )
