"""The process that scores a cell: it makes the data, lets another process fit, and scores what comes back.

The fit runs in a process that is forked before any row exists, so that no code of a method touches the test
rows, the score or the record. Of a user's files only the one of the problem is imported here.
"""

import pickle
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ..contracts.ledger import Ledger
from ..contracts.split import Split
from ..store.cell import Cell
from ..store.environment import environment
from ..store.record import Record, Status, grouped
from ..store.sql import to_row
from ..store.store import now
from .fitter import fit_cell
from .guarded_data import GuardedData
from .idle import Usage
from .job import Job, describe, failed
from .messages import unpack_plain
from .partner import Partner
from .scoring import Result, score


def score_cell(job: Job) -> Record:
    """Return the record of a cell; whatever goes wrong becomes a record, too."""
    started, before = now(), Usage.now()
    fitter = Partner(partial(fit_cell, job))
    try:
        record = _attempt(job, fitter)
        to_row(record)  # what a store cannot hold is this cell's failure and no other's
    except (Exception, SystemExit) as error:
        record = failed(job.cell, "failed", describe(error))
    finally:
        fitter.end()
    alone = job.alone and Usage.now().since(before).is_alone
    facts = record.environment or environment()
    return replace(record, alone=alone, environment=facts, started=started, finished=now())


def _attempt(job: Job, fitter: Partner) -> Record:
    data = GuardedData.of(job)
    fitter.send(pickle.dumps(data.rows_to_learn()))
    rows, (answer, array) = None, _answer(fitter)
    if answer["kind"] == "ask":
        rows = data.rows_to_score()
        whole = bool(answer["whole"])
        fitter.send(pickle.dumps(rows if whole else Split(rows.x, None)))
        answer, array = _answer(fitter)
        answer["reference"] = whole  # whoever has seen the outcomes is a reference, whatever it says
    if answer["kind"] == "done" and rows is not None and array is not None:
        fitter.end()
        ledger = Ledger(job.cell.device, answer["seconds"], answer["solves"], answer["curve"])
        record = record_of(job.cell, score(data.problem, rows, array, ledger), int(answer["peak_bytes"]))
    else:
        status: Status = "n/a" if answer["kind"] == "n/a" else "failed"
        record = failed(job.cell, status, str(answer.get("error", "its process gave no predictions.")))
    return replace(
        record,
        provenance=data.problem.provenance,
        reference=bool(answer.get("reference")),
        environment=answer.get("environment", {}),
    )


def _answer(fitter: Partner) -> tuple[dict[str, Any], np.ndarray | None]:
    message = fitter.receive()
    if message is None:
        return {"kind": "failed", "error": f"the process died of {fitter.cause_of_death()}."}, None
    return unpack_plain(message)


def record_of(cell: Cell, result: Result, peak_bytes: int = 0) -> Record:
    """Return the record of a cell that has a score.

    Args:
        cell: which one.
        result: its score.
        peak_bytes: the most memory it took; 0 where that was not measured.
    """
    curve = [(seconds, regret[0]) for seconds, regret in result.ledger.curve]
    regret, group_size = grouped(np.asarray(result.regret, dtype=np.float64))
    worst_regret, _ = grouped(np.asarray(result.worst_regret, dtype=np.float64))
    return Record(
        cell=cell,
        status="ok",
        regret=regret,
        worst_regret=worst_regret,
        group_size=group_size,
        test_rows=len(result.regret),
        predicted_worst_sum=float(result.predicted_worst_regret.sum()),
        optimal_sum=float(np.abs(result.optimal_cost).sum()),
        seconds=dict(result.ledger.seconds),
        solves=dict(result.ledger.solves),
        peak_bytes=peak_bytes,
        curve=tuple((float(s), float(r)) for s, r in curve if np.isfinite(r)),
        data_digest=result.data_digest,
    )
