"""Run one cell in this process and say what became of it."""

import sys
import traceback
from dataclasses import fields, replace

import numpy as np

from ..contracts import devices
from ..contracts.bank import BankCache
from ..contracts.method import Method, Reference
from ..contracts.problem import Problem
from ..errors import DflBenchError, NotApplicableError
from ..store.cell import Cell
from ..store.environment import environment
from ..store.record import Record
from ..store.store import now
from .evaluate import Result, evaluate_seed
from .idle import Usage
from .job import Job, failed

TRACEBACK_LINES = 12


def execute(job: Job) -> Record:
    """Return the record of a cell; whatever the method raises becomes a record, too."""
    started, before, cell = now(), Usage.now(), job.cell
    try:
        for plugin in job.plugins:
            plugin.load()
        problem, method = cell.build()
        _check_same(cell, problem, method)
        _warm_up(problem, cell)
        record = _attempt(cell, problem, method, BankCache(job.banks))
    except (Exception, SystemExit) as error:
        record = failed(cell, "failed", _describe(error))
    alone = job.alone and Usage.now().since(before).is_alone
    facts = environment(cell.device)
    return replace(record, alone=alone, environment=facts, started=started, finished=now())


def _check_same(cell: Cell, problem: Problem, method: Method) -> None:
    # A worker with other code or data must not file its scores under this key.
    here = Cell.of(problem, method, protocol=cell.protocol, seed=cell.seed, device=cell.device)
    if here.key != cell.key:
        differs = [f.name for f in fields(Cell) if getattr(here, f.name) != getattr(cell, f.name)]
        asked, have = ({name: getattr(c, name) for name in differs} for c in (cell, here))
        raise DflBenchError(f"the cell was defined with {asked}, here it would run with {have}.")


def _attempt(cell: Cell, problem: Problem, method: Method, cache: BankCache) -> Record:
    devices.reset_peak_memory(cell.device)
    try:
        result = evaluate_seed(method, problem, cell.seed, device=cell.device, cache=cache)
    except NotApplicableError as reason:
        record = failed(cell, "n/a", str(reason))
    except (Exception, SystemExit) as error:
        record = failed(cell, "failed", _describe(error))
    else:
        record = _record(cell, result, devices.peak_memory(cell.device))
    return replace(record, provenance=problem.provenance, reference=isinstance(method, Reference))


def _record(cell: Cell, result: Result, peak_bytes: int) -> Record:
    curve = [(seconds, regret[0]) for seconds, regret in result.ledger.curve]
    return Record(
        cell=cell,
        status="ok",
        regret=np.asarray(result.regret, dtype=np.float64),
        worst_regret=np.asarray(result.worst_regret, dtype=np.float64),
        predicted_worst_sum=float(result.predicted_worst_regret.sum()),
        optimal_sum=float(np.abs(result.optimal_cost).sum()),
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
