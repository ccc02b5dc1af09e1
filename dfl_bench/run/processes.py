"""All processes of a cell, those that a method has started included: who they are, and how they end.

A cell is a session of its own. On Linux its orphans become children of the worker it was forked from, so the
worker's descendants are the cell. Elsewhere, or when the worker is dead, they are known by their session and
by a mark in their environment.
"""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import psutil

MARK = "DFL_BENCH_WORKER"  # an environment variable: which worker a process comes from
END_SECONDS = 10.0
# A process is gone, or the system does not list its processes: Linux without /proc.
NOT_LISTED = (psutil.Error, OSError, IndexError)
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def descendants(pid: int) -> list[psutil.Process]:
    """Return the living children of a process, their children, and so on."""
    try:
        found = psutil.Process(pid).children(recursive=True)
    except NOT_LISTED:
        return []
    return [process for process in found if _lives(process)]


def relatives(mark: str, session: int | None) -> list[psutil.Process]:
    """Return the living processes with a mark or of a session, whoever their parent is."""
    try:
        return [p for p in psutil.process_iter() if _belongs(p, mark, session) and _lives(p)]
    except NOT_LISTED:
        return []


def end_session(session: int | None) -> None:
    """Kill the process group that leads a session: works where the system does not list processes, too."""
    if session is not None:
        with suppress(OSError):
            os.killpg(session, signal.SIGKILL)


def end_all(find: Callable[[], Iterable[psutil.Process]]) -> None:
    """Kill what is found until nothing is: a process may start others while it is looked for."""
    deadline = time.monotonic() + END_SECONDS
    while (found := list(find())) and time.monotonic() < deadline:
        for process in found:
            with suppress(psutil.Error):
                process.kill()
        time.sleep(0.01)


def has_children() -> bool:
    """Take leave of children that have ended; return whether there are others."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        return True
    return False


def memory_of(processes: Iterable[psutil.Process], limit: int) -> int:
    """Return the bytes that processes hold in memory; near a limit, what they share is counted once.

    Args:
        processes: which ones.
        limit: above it the sum of what each holds is not enough to go by.
    """
    found = list(processes)
    held = sum(_resident(process) for process in found)
    return held if held <= limit else sum(_proportional(process) for process in found)


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:
        return 0


def _proportional(process: psutil.Process) -> int:
    try:
        text = Path(f"/proc/{process.pid}/smaps_rollup").read_text(encoding="ascii", errors="replace")
    except OSError:  # no such system, or the process is gone
        return _resident(process)
    return 1024 * sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _belongs(process: psutil.Process, mark: str, session: int | None) -> bool:
    try:
        return os.getsid(process.pid) == session or process.environ().get(MARK) == mark
    except (psutil.Error, OSError):
        return False
