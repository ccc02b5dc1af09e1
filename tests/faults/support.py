"""What fault tests share: a plugin from its text, one run of it, and who is still alive afterwards."""

import os
import time
import uuid
from pathlib import Path

import psutil

from dfl_bench.contracts.registry import load_plugin
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run.driver import run
from dfl_bench.run.job import Plugin
from dfl_bench.run.supervisor import Limits
from dfl_bench.store.record import Record
from dfl_bench.store.store import Store
from tests.conftest import TOY

MARK = "DFL_BENCH_FAULTS"  # an environment variable that all processes of a test inherit

HEADER = """
import os, sys, time, subprocess, signal, threading
import numpy as np
from dfl_bench import Method, Network, Problem, Split, Splits, methods, problems, rng_for
"""


def write_plugin(folder: Path, name: str, text: str) -> Plugin:
    """Write and import a plugin."""
    path = folder / f"{name}.py"
    path.write_text(HEADER + text)
    load_plugin(path)
    return Plugin.read(path)


def method_text(name: str, body: str) -> str:
    """Return a method whose `fit` does something and then predicts zeros for the toy problem."""
    indented = "\n".join(f"        {line}" for line in body.strip().splitlines())
    return f"""
@methods.register("{name}", version=1)
class Faulty(Method):
    def fit(self, task, rng):
{indented}
        return lambda x: np.zeros((len(x), 3))
"""


def run_one(
    folder: Path, plugin: Plugin, method: str, problem: str = "toy", limits: Limits | None = None
) -> Record:
    """Run one seed of a method, and return what became of it."""
    load_plugin(TOY)
    cells = plan([Entry(problem=problem, methods=(method,), seeds=1)])
    with Store(folder / "r.sqlite") as store:
        run(cells, store, limits=limits, plugins=[Plugin.read(TOY), plugin])
        found = store.get(cells[0].key)
    assert found is not None
    return found


def mark_processes() -> str:
    """Mark this process's future children; return the mark."""
    os.environ[MARK] = uuid.uuid4().hex
    return os.environ[MARK]


def left_behind(mark: str, pids: tuple[int, ...] = ()) -> list[int]:
    """Return the living processes with a mark, or among some ids."""
    found = []
    for process in psutil.process_iter():
        try:
            marked = process.environ().get(MARK) == mark
            lives = process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            continue
        if lives and process.pid != os.getpid() and (marked or process.pid in pids):
            found.append(process.pid)
    return found


def all_gone(mark: str, pids: tuple[int, ...] = (), seconds: float = 5.0) -> bool:
    """Wait for the processes with a mark to end; return whether they have."""
    deadline = time.monotonic() + seconds
    while left_behind(mark, pids):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
