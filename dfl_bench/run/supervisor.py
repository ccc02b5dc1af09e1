"""One fork server, whose children are watched and ended at their limits."""

import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from typing import Any

from ..store.environment import THREAD_VARIABLES, environment
from ..store.record import Record, Status
from ..store.store import now
from .job import Job, failed
from .messages import read_message, write_message

POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Limits:
    """When a cell is ended: after so many seconds, or above so many bytes of resident memory."""

    seconds: float = 3600.0
    bytes: int | None = None


class Supervisor:
    """Runs one cell at a time; safe to close from another thread, which ends what runs."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._worker: subprocess.Popen[bytes] | None = None
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
                return self._lost(job, started, "failed", "its worker process ended.")
            reason = self._watch(worker, message[1])
            message = read_message(worker.stdout)
        except OSError as error:
            return self._lost(job, started, "failed", f"its worker process ended: {error}.")
        match message, reason:
            case ("done", record), _:
                return record
            case _, (status, text):
                return self._lost(job, started, status, text)
            case ("died", number), _:
                return self._lost(job, started, "failed", f"the process died of {_signal_name(number)}.")
            case _:
                return self._lost(job, started, "failed", "its worker process ended.")

    def close(self) -> None:
        """End the worker and whatever it runs."""
        self._closed = True
        if self._worker is not None:
            self._worker.kill()
            self._worker.wait()
            self._worker = None

    def _ready_worker(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise RuntimeError("the supervisor is closed.")
        if self._worker is None or self._worker.poll() is not None:
            pinned = dict.fromkeys(THREAD_VARIABLES, "1")
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

    def _watch(self, worker: Any, pid: int) -> tuple[Status, str] | None:
        """Wait for an answer; end the child at its limits and return why."""
        end = time.monotonic() + self.limits.seconds
        while not select.select([worker.stdout], [], [], POLL_SECONDS)[0]:
            if time.monotonic() > end:
                _kill(pid)
                return "timeout", f"ended after {self.limits.seconds:g} s (--time-limit)."
            used = _resident(pid) if self.limits.bytes is not None else 0
            if self.limits.bytes is not None and used > self.limits.bytes:
                _kill(pid)
                limit = self.limits.bytes / 2**20
                return "failed", f"ended at {used / 2**20:.0f} MiB (--memory-limit is {limit:.0f} MiB)."
        return None

    def _lost(self, job: Job, started: str, status: Status, error: str) -> Record:
        record = failed(job.cell, status, error)
        return replace(record, environment=environment(), started=started, finished=now())


def _resident(pid: int) -> int:
    import psutil

    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _signal_name(number: int) -> str:
    return signal.Signals(number).name if number else "an early exit"
