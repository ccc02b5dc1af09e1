"""The process cells are forked from: torch and Numba are imported once, and every cell starts at once.

``python -m dfl_bench.run.fork_server`` reads pickled jobs from its input and forks a process for each. To the
parent it writes ("started", pid), then ("done", record) or ("died", cause). It ends when its input ends. No
process that a cell has started outlives the cell.
"""

import importlib
import os
import pickle
import re
import shutil
import signal
import sys
import time
from contextlib import suppress
from functools import cache, partial
from typing import IO

from .. import methods, problems
from ..store.environment import environment
from .job import Job
from .messages import read_message, write_message
from .partner import Interrupted, Partner
from .processes import END_SECONDS, adopt_orphans, descendants, end_all, has_children
from .scorer import score_cell

_NEEDS_TORCH = re.compile(r"^\s*(import|from) (torch|lcgln|dfl_bench\.(methods|training))\b", re.MULTILINE)

_NEEDS_CVXPY = re.compile(r"\bcvxpy\b")


def main() -> None:
    """Serve jobs until the input ends."""
    # Whatever a plugin prints goes to stderr: the pipe to the parent carries records alone.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    jobs = os.fdopen(os.dup(0), "rb", buffering=0)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    environment()  # asks git, once for all children
    adopt_orphans()
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
    if any(_NEEDS_CVXPY.search(plugin.text) for plugin in job.plugins):
        importlib.import_module("cvxpy")
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
    scorer = Partner(partial(_score, job), close=(jobs.fileno(), replies.fileno()))
    write_message(replies, ("started", scorer.pid))
    try:
        # The parent is silent while a cell runs: input that becomes readable means that it is gone.
        data = scorer.receive(beside=jobs)
    except Interrupted:
        scorer.end()
        _sweep(scorer.pid)
        sys.exit(1)
    cause = "" if data is not None else scorer.cause_of_death()
    scorer.end()
    _sweep(scorer.pid)
    write_message(replies, ("died", cause) if data is None else ("done", pickle.loads(data)))


def _score(job: Job, asked: IO[bytes], answers: IO[bytes]) -> None:
    os.setsid()  # a session of its own: all processes of the cell can be found and ended together
    write_message(answers, score_cell(job))


def _sweep(session: int) -> None:
    """End whatever a cell has left behind."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
    deadline = time.monotonic() + END_SECONDS
    while has_children() and time.monotonic() < deadline:
        end_all(lambda: descendants(os.getpid()))


if __name__ == "__main__":
    main()
