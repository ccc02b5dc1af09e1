"""The same cells on a Dask cluster: its workers start children as a local run does, the driver writes.

When a worker dies, Dask gives its cells to another; a cell that takes three workers with it is failed. When
the scheduler dies, the run ends, and the same command goes on when there is a scheduler again.
"""

import atexit
import logging
import tempfile
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from ..errors import DflBenchError
from ..store.record import Record
from .job import Job, failed
from .local_pool import Pool, PoolLostError
from .supervisor import Limits, Supervisor
from .versions import difference, require_same, versions

CONNECT_SECONDS = 15
CLOSE_SECONDS = 3

_here = threading.local()


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where a scheduler is, and the files that prove who speaks: all three of them, or none."""

    address: str
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None

    def __post_init__(self) -> None:
        given = [file is not None for file in (self.tls_ca, self.tls_cert, self.tls_key)]
        if any(given) and not all(given):
            raise ValueError("expected all of --tls-ca, --tls-cert and --tls-key, or none of them.")
        if all(given) and not self.address.startswith("tls://"):
            raise ValueError(f"expected a scheduler address that begins with tls://, got {self.address!r}.")

    def security(self) -> Any:
        """Return what Dask asks for, None for an open connection."""
        if self.tls_ca is None:
            return None
        from distributed import Security

        return Security(
            tls_ca_file=self.tls_ca,
            tls_client_cert=self.tls_cert,
            tls_client_key=self.tls_key,
            require_encryption=True,
        )


@contextmanager
def dask_pool(cluster: Cluster, limits: Limits) -> Iterator[Pool]:
    """Yield how to submit a job to a scheduler, and how many to have under way."""
    from distributed import Client

    address = cluster.address
    try:
        client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False, security=cluster.security())
    except (OSError, ValueError, TypeError) as error:  # a TypeError: TLS without certificates
        raise DflBenchError(
            f"no Dask scheduler at {address!r} ({error}); expected an address such as tcp://host:8786, or "
            "tls://host:8786 with --tls-ca, --tls-cert and --tls-key."
        ) from error
    try:
        threads = sum(client.nthreads().values())
        if threads == 0:
            raise DflBenchError(f"the scheduler at {address} has no workers; start some with `dask worker`.")
        require_same(_versions_of_workers(client))

        def submit(job: Job) -> "Future[Record]":
            outer: Future[Record] = Future()
            inner = client.submit(run_on_worker, job, limits, versions(), pure=False, retries=2)
            inner.add_done_callback(lambda done: _pass_on(done, job, outer, address))
            return outer

        # Some more than there are threads, so that no worker waits for the driver.
        yield submit, threads + 2
    finally:
        _close(client)


def _close(client: Any) -> None:
    """Close a client; one that still looks for its scheduler would print where it was interrupted."""
    log = logging.getLogger("distributed.client")
    before, log.disabled = log.disabled, client.status != "running"
    try:
        with suppress(TimeoutError):
            client.close(timeout=CLOSE_SECONDS)
    finally:
        log.disabled = before


def run_on_worker(job: Job, limits: Limits, expected: Mapping[str, str]) -> Record:
    """Run a cell in a child of this Dask worker; each of its threads keeps one supervisor.

    Args:
        job: the cell.
        limits: when it is ended.
        expected: the driver's versions; a worker may have joined after they were compared.
    """
    if other := difference(expected, versions()):
        return failed(job.cell, "failed", f"a worker has other versions than the driver: {other}.")
    if not hasattr(_here, "supervisor"):
        _here.supervisor = Supervisor(limits)
        atexit.register(_here.supervisor.close)
    _here.supervisor.limits = limits
    return _here.supervisor.run(replace(job, banks=_banks()))


def _versions_of_workers(client: Any) -> dict[str, dict[str, str]]:
    try:
        return client.run(versions)
    except Exception as error:  # whatever a worker raises that does not know this package
        raise DflBenchError(
            f"the workers cannot run dfl_bench ({type(error).__name__}: {error}); install it there, in the "
            "same version as here."
        ) from error


def _pass_on(done: Any, job: Job, outer: "Future[Record]", address: str) -> None:
    from distributed import CancelledError

    try:
        outer.set_result(done.result())
    except CancelledError:
        # Not `cancel`: who waits for a future is not woken by that.
        outer.set_exception(PoolLostError(f"the Dask scheduler at {address} is gone"))
    except Exception as error:
        outer.set_result(failed(job.cell, "failed", f"{type(error).__name__}: {error}"))


@cache
def _banks() -> str:
    folder = tempfile.TemporaryDirectory(prefix="dfl-bench-banks-")
    atexit.register(folder.cleanup)
    return folder.name
