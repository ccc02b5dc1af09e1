"""Cells in processes of this machine, some side by side."""

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from queue import SimpleQueue

from ..errors import DflBenchError
from ..store.record import Record
from .job import Job
from .supervisor import Limits, Supervisor

# How to submit a job, and how many jobs to have under way.
Pool = tuple[Callable[[Job], "Future[Record]"], int]


class PoolLostError(DflBenchError):
    """Those who do the work cannot be reached any more; the message says who."""


@contextmanager
def local_pool(jobs: int, limits: Limits) -> Iterator[Pool]:
    """Yield a pool of some supervisors, which share one folder of labelled samples."""
    supervisors = [Supervisor(limits) for _ in range(jobs)]
    free: SimpleQueue[Supervisor] = SimpleQueue()
    for supervisor in supervisors:
        free.put(supervisor)
    with tempfile.TemporaryDirectory(prefix="dfl-bench-banks-") as banks:

        def work(job: Job) -> Record:
            supervisor = free.get()
            try:
                return supervisor.run(replace(job, banks=banks))
            finally:
                free.put(supervisor)

        pool: Executor = ThreadPoolExecutor(jobs)
        try:
            yield (lambda job: pool.submit(work, job)), jobs
        finally:
            for supervisor in supervisors:
                supervisor.close()
            pool.shutdown(cancel_futures=True)
