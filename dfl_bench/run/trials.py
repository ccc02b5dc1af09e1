"""A few methods on one problem, planned and run: what an answer to "does it pay here?" stands on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

from .. import methods as registry
from ..contracts.method import Method, Reference
from ..contracts.problem import Problem
from ..contracts.settings import build, names_of, require_known
from ..contracts.split import Split, Splits
from ..contracts.threads import one_thread
from ..errors import NotApplicableError
from ..experiment.plan import cells_of
from ..experiment.suite import named_methods
from ..store.cell import Cell
from ..store.record import Record
from .asked import as_method
from .evaluate import evaluate_seed
from .job import describe, failed
from .scorer import record_of

BASELINE = "pfl"
DIRECT = ("spo-plus", "dfl")  # the first that applies; pfy applies where spo-plus does, so it is not asked
LEARNED = "lcgln-plus"
REFERENCES = ("constant", "floor")
LEAST_TRAIN, LEAST_TEST = 10, 5  # rows; fewer say nothing about a problem


@dataclass(frozen=True, slots=True)
class Trial:
    """The cells to run, and what is known before one has run."""

    cells: list[Cell]
    refused: Mapping[str, str]  # methods that were thought of and do not apply, with the reason
    shared: float  # of the test rows: the mean share that two seeds have in common; 1 for a fixed split


def plan_trial(
    problem: Problem,
    *,
    seeds: int,
    first_seed: int = 0,
    methods: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> Trial:
    """Choose the methods for a problem and return their cells; rows are read, nothing is trained.

    Args:
        problem: the user's problem, or one of the suite.
        seeds: how many.
        first_seed: the seeds are this one and those after it.
        methods: candidates by name or family; none: `spo-plus` or else `dfl`, and `lcgln-plus`.
        settings: of the methods, by name; each takes those it has.
    """
    if seeds < 2:
        raise ValueError(f"expected at least 2 seeds, got {seeds}: an interval needs pairs; 6 are usual.")
    if first_seed < 0:
        raise ValueError(f"expected a first seed of at least 0, got {first_seed}.")
    chosen, refused = _candidates(problem, methods)
    names = (BASELINE, *chosen, *REFERENCES)
    numbers = range(first_seed, first_seed + seeds)
    data = [problem.data(seed) for seed in numbers]
    _require_rows(problem, data[0])
    known = {name for method in names for name in names_of(registry.get(method).Config)}
    for name in settings or {}:
        require_known(name, known, ", ".join(names))
    cells = [
        cell
        for name in names
        if not registry.get(name).refuses(problem)
        for cell in cells_of(problem, _configured(name, problem, settings or {}), numbers)
    ]
    return Trial(cells, refused, shared_rows([splits.test for splits in data]))


def _candidates(problem: Problem, asked: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """The methods to compare with the baseline, and those that do not apply, with the reason."""
    if asked:
        return _applying(problem, _trained(asked))
    direct, refused = _applying(problem, DIRECT[:1])
    if not direct:
        direct, more = _applying(problem, DIRECT[1:])
        refused |= more
    learned, more = _applying(problem, [LEARNED])
    return [*direct, *learned], refused | more


def _applying(problem: Problem, names: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    reasons = {name: registry.get(name).refuses(problem) for name in names}
    refused = {name: reason for name, reason in reasons.items() if reason}
    return [name for name in names if name not in refused], refused


def _trained(asked: Sequence[str]) -> list[str]:
    """The methods asked for, without those that always run; a reference line cannot be trained with."""
    wanted = [name for name in named_methods(list(asked)) if name not in (BASELINE, *REFERENCES)]
    lines = [name for name in wanted if issubclass(registry.get(name), Reference)]
    if lines or not wanted:
        raise ValueError(
            f"expected a method to train with beside {BASELINE}, which always runs, got "
            f"{', '.join(lines or asked)}; `dfl-bench list` shows all."
        )
    return wanted


def _configured(name: str, problem: Problem, settings: Mapping[str, Any]) -> Method:
    has = names_of(registry.get(name).Config)
    return as_method(name, problem, "paper", {n: v for n, v in settings.items() if n in has})


def _require_rows(problem: Problem, splits: Splits) -> None:
    train, test = len(splits.train), len(splits.test)
    if train < LEAST_TRAIN or test < LEAST_TEST:
        raise ValueError(
            f"expected at least {LEAST_TRAIN} training rows and {LEAST_TEST} test rows for advice, got "
            f"{train} and {test} of {problem.name}; give more rows, or another split."
        )


def shared_rows(tests: Sequence[Split]) -> float:
    """Return the mean share of test rows that two seeds have in common."""
    found = [set(_contents(test)) for test in tests]
    return fmean(len(a & b) / len(a) for a, b in combinations(found, 2))


def _contents(rows: Split) -> Iterator[bytes]:
    flat = np.concatenate([rows.x.reshape(len(rows), -1), rows.y.reshape(len(rows), -1)], axis=1)
    return (row.tobytes() for row in flat)


def run_here(problem: Problem, cells: Sequence[Cell]) -> list[Record]:
    """Run cells of a problem in this process, one after the other; what goes wrong is a record, too."""
    with one_thread():
        return [_run_one(problem, cell) for cell in cells]


def _run_one(problem: Problem, cell: Cell) -> Record:
    cls = registry.get(cell.method)
    method = cls(build(cls.Config, cell.method_settings, owner=cell.method))
    try:
        return record_of(cell, evaluate_seed(method, problem, cell.seed))
    except NotApplicableError as error:
        return failed(cell, "n/a", str(error))
    except Exception as error:  # a user's functions may raise anything
        return failed(cell, "failed", describe(error))
