"""A Dask scheduler and workers as processes of this machine, bound to 127.0.0.1 alone."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

LOOPBACK = ["--host", "127.0.0.1"]


class LocalCluster:
    """Starts with a scheduler and its workers; a new scheduler takes the same port."""

    def __init__(self, folder: Path, workers: int = 1, options: Sequence[str] = ()) -> None:
        self.folder, self.workers, self.options = folder, workers, options
        self.port = 0
        self.processes: list[subprocess.Popen[bytes]] = []
        self.start()

    def start(self, preload: Path | None = None) -> None:
        """Start a scheduler and workers, and wait until all are there."""
        where = self.folder / "scheduler.json"
        where.unlink(missing_ok=True)
        about = ["--scheduler-file", str(where)]
        quiet = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]
        scheduler = ["scheduler", *LOOPBACK, "--port", str(self.port), *quiet, *about, *self.options]
        self.processes = [self._start(scheduler)]
        self._wait_for(where.is_file)
        self.address = json.loads(where.read_text())["address"]
        self.port = int(self.address.rpartition(":")[2])
        worker = ["worker", *about, *LOOPBACK, "--nthreads", "1", "--no-nanny", *quiet]
        worker += ["--local-directory", str(self.folder), *self.options]
        worker += [] if preload is None else ["--preload", str(preload)]
        self.processes += [self._start(worker) for _ in range(self.workers)]

    def kill_scheduler(self) -> None:
        """Kill the scheduler with -9."""
        self.processes[0].kill()
        self.processes[0].wait()

    def stop(self) -> None:
        """End all processes, the workers first and gently: they have children to end."""
        for process in self.processes[::-1]:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
            process.wait()

    def __enter__(self) -> "LocalCluster":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _start(self, arguments: list[str]) -> "subprocess.Popen[bytes]":
        log = (self.folder / f"{arguments[0]}.log").open("ab")
        module = f"distributed.cli.dask_{arguments[0]}"
        return subprocess.Popen([sys.executable, "-m", module, *arguments[1:]], stdout=log, stderr=log)

    def _wait_for(self, condition: object, seconds: float = 60.0) -> None:
        deadline = time.monotonic() + seconds
        while not condition():  # type: ignore[operator]
            assert time.monotonic() < deadline, (self.folder / "scheduler.log").read_text()
            time.sleep(0.05)
