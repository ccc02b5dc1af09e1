"""The process cells are forked from: torch and Numba are imported once, and every cell starts at once.

``python -m dfl_bench.run.fork_server`` reads pickled jobs from its input and forks a child for each. To the
parent it writes ("started", pid), then ("done", record) or ("died", signal). It ends when its input ends.
"""

import ctypes
import importlib
import os
import re
import select
import shutil
import signal
import sys
from functools import cache
from typing import IO

from .. import methods, problems
from ..store.environment import environment
from .child import execute
from .job import Job
from .messages import read_message, write_message

_PR_SET_PDEATHSIG = 1
_NEEDS_TORCH = re.compile(r"^\s*(import|from) (torch|lcgln|dfl_bench\.(methods|training))\b", re.MULTILINE)


def main() -> None:
    """Serve jobs until the input ends."""
    # Whatever a plugin prints goes to stderr: the pipe to the parent carries records alone.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    jobs = os.fdopen(os.dup(0), "rb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    environment()  # asks git, once for all children
    banks = None
    try:
        while (job := read_message(jobs)) is not None:
            banks = job.banks
            _preload(job)
            _serve(job, jobs, replies)
    finally:
        # The input has ended because the driver was killed, else it would have removed the folder itself.
        if banks is not None:
            shutil.rmtree(banks, ignore_errors=True)


def _preload(job: Job) -> None:
    """Import what a job needs before the fork, so that it is done once and on nobody's clock.

    A user's files are imported by the child alone, whatever they do then; torch comes along if they name it.
    """
    for registry, name in ((problems, job.cell.problem), (methods, job.cell.method)):
        entry = registry.entries().get(name)
        if entry is not None and entry.source.startswith("dfl_bench."):
            registry.get(name)
    if any(_NEEDS_TORCH.search(plugin.text) for plugin in job.plugins):
        importlib.import_module("torch")
    if "torch" in sys.modules:
        _start_torch()
    if "numba" in sys.modules:
        _start_numba()


@cache
def _start_torch() -> None:
    import torch

    torch.set_num_threads(1)
    # The first optimizer imports a second's worth of torch. No backward pass here: with a GPU it starts
    # threads, which do not survive a fork.
    weight = torch.zeros(1, requires_grad=True)
    weight.grad = torch.zeros(1)
    torch.optim.Adam([weight]).step()


@cache
def _start_numba() -> None:
    import numba

    # The first compiled function initialises LLVM, half a second; it starts no thread.
    numba.njit(_increment)(1)


def _increment(number: int) -> int:
    return number + 1


def _serve(job: Job, jobs: IO[bytes], replies: IO[bytes]) -> None:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _child(job, writing)
    os.close(writing)
    write_message(replies, ("started", pid))
    with os.fdopen(reading, "rb", buffering=0) as results:
        # The parent is silent while a child runs: input that becomes readable means that it is gone.
        ready, _, _ = select.select([results, jobs], [], [])
        if jobs in ready:
            os.kill(pid, signal.SIGKILL)
            sys.exit(1)
        record = read_message(results)
    _, status = os.waitpid(pid, 0)
    if record is None:
        write_message(replies, ("died", os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0))
    else:
        write_message(replies, ("done", record))


def _child(job: Job, writing: int) -> None:
    """Run a job and leave without the clean-up that belongs to the process this was forked from."""
    if sys.platform == "linux":
        # A child must not outlive the worker it was forked from.
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    code = 1
    try:
        with os.fdopen(writing, "wb") as results:
            write_message(results, execute(job))
        code = 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
