"""Fit a method on a problem and score its decisions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from ..contracts.bank import BankCache
from ..contracts.ledger import Ledger
from ..contracts.method import Method, SeedBatched
from ..contracts.problem import Problem
from ..contracts.seeding import rng_for
from ..contracts.split import Split
from ..contracts.task import Task
from ..contracts.threads import one_thread
from ..errors import DflBenchError, DivergedError, NotApplicableError
from .asked import as_method, as_problem
from .fitted import FittedPredictor
from .fitting import Predictions, fit_and_predict
from .rows import digests, make_again
from .scoring import Result, score
from .sealed import sealed

__all__ = ["Result", "evaluate", "evaluate_batch", "evaluate_seed"]


def evaluate(
    method: str | type[Method] | Method,
    problem: str | Problem,
    *,
    seed: int = 0,
    samples: int | None = None,
    protocol: str = "paper",
    device: str = "cpu",
    predictor: Any = None,
    **settings: Any,
) -> Result:
    """Fit one method on one seed and score it, as `dfl-bench run` does.

    Args:
        method: a registered name, a class, or a configured method.
        problem: a registered name, or what `make_problem`, `problem` or `from_cvxpy` return.
        seed: which data and which random streams.
        samples: for methods that draw samples: how many for each instance.
        protocol: where the method's settings come from.
        device: where to train.
        predictor: a torch module, whose copy is trained, or a function that makes one; for `pfl` also a
            regressor of scikit-learn. None: the problem's own.
        **settings: changes of the method's configuration, by name.
    """
    if samples is not None:
        settings["samples"] = samples
    chosen = as_problem(problem, predictor)
    configured = as_method(method, chosen, protocol, settings)
    with one_thread():
        return evaluate_seed(configured, chosen, seed, device=device)


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
    if reason := method.refuses(sealed(problem)):
        raise NotApplicableError(reason)
    cache = cache or BankCache()
    batches = [list(seeds)] if isinstance(method, SeedBatched) else [[seed] for seed in seeds]
    return [r for batch in batches for r in _evaluate_batch(method, problem, batch, device, cache, part)]


def _evaluate_batch(
    method: Method, problem: Problem, seeds: list[int], device: str, cache: BankCache, part: str
) -> list[Result | DflBenchError]:
    given, tasks, digest = sealed(problem), [], {}
    ledger = Ledger(device, meter=given.meter)
    for seed in seeds:
        splits = problem.data(seed)
        digest[seed] = digests(splits)
        tasks.append(Task(given, splits.train, splits.val, seed, device, ledger, cache))
    rngs = [rng_for(problem.name, method.name, seed=seed) for seed in seeds]
    rows: list[Split] = []

    def make_rows() -> list[Split]:
        rows.extend(getattr(make_again(problem, seed, digest[seed]), part) for seed in seeds)
        return rows

    fitted = fit_and_predict(method, tasks, rngs, make_rows)
    results: list[Result | DflBenchError] = []
    for i, (split, (y_hat, predictor)) in enumerate(zip(rows, fitted, strict=True)):
        of_user = None if predictor is None else FittedPredictor.of(predictor, method, problem, tasks[i])
        results.append(_result(problem, split, y_hat, ledger.share(i, len(seeds)), of_user, method, seeds[i]))
    return results


def _result(
    problem: Problem,
    split: Split,
    y_hat: Predictions,
    ledger: Ledger,
    predictor: FittedPredictor | None,
    method: Method,
    seed: int,
) -> Result | DflBenchError:
    if isinstance(y_hat, DivergedError):
        return y_hat
    try:
        result = score(problem, split, y_hat, ledger)
    except DivergedError as error:
        return error
    return replace(result, predictor=predictor, title=f"{method.name} on {problem.name}, seed {seed}")
