"""The same search for every method: so many trials, scored by the regret on seeds no score uses.

Every trial is written down as it ends, so a search that is stopped goes on where it was, and the repository
holds the trials beside the choice they led to.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import optuna
from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)
from optuna.trial import FrozenTrial, TrialState, create_trial

from kernels.errors import SolverError

from ..contracts.bank import BankCache
from ..contracts.files import write_atomically
from ..contracts.fingerprint import fingerprint, plain
from ..contracts.method import Method
from ..contracts.problem import Problem
from ..contracts.search_space import Choice, Range
from ..contracts.seeding import FIRST_TUNING_SEED
from ..errors import DflBenchError
from ..experiment.protocols import Protocol, configure, place_of, read_search
from .evaluate import evaluate_batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """A method on a problem, what may change, and how long to look."""

    method: type[Method]
    problem: Problem
    protocol: Protocol
    trials: int = 20
    seeds: int | None = None  # None: as many as the protocol says

    @property
    def tuning_seeds(self) -> range:
        """The seeds that a trial is scored on."""
        return range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + (self.seeds or self.protocol.seeds))

    @property
    def space(self) -> Mapping[str, Range | Choice]:
        """What may change."""
        return self.protocol.space(self.method)

    @property
    def part(self) -> Literal["val", "test"]:
        """The rows of the tuning seeds that score a trial."""
        return self.protocol.part(self.problem)

    @property
    def points(self) -> list[dict[str, Any]]:
        """All combinations of a published grid; empty where the space is searched by trials."""
        grid = {n: c.options for n, c in self.protocol.grid.items() if n in self.space}
        return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())] if grid else []

    @property
    def total(self) -> int:
        """Trials to make: all of a published grid, or the budget."""
        return len(self.points) or self.trials

    def path(self, folder: Path) -> Path:
        """Return the file this search is written to."""
        return folder / self.protocol.name / place_of(self.problem) / f"{self.method.name}.json"


def tune(
    search: Search, folder: Path, report: Callable[[dict[str, Any]], None] = lambda trial: None
) -> dict[str, Any]:
    """Run what is missing of a search and return its record: the best settings and all trials.

    Args:
        search: what to search.
        folder: where searches are kept.
        report: called with each new trial.
    """
    if not search.space:
        raise DflBenchError(f"{search.method.name} has nothing to search in protocol {search.protocol.name}.")
    path = search.path(folder)
    trials = _earlier(path, search)
    space = {name: _distribution(range_) for name, range_ in search.space.items()}
    study = _study(search, space, trials)
    cache = BankCache()
    while len(trials) < search.total:
        trial = study.ask(space)
        settings = {name: _value(search.space[name], trial.params[name]) for name in space}
        outcome = _attempt(search, settings, cache)
        study.tell(trial, *_told(outcome))
        trials.append({"params": trial.params, "settings": plain(settings), **outcome})
        _write(path, search, trials)
        report(trials[-1])
    return json.loads(path.read_text(encoding="utf-8"))


def _attempt(search: Search, settings: dict[str, Any], cache: BankCache) -> dict[str, Any]:
    start = time.perf_counter()
    try:
        config = configure(search.method, search.problem, "paper", settings)
        results = evaluate_batch(
            search.method(config), search.problem, search.tuning_seeds, cache=cache, part=search.part
        )
    except (ValueError, ArithmeticError, SolverError) as error:
        # A setting that the method refuses, or that its solver cannot solve, is a trial that failed.
        return {"value": None, "error": str(error), "seconds": round(time.perf_counter() - start, 2)}
    scores = [np.inf if isinstance(r, DflBenchError) else r.normalized_regret for r in results]
    value = float(np.mean(scores))
    seconds = round(time.perf_counter() - start, 2)
    return {"value": value if np.isfinite(value) else None, "seconds": seconds}


def _study(
    search: Search, space: dict[str, BaseDistribution], trials: list[dict[str, Any]]
) -> optuna.study.Study:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    seed = int(fingerprint([search.method.name, search.problem.name, len(trials)])[:8], 16)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=8))
    tried = [trial["params"] for trial in trials]
    for point in search.points:
        if point not in tried:
            study.enqueue_trial(point)
    if not search.points and not trials:
        # The published settings are the first trial: a search never ends worse than it began.
        study.enqueue_trial(_published(search))
    for trial in trials:
        study.add_trial(_frozen(trial, space))
    return study


def _published(search: Search) -> dict[str, Any]:
    config = configure(search.method, search.problem, "paper", {})
    start = {}
    for name, range_ in search.space.items():
        value = getattr(config, name)
        if isinstance(range_, Choice):
            start[name] = _label(value)
        else:
            # A rate that a method leaves open is that of the problem's network.
            number = search.problem.network.learning_rate if value is None else value
            start[name] = min(max(number, range_.low), range_.high)
    return start


def _frozen(trial: dict[str, Any], space: dict[str, BaseDistribution]) -> FrozenTrial:
    if trial["value"] is None:
        return create_trial(params=trial["params"], distributions=space, state=TrialState.FAIL)
    return create_trial(params=trial["params"], distributions=space, value=trial["value"])


def _told(outcome: dict[str, Any]) -> tuple[float | None, TrialState]:
    return outcome["value"], TrialState.FAIL if outcome["value"] is None else TrialState.COMPLETE


def _distribution(range_: Range | Choice) -> BaseDistribution:
    if isinstance(range_, Choice):
        return CategoricalDistribution([_label(option) for option in range_.options])
    if range_.integer:
        return IntDistribution(int(range_.low), int(range_.high), log=range_.log)
    return FloatDistribution(range_.low, range_.high, log=range_.log)


def _label(option: Any) -> Any:
    # Optuna keeps scalars; a tuple goes by its text.
    return json.dumps(option) if isinstance(option, (tuple, list)) else option


def _value(range_: Range | Choice, param: Any) -> Any:
    if isinstance(range_, Choice):
        return next(option for option in range_.options if _label(option) == param)
    return param


def _earlier(path: Path, search: Search) -> list[dict[str, Any]]:
    """Return the trials already made of this very search; those of an older version are made again."""
    if not path.is_file():
        return []
    saved = read_search(path)
    return list(saved["trials"]) if saved["search"] == _identity(search) else []


def _identity(search: Search) -> dict[str, Any]:
    source = {"source": search.problem.source_digest} if search.problem.source_digest else {}
    return {
        **source,
        "method": [search.method.name, search.method.version],
        "problem": [search.problem.name, search.problem.version, plain(search.problem.settings)],
        "space": plain(search.space),
        "seeds": len(search.tuning_seeds),
        "part": search.part,
    }


def _write(path: Path, search: Search, trials: list[dict[str, Any]]) -> None:
    finished = [trial for trial in trials if trial["value"] is not None]
    best = min(finished, key=lambda trial: trial["value"]) if finished else {"settings": {}, "value": None}
    record = {
        "best": best["settings"],
        "value": best["value"],
        "complete": len(trials) >= search.total,
        "search": _identity(search),
        "trials": trials,
    }
    text = json.dumps(record, indent=1) + "\n"
    write_atomically(path, lambda file: file.write(text.encode()))
