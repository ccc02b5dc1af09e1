"""Fit a method on some seeds of a problem and score its decisions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .bank import BankCache
from .errors import DflBenchError, DivergedError, NotApplicableError
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

    regret: np.ndarray  # per instance
    worst_regret: np.ndarray  # of the problem's reference decision, per instance
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
    result = evaluate_group(cls(config), problem, [seed], device=device)[0]
    if isinstance(result, DflBenchError):
        raise result
    return result


def evaluate_group(
    method: Method,
    problem: Problem,
    seeds: Sequence[int],
    *,
    device: str = "cpu",
    cache: BankCache | None = None,
    part: Literal["val", "test"] = "test",
) -> list[Result | DflBenchError]:
    """Fit the seeds of one configuration, together where the method can, and score each.

    A seed that diverged is an error in the list, beside the results of the others. Searches score the
    validation rows (`part="val"`) and never see the test rows.
    """
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
    predict = (
        _reference(method, tasks, rngs) if isinstance(method, Reference) else _fitted(method, tasks, rngs)
    )
    scored = [getattr(splits, part) for splits in data]
    predicted = [predict(i, split) for i, split in enumerate(scored)]
    return [
        y_hat
        if isinstance(y_hat, DflBenchError)
        else _score(problem, split, y_hat, ledger.share(i, len(seeds)), tuple(seeds))
        for i, (split, y_hat) in enumerate(zip(scored, predicted, strict=True))
    ]


Streams = Sequence[np.random.Generator]
Predict = Callable[[int, Split], "np.ndarray | DflBenchError"]


def _reference(method: Reference, tasks: Sequence[Task], rngs: Streams) -> Predict:
    return lambda i, split: method.predict(tasks[i], split, rngs[i])


def _fitted(method: Method, tasks: Sequence[Task], rngs: Streams) -> Predict:
    predictors = method.fit_group(tasks, rngs)

    def predict(i: int, split: Split) -> np.ndarray | DflBenchError:
        with tasks[i].ledger.phase("infer"):
            try:
                y_hat = np.asarray(predictors[i](split.x))
            except DivergedError as error:
                return error
        if not np.isfinite(y_hat).all():
            return DivergedError(
                f"{int((~np.isfinite(y_hat)).sum())} of {y_hat.size} predictions are not finite."
            )
        return y_hat

    return predict


def _score(
    problem: Problem, split: Split, y_hat: np.ndarray, ledger: Ledger, group: tuple[int, ...]
) -> Result:
    return Result(
        regret=problem.regret(y_hat, split.y, split.context),
        worst_regret=problem.worst_regret(split.y, split.context),
        predictions=y_hat,
        decisions=problem.decide(problem.project(y_hat), split.context),
        ledger=ledger,
        data_digest=array_digest(*split.arrays()),
        group=group,
    )
