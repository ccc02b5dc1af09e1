"""Fit a method on a problem and score its decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .. import methods
from ..contracts.bank import BankCache
from ..contracts.fingerprint import array_digest
from ..contracts.ledger import Ledger
from ..contracts.method import Method, Predictor, Reference, SeedBatched
from ..contracts.problem import Problem
from ..contracts.seeding import rng_for
from ..contracts.split import Split
from ..contracts.task import Task
from ..contracts.threads import one_thread
from ..errors import DflBenchError, DivergedError, NotApplicableError
from ..experiment.protocols import configure


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The score of one seed, with all it was computed from."""

    regret: np.ndarray  # per instance
    worst_regret: np.ndarray  # of the problem's reference decision, per instance
    predicted_worst_regret: np.ndarray  # of what the prediction calls that decision
    optimal_cost: np.ndarray  # of the best decision, per instance
    predictions: np.ndarray
    decisions: np.ndarray
    ledger: Ledger
    data_digest: str

    @property
    def normalized_regret(self) -> float:
        """Sum of regrets over sum of worst regrets; the mean of ratios would be another number."""
        return float(self.regret.sum() / self.worst_regret.sum())

    @property
    def seconds(self) -> float:
        """Seconds of all phases; for a batch of seeds, the seed's share."""
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
    """Fit one method on one seed and score it, as `dfl-bench run` does.

    Args:
        method: a registered name.
        problem: what `make_problem` returns.
        seed: which data and which random streams.
        samples: for methods that draw samples: how many for each instance.
        protocol: where the method's settings come from.
        device: where to train.
        **settings: changes of the method's configuration, by name.
    """
    cls = methods.get(method)
    if samples is not None:
        settings["samples"] = samples
    config = configure(cls, problem, protocol, settings)
    with one_thread():
        return evaluate_seed(cls(config), problem, seed, device=device)


def evaluate_seed(
    method: Method,
    problem: Problem,
    seed: int,
    *,
    device: str = "cpu",
    cache: BankCache | None = None,
) -> Result:
    """Fit and score one seed on its own: a score never depends on which other seeds were asked for.

    Args:
        method: a configured method.
        problem: a configured problem.
        seed: which data and which random streams.
        device: where to train.
        cache: labelled samples that other cells may share.
    """
    (result,) = evaluate_batch(method, problem, [seed], device=device, cache=cache)
    if isinstance(result, DflBenchError):
        raise result
    return result


def evaluate_batch(
    method: Method,
    problem: Problem,
    seeds: Sequence[int],
    *,
    device: str = "cpu",
    cache: BankCache | None = None,
    part: Literal["val", "test"] = "test",
) -> list[Result | DflBenchError]:
    """Fit several seeds, together where the method can, and score each: for searches, never for records.

    Seeds that are trained together agree with seeds trained alone to rounding, not to the last bit.

    Args:
        method: a configured method.
        problem: a configured problem.
        seeds: which seeds; one that diverged is an error in the list, beside the results of the others.
        device: where to train.
        cache: labelled samples that several calls may share.
        part: the rows that are scored.
    """
    if reason := method.not_applicable(problem):
        raise NotApplicableError(reason)
    cache = cache or BankCache()
    batches = [list(seeds)] if isinstance(method, SeedBatched) else [[seed] for seed in seeds]
    return [r for batch in batches for r in _evaluate_batch(method, problem, batch, device, cache, part)]


def _evaluate_batch(
    method: Method, problem: Problem, seeds: list[int], device: str, cache: BankCache, part: str
) -> list[Result | DflBenchError]:
    ledger = Ledger(device)
    data = [problem.data(seed) for seed in seeds]
    tasks = [
        Task(problem, splits.train, splits.val, seed, device, ledger, cache)
        for seed, splits in zip(seeds, data, strict=True)
    ]
    rngs = [rng_for(problem.name, method.name, seed=seed) for seed in seeds]
    scored: list[Split] = [getattr(splits, part) for splits in data]
    if isinstance(method, Reference):
        predicted: list[Any] = [method.predict(*given) for given in zip(tasks, scored, rngs, strict=True)]
    else:
        if isinstance(method, SeedBatched):
            predictors = method.fit_batch(tasks, rngs)
        else:
            predictors = [method.fit(*given) for given in zip(tasks, rngs, strict=True)]
        with ledger.phase("infer"):
            predicted = [_predict(*given) for given in zip(predictors, scored, strict=True)]
    return [
        y_hat
        if isinstance(y_hat, DflBenchError)
        else _score(problem, split, y_hat, ledger.share(i, len(seeds)))
        for i, (split, y_hat) in enumerate(zip(scored, predicted, strict=True))
    ]


def _predict(predictor: Predictor, split: Split) -> np.ndarray | DivergedError:
    try:
        y_hat = np.asarray(predictor(split.x))
    except DivergedError as error:
        return error
    if y_hat.shape != split.y.shape:
        # Fewer rows would be broadcast over all outcomes and look like a score.
        raise ValueError(f"expected predictions of shape {split.y.shape}, got {y_hat.shape}.")
    if not np.isfinite(y_hat).all():
        bad = int((~np.isfinite(y_hat)).sum())
        return DivergedError(f"{bad} of {y_hat.size} predictions are not finite.")
    return y_hat


def _score(problem: Problem, split: Split, y_hat: np.ndarray, ledger: Ledger) -> Result:
    y, context = split.y, split.context
    admissible = problem.project(y_hat)
    decisions = problem.decide(admissible, context)
    optimum = problem.optimal_cost(y, context)
    return Result(
        regret=problem.cost(decisions, y, context) - optimum,
        worst_regret=problem.cost(problem.worst(y, context), y, context) - optimum,
        predicted_worst_regret=problem.cost(problem.worst(admissible, context), y, context) - optimum,
        optimal_cost=optimum,
        predictions=y_hat,
        decisions=decisions,
        ledger=ledger,
        data_digest=array_digest(*split.arrays()),
    )
