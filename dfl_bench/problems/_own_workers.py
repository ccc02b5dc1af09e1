"""Processes that solve rows for a slow solver: each is sent the solver once, then blocks of rows.

Such a process runs `main`. Nothing is bound to the network. A process ends with its input, hence with its
parent.
"""

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any

import numpy as np

from ..errors import DflBenchError

HEAD = 8  # bytes that say how long a message is
Block = tuple[Any, ...]
Solve = Callable[..., np.ndarray]


class Workers:
    """Some processes with one function; `solve` gives them blocks and returns the results in order."""

    def __init__(self, function: Solve, count: int) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self._owner = os.getpid()
        self._sent = pack_function(function)
        self._processes += [self._start() for _ in range(count)]

    def _start(self) -> "subprocess.Popen[bytes]":
        path = os.pathsep.join(folder or os.getcwd() for folder in sys.path)
        one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        process = subprocess.Popen(
            [sys.executable, "-c", f"from {__name__} import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **one, "PYTHONPATH": path},
        )
        assert process.stdin is not None
        _write(process.stdin, self._sent)
        return process

    def solve(self, blocks: Sequence[Block]) -> list[np.ndarray]:
        """Return what the function gives for each block; the first error of any block is raised."""
        todo: queue.SimpleQueue[int] = queue.SimpleQueue()
        for i in range(len(blocks)):
            todo.put(i)
        results: list[Any] = [None] * len(blocks)
        threads = [
            threading.Thread(target=self._serve, args=(process, blocks, todo, results), daemon=True)
            for process in self._processes[: len(blocks)]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for result in results:
            if isinstance(result, Exception):
                raise result
        return results

    @staticmethod
    def _serve(
        process: Any, blocks: Sequence[Block], todo: "queue.SimpleQueue[int]", results: list[Any]
    ) -> None:
        while True:
            try:
                i = todo.get_nowait()
            except queue.Empty:
                return
            try:
                _write(process.stdin, pickle.dumps(blocks[i]))
                answer = _read(process.stdout)
                if answer is None:
                    raise EOFError(f"exit code {process.wait()}")
                results[i] = pickle.loads(answer)
            except Exception as error:
                results[i] = DflBenchError(
                    f"a process of the solver ended ({error}); pass workers=1 to see why."
                )

    def close(self) -> None:
        """End the processes, if they are this process's own."""
        for process in self._processes if self._owner == os.getpid() else ():
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    stream.close()
            process.kill()
            process.wait()
        self._processes = []

    def __del__(self) -> None:
        self.close()


def pack_function(function: Solve) -> bytes:
    """Return a function as bytes, whatever file or prompt it was written in."""
    import cloudpickle

    # What the user wrote travels by value: a file given by its path has no name that another process imports.
    own = [module for module in _modules_of(function) if not _is_installed(module)]
    for module in own:
        cloudpickle.register_pickle_by_value(module)
    try:
        return cloudpickle.dumps(function)
    finally:
        for module in own:
            cloudpickle.unregister_pickle_by_value(module)


def _modules_of(function: Any) -> list[Any]:
    names = {getattr(f, "__module__", None) for f in (function, *getattr(function, "parts", ()))}
    return [sys.modules[name] for name in names - {None, "__main__"} if name in sys.modules]


def _is_installed(module: Any) -> bool:
    file = getattr(module, "__file__", None) or ""
    return "site-packages" in file or module.__name__.partition(".")[0] in ("dfl_bench", "kernels", "lcgln")


def _write(stream: IO[bytes], data: bytes) -> None:
    rest = memoryview(len(data).to_bytes(HEAD, "little") + data)
    while rest:
        rest = rest[stream.write(rest) :]


def _read(stream: IO[bytes]) -> bytes | None:
    head = _exactly(stream, HEAD)
    return None if head is None else _exactly(stream, int.from_bytes(head, "little"))


def _exactly(stream: IO[bytes], size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        chunk = stream.read(size - len(data))
        if not chunk:
            return None
        data += chunk
    return bytes(data)


def main() -> None:
    """Take a function, then answer blocks until the input ends."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a solver prints must not come between the answers
    asked = os.fdopen(os.dup(0), "rb", buffering=0)
    packed = _read(asked)
    if packed is None:
        return
    function = pickle.loads(packed)
    while (block := _read(asked)) is not None:
        try:
            answer: Any = function(*pickle.loads(block))
        except Exception as error:
            answer = error
        _write(answers, _packed(answer))


def _packed(answer: Any) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception:  # an error may hold what cannot travel
        return pickle.dumps(DflBenchError(f"{type(answer).__name__}: {answer}"))
