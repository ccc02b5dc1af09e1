"""Run stored cells again: each stored record with the one this machine makes of its cell."""

from collections.abc import Iterator, Sequence

import numpy as np

from ..store.record import Record
from .job import Job, Plugin
from .supervisor import Limits, Supervisor

Pair = tuple[Record, Record]  # as stored, and as made here


def rerun(record: Record, *, plugins: Sequence[Plugin] = (), limits: Limits | None = None) -> Pair:
    """Run a stored cell again.

    Args:
        record: the stored record.
        plugins: the user's files that the cells need.
        limits: time and memory for each cell; None for the defaults.
    """
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
        records: all records of the store.
        cells: how many to run again, at most.
        seed: fixes which are drawn; None for a new draw.
        plugins: the user's files that the cells need.
        limits: time and memory for each cell; None for the defaults.
    """
    scored = [record for record in records if record.status == "ok"]
    drawn = np.random.default_rng(seed).permutation(len(scored))[:cells]
    supervisor = Supervisor(limits or Limits())
    try:
        for i in drawn:
            yield _again(supervisor, scored[i], plugins)
    finally:
        supervisor.close()


def _again(supervisor: Supervisor, record: Record, plugins: Sequence[Plugin]) -> Pair:
    return record, supervisor.run(Job(record.cell, tuple(plugins), alone=True))
