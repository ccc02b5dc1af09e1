"""A forked process and a pipe each way; its death ends a read or a write, whoever else holds the pipes.

A process that a method has started may hold a pipe open for ever, so the end of a stream is not waited for.
"""

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable
from typing import IO, Any

from .messages import HEAD, framed

POLL_SECONDS = 0.1
LARGEST_MESSAGE = 1 << 40  # bytes
EXIT_SECONDS = 1.0  # from the end of a stream to the end of its process
_PR_SET_PDEATHSIG = 1

Work = Callable[[IO[bytes], IO[bytes]], None]


class Interrupted(Exception):
    """The stream that was watched beside has something to read."""


class Partner:
    """The process that was forked to do some work, seen from the one that asked for it."""

    def __init__(self, work: Work, *, close: Iterable[int] = ()) -> None:
        """Fork.

        Args:
            work: what the process does, given its input and its output; it ends with the work.
            close: descriptors of this process that are none of its business.
        """
        asked, self._asking = os.pipe()
        self._answers, answering = os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            for descriptor in (self._asking, self._answers, *close):
                os.close(descriptor)
            _work(work, parent, asked, answering)
        os.close(asked)
        os.close(answering)
        os.set_blocking(self._asking, False)
        self._open = [self._asking, self._answers]
        self._status: int | None = None

    def send(self, data: bytes) -> bool:
        """Write a message; return whether the process lived to take it."""
        rest = memoryview(framed(data))
        try:
            while rest:
                if select.select([], [self._asking], [], POLL_SECONDS)[1]:
                    rest = rest[os.write(self._asking, rest) :]
                elif self._has_ended():
                    return False
        except BrokenPipeError:
            return False
        return True

    def receive(self, beside: IO[bytes] | None = None) -> bytes | None:
        """Return the next message, or None where the process ended without one.

        Args:
            beside: a stream to watch; `Interrupted` is raised when it has something to read.
        """
        data, size = bytearray(), None
        watched: list[Any] = [self._answers] if beside is None else [self._answers, beside]
        while size is None or len(data) < size:
            ended = self._has_ended()  # asked first: what it wrote before its end is still in the pipe
            ready = select.select(watched, [], [], 0 if ended else POLL_SECONDS)[0]
            if beside is not None and beside in ready:
                raise Interrupted
            if self._answers in ready:
                chunk = os.read(self._answers, 1 << 20)
                data += chunk
                if not chunk:
                    return None
            elif ended:
                return None
            if size is None and len(data) >= HEAD:
                size = HEAD + int.from_bytes(data[:HEAD], "little")
                if size > LARGEST_MESSAGE:
                    raise ValueError(
                        f"a message of {size} bytes: a method has written to the pipe of answers."
                    )
        return bytes(data[HEAD:size])

    def end(self) -> int:
        """End the process, if it has not ended, and return its exit status as `os.waitpid` has it."""
        if not self._has_ended():
            os.kill(self.pid, signal.SIGKILL)
            self._status = os.waitpid(self.pid, 0)[1]
        while self._open:
            os.close(self._open.pop())
        assert self._status is not None
        return self._status

    def cause_of_death(self) -> str:
        """Say what ended a process that gave no answer; one that lives on has a moment to end."""
        deadline = time.monotonic() + EXIT_SECONDS
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(0.01)
        return "a closed pipe" if self._status is None else _status_name(self._status)

    def _has_ended(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            self._status = status if pid else None
        return self._status is not None


def _status_name(status: int) -> str:
    """Return the name of the signal that ended a process, or say that it left by itself."""
    if not os.WIFSIGNALED(status):
        return f"an early exit with code {os.waitstatus_to_exitcode(status)}"
    number = os.WTERMSIG(status)
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


def _work(work: Work, parent: int, asked: int, answering: int) -> None:
    """Do the work and leave without the clean-up that belongs to the process this was forked from."""
    code = 1
    try:
        if sys.platform == "linux":
            # A child must not outlive the process it was forked from.
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() == parent:
            work(os.fdopen(asked, "rb", buffering=0), os.fdopen(answering, "wb"))
            code = 0
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        os._exit(code)
