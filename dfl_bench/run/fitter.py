"""The process that runs a method's code: it is given rows, and answers with predictions and what they cost.

It never holds a test outcome, unless the method is a reference. Its answers are plain values: nothing that a
method makes is run where the score is made.
"""

import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import IO, Any

import numpy as np

from ..contracts import devices
from ..contracts.bank import BankCache
from ..contracts.ledger import Ledger
from ..contracts.meter import Meter
from ..contracts.method import Method, Reference
from ..contracts.problem import Problem
from ..contracts.seeding import rng_for
from ..contracts.split import Split
from ..contracts.task import Task
from ..errors import DflBenchError, DivergedError
from ..store.cell import Cell
from ..store.environment import environment
from .fitting import fit_and_predict
from .job import Job, describe
from .messages import framed, pack_plain, read_message
from .sealed import forbid_data, sealed


def fit_cell(job: Job, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Run a job; whatever the method raises is an answer, too.

    Args:
        job: what to run.
        asked: where rows are read from: training and validation rows first, test rows on request.
        answers: where messages are written to.
    """
    pid = os.getpid()
    train, val = read_message(asked)  # before any code of a user's

    def answer(array: np.ndarray | None = None, **facts: Any) -> None:
        if os.getpid() != pid:
            os._exit(0)  # a copy of this process, which the method has forked and let go
        answers.write(framed(pack_plain(facts, array)))
        answers.flush()

    def ask(whole: bool) -> Split:
        answer(kind="ask", whole=whole)
        return read_message(asked)

    facts: dict[str, Any] = {"reference": False}
    array = None
    try:
        problem, method = _build(job)
        facts["reference"] = isinstance(method, Reference)
        if reason := method.refuses(problem):
            facts |= {"kind": "n/a", "error": reason}
        else:
            _warm_up(problem, train[:2], job.cell)
            array, cost = _fit(method, problem, train, val, job, ask)
            facts |= {"kind": "done", **cost}
        facts["environment"] = environment(job.cell.device)
    except BaseException as error:
        facts |= {"kind": "failed", "error": describe(error)}
        array = None
    answer(array, **facts)


def _build(job: Job) -> tuple[Problem, Method]:
    for plugin in job.plugins:
        plugin.load()
    problem, method = job.cell.build()
    _check_same(job.cell, problem, method)
    forbid_data(problem)
    return sealed(problem), method


def _check_same(cell: Cell, problem: Problem, method: Method) -> None:
    # A worker with other code or data must not file its scores under this key.
    here = Cell.of(problem, method, protocol=cell.protocol, seed=cell.seed, device=cell.device)
    if here.key != cell.key:
        differs = [f.name for f in fields(Cell) if getattr(here, f.name) != getattr(cell, f.name)]
        asked, have = ({name: getattr(c, name) for name in differs} for c in (cell, here))
        raise DflBenchError(f"the cell was defined with {asked}, here it would run with {have}.")


def _fit(
    method: Method, problem: Problem, train: Split, val: Split, job: Job, ask: Any
) -> tuple[np.ndarray, dict[str, Any]]:
    cell = job.cell
    devices.reset_peak_memory(cell.device)
    problem.meter = None if problem.meter is None else Meter()  # what was solved to warm up does not count
    ledger = Ledger(cell.device, meter=problem.meter)
    task = Task(problem, train, val, cell.seed, cell.device, ledger, BankCache(job.banks))
    rng = rng_for(problem.name, method.name, seed=cell.seed)

    def make_rows() -> Sequence[Split]:
        return [ask(isinstance(method, Reference))]

    ((y_hat, _),) = fit_and_predict(method, [task], [rng], make_rows)
    if isinstance(y_hat, DivergedError):
        raise y_hat
    share = ledger.share(0, 1)
    cost = {"seconds": share.seconds, "solves": share.solves, "curve": share.curve}
    return y_hat, {**cost, "peak_bytes": devices.peak_memory(cell.device)}


def _warm_up(problem: Problem, rows: Split, cell: Cell) -> None:
    """Compile or load the kernels a fit will call, outside its clock."""
    problem.regret(rows.y, rows.y, rows.context)
    problem.worst_regret(rows.y, rows.context)
    regret = problem.in_training.regret(rows.y[None], rows.y, rows.context)
    if not np.isfinite(regret).all():
        raise ValueError(f"{problem.name} gives a non-finite regret to its own outcomes.")
    if "torch" in sys.modules:
        there = rows.to(cell.device)
        decision = problem.in_training.decision_layer(there.y.clone().requires_grad_(), there.context)
        if decision is not None:
            decision.sum().backward()
