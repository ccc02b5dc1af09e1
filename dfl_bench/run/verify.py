"""Run stored cells again: each stored record with the one this machine makes of its cell."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..errors import DflBenchError
from ..store.record import Record
from .job import Job, Plugin
from .supervisor import Limits, Supervisor

Pair = tuple[Record, Record]  # as stored, and as made here


def rerun(record: Record, *, plugins: Sequence[Plugin] = (), limits: Limits | None = None) -> Pair:
    """Run a stored cell again.

    Args:
        record: what is stored; an older one cannot be repeated.
        plugins: users' files that it needs.
        limits: when it is ended.
    """
    if record.cell.older:
        raise DflBenchError(f"the record {record.key} cannot be repeated: {record.cell.older}.")
    supervisor = Supervisor(limits or Limits())
    try:
        return _again(supervisor, record, plugins)
    finally:
        supervisor.close()


def verify(
    records: Sequence[Record],
    cells: int,
    *,
    seed: int | None = None,
    plugins: Sequence[Plugin] = (),
    limits: Limits | None = None,
) -> Iterator[Pair]:
    """Run some scored records again, drawn at random: whoever made the store cannot know which.

    Args:
        records: what is stored; older ones cannot be repeated and are not drawn.
        cells: how many to run.
        seed: of the draw, to make it again.
        plugins: users' files that they need.
        limits: when a cell is ended.
    """
    scored = [record for record in records if record.status == "ok" and not record.cell.older]
    drawn = np.random.default_rng(seed).permutation(len(scored))[:cells]
    supervisor = Supervisor(limits or Limits())
    try:
        for i in drawn:
            yield _again(supervisor, scored[i], plugins)
    finally:
        supervisor.close()


def _again(supervisor: Supervisor, record: Record, plugins: Sequence[Plugin]) -> Pair:
    return record, supervisor.run(Job(record.cell, tuple(plugins), alone=True))
