"""The same cells on a Dask cluster: its workers start children as a local run does, the driver writes.

When a worker dies, Dask gives its cells to another; a cell that takes three workers with it is failed.
"""

import atexit
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

from ..errors import DflBenchError
from ..store.record import Record
from .job import Job, failed
from .local_pool import Pool
from .supervisor import Limits, Supervisor

CONNECT_SECONDS = 15

_here = threading.local()


@contextmanager
def dask_pool(address: str, limits: Limits) -> Iterator[Pool]:
    """Yield how to submit a job to a scheduler, and how many to have under way."""
    from distributed import Client

    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise DflBenchError(
            f"no Dask scheduler at {address!r} ({error}); expected an address such as tcp://host:8786."
        ) from error
    with client:
        threads = sum(client.nthreads().values())
        if threads == 0:
            raise DflBenchError(f"the scheduler at {address} has no workers; start some with `dask worker`.")

        def submit(job: Job) -> "Future[Record]":
            outer: Future[Record] = Future()
            inner = client.submit(run_on_worker, job, limits, pure=False, retries=2)
            inner.add_done_callback(lambda done: _pass_on(done, job, outer))
            return outer

        # Some more than there are threads, so that no worker waits for the driver.
        yield submit, threads + 2


def run_on_worker(job: Job, limits: Limits) -> Record:
    """Run a cell in a child of this Dask worker; each of its threads keeps one supervisor."""
    if not hasattr(_here, "supervisor"):
        _here.supervisor = Supervisor(limits)
        atexit.register(_here.supervisor.close)
    _here.supervisor.limits = limits
    return _here.supervisor.run(replace(job, banks=_banks()))


def _pass_on(done: "Future[Record]", job: Job, outer: "Future[Record]") -> None:
    from distributed import CancelledError

    try:
        outer.set_result(done.result())
    except CancelledError:
        outer.cancel()
    except Exception as error:
        outer.set_result(failed(job.cell, "failed", f"{type(error).__name__}: {error}"))


@cache
def _banks() -> str:
    folder = tempfile.TemporaryDirectory(prefix="dfl-bench-banks-")
    atexit.register(folder.cleanup)
    return folder.name
