"""Run one group of cells in this process and tell what became of each."""

import sys
import traceback
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from ..contracts import devices
from ..contracts.bank import BankCache
from ..contracts.method import Method, Reference
from ..contracts.problem import Problem
from ..errors import DflBenchError, NotApplicableError
from ..experiment.plan import Group
from ..store.cell import Cell
from ..store.environment import environment
from ..store.record import Record
from ..store.store import now
from .evaluate import Result, evaluate_group
from .idle import Usage
from .job import Job, failed

TRACEBACK_LINES = 12


def execute(job: Job) -> list[Record]:
    """Return one record a cell; whatever the method raises becomes a record, too."""
    started, before = now(), Usage.now()
    try:
        for plugin in job.plugins:
            plugin.load()
        problem, method = job.group.cells[0].build()
        _check_same(job.group.cells[0], problem, method)
        _warm_up(problem, job.group.cells[0])
        records = _attempt(job.group.cells, problem, method, BankCache(job.banks))
    except (Exception, SystemExit) as error:
        records = failed(job.group, "failed", _describe(error))
    alone = job.alone and Usage.now().since(before).is_alone
    facts = environment(job.group.cells[0].device)
    return [replace(r, alone=alone, environment=facts, started=started, finished=now()) for r in records]


def _check_same(cell: Cell, problem: Problem, method: Method) -> None:
    # A worker with other code or data must not file its scores under this key.
    here = Cell.of(problem, method, protocol=cell.protocol, seed=cell.seed, device=cell.device)
    if here.key != cell.key:
        differs = [f.name for f in fields(Cell) if getattr(here, f.name) != getattr(cell, f.name)]
        asked, have = ({name: getattr(c, name) for name in differs} for c in (cell, here))
        raise DflBenchError(f"the cell was defined with {asked}, here it would run with {have}.")


def _attempt(cells: Sequence[Cell], problem: Problem, method: Method, cache: BankCache) -> list[Record]:
    group = Group(tuple(cells))
    devices.reset_peak_memory(cells[0].device)
    try:
        results = evaluate_group(method, problem, group.seeds, device=cells[0].device, cache=cache)
    except NotApplicableError as reason:
        records = failed(group, "n/a", str(reason))
    except (Exception, SystemExit) as error:
        if len(cells) > 1:
            # One seed must not take the others with it: each has its own try.
            return [r for cell in cells for r in _attempt([cell], problem, method, cache)]
        records = failed(group, "failed", _describe(error))
    else:
        peak = devices.peak_memory(cells[0].device)
        records = [
            _record(cell, result, peak) if isinstance(result, Result) else _diverged(cell, group, result)
            for cell, result in zip(cells, results, strict=True)
        ]
    reference = isinstance(method, Reference)
    return [replace(record, provenance=problem.provenance, reference=reference) for record in records]


def _diverged(cell: Cell, group: Group, error: Exception) -> Record:
    return Record(cell=cell, status="failed", group=group.seeds, error=f"{type(error).__name__}: {error}")


def _record(cell: Cell, result: Result, peak_bytes: int) -> Record:
    curve = [(seconds, regret[0]) for seconds, regret in result.ledger.curve]
    return Record(
        cell=cell,
        status="ok",
        group=result.group,
        regret=np.asarray(result.regret, dtype=np.float64),
        worst_regret=np.asarray(result.worst_regret, dtype=np.float64),
        predicted_worst_sum=float(result.predicted_worst_regret.sum()),
        seconds=dict(result.ledger.seconds),
        solves=dict(result.ledger.solves),
        peak_bytes=peak_bytes,
        curve=tuple((float(s), float(r)) for s, r in curve if np.isfinite(r)),
        data_digest=result.data_digest,
    )


def _warm_up(problem: Problem, cell: Cell) -> None:
    """Compile or load the kernels a fit will call, outside its clock."""
    train = problem.data(cell.seed).train[:2]
    problem.regret(train.y, train.y, train.context)
    problem.worst_regret(train.y, train.context)
    regret = problem.in_training.regret(train.y[None], train.y, train.context)
    if not np.isfinite(regret).all():
        raise ValueError(f"{problem.name} gives a non-finite regret to its own outcomes.")
    if "torch" in sys.modules:
        rows = train.to(cell.device)
        decision = problem.in_training.decision_layer(rows.y.clone().requires_grad_(), rows.context)
        if decision is not None:
            decision.sum().backward()


def _describe(error: BaseException) -> str:
    """The error and the last lines of where it came from."""
    lines = "".join(traceback.format_exception(error)).strip().splitlines()
    summary = f"{type(error).__name__}: {error}"
    return "\n".join([summary, *lines[-TRACEBACK_LINES:]])
