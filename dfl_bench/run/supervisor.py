"""One fork server, whose children are watched and ended at their limits."""

import os
import select
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, replace
from typing import Any

import psutil

from ..store.environment import THREAD_VARIABLES, environment
from ..store.record import Record, Status
from ..store.store import now
from .job import Job, failed
from .messages import read_message, write_message
from .processes import MARK, descendants, end_all, end_session, memory_of, relatives

POLL_SECONDS = 0.1
REPLY_SECONDS = 5.0  # from the end of a cell to the worker's word of it


@dataclass(frozen=True, slots=True)
class Limits:
    """When a cell is ended: after so many seconds, or above so many bytes in all its processes."""

    seconds: float = 3600.0
    bytes: int | None = None


class Supervisor:
    """Runs one cell at a time; safe to close from another thread, which ends what runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._worker: subprocess.Popen[bytes] | None = None
        self._mark = ""  # that of the worker, in the environment of all it starts
        self._session: int | None = None  # of the cell that runs
        self._closed = False

    def run(self, job: Job) -> Record:
        """Return the record of a cell, whatever happens to the child."""
        started = now()
        worker = self._ready_worker()
        assert worker.stdin is not None and worker.stdout is not None
        try:
            write_message(worker.stdin, job)
            message = read_message(worker.stdout)
            if message is None:
                return self._worker_ended(job, started)
            self._session = message[1]
            reason = self._watch(worker)
            message = read_message(worker.stdout) if self._has_reply(worker) else None
        except OSError as error:
            return self._worker_ended(job, started, f": {error}")
        if message is None:
            self._end_worker()
        self._session = None  # its number may be that of another's session soon
        match message, reason:
            case ("done", record), _:
                return record
            case _, (status, text):
                return self._lost(job, started, status, text)
            case ("died", cause), _:
                return self._lost(job, started, "failed", f"the process died of {cause}.")
            case _:
                return self._worker_ended(job, started)

    def close(self) -> None:
        """End the worker and whatever it runs."""
        self._closed = True
        self._end_worker()

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        mark, session = self._mark, self._session
        if worker is not None:
            worker.kill()
            worker.wait()
            # Its cell dies with it; processes that the cell has started need not.
            end_all(lambda: relatives(mark, session))

    def _worker_ended(self, job: Job, started: str, why: str = "") -> Record:
        self._end_worker()
        return self._lost(job, started, "failed", f"its worker process ended{why}.")

    def _ready_worker(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise RuntimeError("the supervisor is closed.")
        if self._worker is None or self._worker.poll() is not None:
            self._mark, self._session = uuid.uuid4().hex, None
            pinned = dict.fromkeys(THREAD_VARIABLES, "1") | {MARK: self._mark}
            path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
            # A process group of its own: Ctrl-C in a terminal reaches the driver alone, which then tidies up.
            self._worker = subprocess.Popen(
                [sys.executable, "-m", "dfl_bench.run.fork_server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, **pinned, "PYTHONPATH": path},
                process_group=0,
            )
        return self._worker

    def _watch(self, worker: Any) -> tuple[Status, str] | None:
        """Wait for an answer; end all processes of the cell at its limits and return why."""
        end, limit = time.monotonic() + self.limits.seconds, self.limits.bytes
        while not select.select([worker.stdout], [], [], POLL_SECONDS)[0]:
            if time.monotonic() > end:
                self._end_cell(worker)
                return "timeout", f"ended after {self.limits.seconds:g} s (--time-limit)."
            used = memory_of(descendants(worker.pid), limit) if limit is not None else 0
            if limit is not None and used > limit:
                self._end_cell(worker)
                allowed = limit / 2**20
                return "failed", f"ended at {used / 2**20:.0f} MiB (--memory-limit is {allowed:.0f} MiB)."
        return None

    def _end_cell(self, worker: Any) -> None:
        mark, session = self._mark, self._session

        def cell() -> list[psutil.Process]:
            found = {*descendants(worker.pid), *relatives(mark, session)}
            return [process for process in found if process.pid != worker.pid]

        end_session(session)
        end_all(cell)

    def _has_reply(self, worker: Any) -> bool:
        return bool(select.select([worker.stdout], [], [], REPLY_SECONDS)[0])

    def _lost(self, job: Job, started: str, status: Status, error: str) -> Record:
        record = failed(job.cell, status, error)
        return replace(record, environment=environment(), started=started, finished=now())
