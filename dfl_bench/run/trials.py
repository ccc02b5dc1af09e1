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
USUAL_SEEDS = 6  # the fewest for which a paired test that flips signs can reach p < 0.05, as on boards
LEAST_TRAIN, LEAST_TEST = 10, 5  # rows; fewer say nothing about a problem


@dataclass(frozen=True, slots=True)
class Trial:
    """The cells to run, and what is known before one has run."""

    cells: list[Cell]
    refused: Mapping[str, str]  # methods that were thought of and do not apply, with the reason
    shared: float  # share of test rows that two seeds, or two problems, have in common; 1: the same rows


def plan_trial(
    problems: Sequence[Problem],
    *,
    seeds: int | None = None,
    first_seed: int = 0,
    methods: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> Trial:
    """Choose the methods for a problem and return their cells; rows are read, nothing is trained.

    Args:
        problems: the problem; or several that differ in their rows, as those of several dates.
        seeds: how many; None: 6 for one problem, 1 for each of several.
        first_seed: the seeds are this one and those after it.
        methods: candidates by name or family; none: `spo-plus` or else `dfl`, and `lcgln-plus`.
        settings: of the methods, by name; each takes those it has.
    """
    numbers = _seeds(problems, seeds, first_seed)
    chosen, refused = _candidates(problems[0], methods)
    names = (BASELINE, *chosen, *REFERENCES)
    data = [problem.data(seed) for problem in problems for seed in numbers[: 1 if problems[1:] else None]]
    for splits in data:
        _require_rows(problems[0], splits)
    known = {name for method in names for name in names_of(registry.get(method).Config)}
    for name in settings or {}:
        require_known(name, known, ", ".join(names))
    cells = [
        cell
        for name in names
        for problem in problems
        if not registry.get(name).refuses(problem)
        for cell in cells_of(problem, _configured(name, problem, settings or {}), numbers)
    ]
    return Trial(cells, refused, shared_rows(data))


def _seeds(problems: Sequence[Problem], seeds: int | None, first: int) -> range:
    least, usual = (2, USUAL_SEEDS) if len(problems) == 1 else (1, 1)
    number = usual if seeds is None else seeds
    if number < least:
        raise ValueError(
            f"expected at least {least} seeds, got {seeds}: an interval needs pairs; 6 are usual."
        )
    if first < 0:
        raise ValueError(f"expected a first seed of at least 0, got {first}.")
    return range(first, first + number)


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


def shared_rows(data: Sequence[Splits]) -> float:
    """Return the mean share of test rows that two seeds have in common, seen or to be expected.

    Two seeds that shuffle one small table may have no test row in common by chance; yet they are no two
    tables.
    """
    rows = [[set(_contents(part)) for part in splits] for splits in data]
    return fmean(_in_common(a, b) for a, b in combinations(rows, 2))


def _in_common(one: Sequence[set[bytes]], other: Sequence[set[bytes]]) -> float:
    """The larger of the share seen and of that by chance; each is the contents of train, val and test."""
    test, whole, others = one[2], set().union(*one), set().union(*other)
    seen = len(test & other[2]) / len(test)
    return max(seen, len(whole & others) / len(whole) * len(test) / len(whole))


def _contents(rows: Split) -> Iterator[bytes]:
    flat = np.concatenate([rows.x.reshape(len(rows), -1), rows.y.reshape(len(rows), -1)], axis=1)
    return (row.tobytes() for row in flat)


def run_here(problems: Sequence[Problem], cells: Sequence[Cell]) -> list[Record]:
    """Run cells of some problems in this process, one after the other; what goes wrong is a record, too."""
    known = {next(cells_of(p, _configured(BASELINE, p, {}), [0])).place: p for p in problems}
    with one_thread():
        return [_run_one(known[cell.place], cell) for cell in cells]


def _run_one(problem: Problem, cell: Cell) -> Record:
    cls = registry.get(cell.method)
    method = cls(build(cls.Config, cell.method_settings, owner=cell.method))
    try:
        return record_of(cell, evaluate_seed(method, problem, cell.seed))
    except NotApplicableError as error:
        return failed(cell, "n/a", str(error))
    except Exception as error:  # a user's functions may raise anything
        return failed(cell, "failed", describe(error))
