"""Kill one process of a run with -9 at a random moment, go on, and compare every score."""

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp

import psutil

from dfl_bench.contracts.registry import load_plugin
from dfl_bench.errors import DflBenchError
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run.driver import run
from dfl_bench.run.job import Plugin
from dfl_bench.store.store import Store
from tests.conftest import TOY
from tests.faults.clusters import LocalCluster
from tests.faults.support import all_gone, mark_processes

SAMPLES = tuple(range(2, 8))
SECONDS = 0.1  # of a cell
METHOD = "toy-starts"
# Generations below the driver.
DEPTH = {"worker": 1, "child": 2, "fit": 3, "grandchild": 4}


@dataclass(frozen=True)
class Killed:
    target: str
    same: bool  # the resumed run ends with the calm run's scores, to the last bit
    clean: bool  # no process is left, after the kill and at the end
    hit: bool  # there was something to kill


def scores(path: Path) -> dict[str, float | None]:
    """Return the scores of a store by key."""
    with Store(path, readonly=True) as store:
        return {record.key: record.normalized_regret for record in store.records()}


def calm_scores(folder: Path) -> dict[str, float | None]:
    """Return the scores of a run in which nothing is killed."""
    path = folder / "calm.sqlite"
    _run_here(path)
    found = scores(path)
    assert len(found) == len(SAMPLES)
    return found


def kill_once(folder: Path, target: str, calm: dict[str, float | None], moments: random.Random) -> Killed:
    """Kill a target once, then run again without a fault.

    Args:
        folder: for the store.
        target: "driver", "worker", "child", "fit", "grandchild" or "scheduler".
        calm: the scores to end with.
        moments: when to kill.
    """
    here = Path(mkdtemp(dir=folder))
    path, mark = here / "r.sqlite", mark_processes()
    if target == "driver":
        hit = _kill_driver(path, moments.uniform(0.3, 2.5))
    elif target == "scheduler":
        hit = _kill_scheduler(here, path, moments.uniform(0.2, 1.5))
    else:
        hit = _kill_below(path, DEPTH[target], moments.uniform(0.0, 0.8))
    clean = all_gone(mark)
    _run_here(path)
    result = Killed(target, scores(path) == calm, clean and all_gone(mark), hit)
    shutil.rmtree(here)
    return result


def _cells() -> list:
    load_plugin(TOY)
    settings = {"seconds": SECONDS}
    return plan([Entry(problem="toy", methods=(METHOD,), samples=SAMPLES, seeds=1, method_settings=settings)])


def _run_here(path: Path, scheduler: str | None = None) -> None:
    with Store(path) as store:
        run(_cells(), store, jobs=2, plugins=[Plugin.read(TOY)], scheduler=scheduler)


def _kill_driver(path: Path, after: float) -> bool:
    sizes = [argument for k in SAMPLES for argument in ("--samples", str(k))]
    command = [sys.executable, "-m", "dfl_bench", "run", "--plugin", str(TOY), "--problem", "toy", "--quiet"]
    command += ["--method", METHOD, "--seeds", "1", "--jobs", "2", "--set", f"seconds={SECONDS}", *sizes]
    driver = subprocess.Popen([*command, "--store", str(path)], stderr=subprocess.DEVNULL)
    try:
        driver.wait(after)
        return False
    except subprocess.TimeoutExpired:
        driver.kill()
        driver.wait()
        return True


def _kill_below(path: Path, depth: int, after: float) -> bool:
    return _while_killing(lambda: _run_here(path), lambda: _kill_generation(depth), after)


def _kill_scheduler(folder: Path, path: Path, after: float) -> bool:
    def kill() -> bool:
        cluster.kill_scheduler()
        return True

    with LocalCluster(folder) as cluster:
        _wait_for_worker(cluster)
        return _while_killing(lambda: _run_here(path, cluster.address), kill, after)


def _while_killing(work: Callable[[], None], kill: Callable[[], bool], after: float) -> bool:
    """Work, and kill beside; return whether a kill met something before the work was over."""
    over, hit = threading.Event(), threading.Event()

    def strike() -> None:
        time.sleep(after)
        while not over.is_set() and not hit.is_set():
            if kill():
                hit.set()

    striker = threading.Thread(target=strike)
    striker.start()
    try:
        work()
    except DflBenchError as error:
        assert "scheduler" in str(error), error
    finally:
        over.set()
        striker.join()
    return hit.is_set()


def _kill_generation(depth: int) -> bool:
    """Kill one process so many generations below this one, within a run's worker."""
    try:
        found = [p for p in psutil.Process().children() if "dfl_bench.run.fork_server" in p.cmdline()]
        for _ in range(depth - 1):
            found = [child for process in found for child in process.children()]
        if found:
            os.kill(found[0].pid, 9)
    except (psutil.Error, ProcessLookupError):
        return False
    return bool(found)


def _wait_for_worker(cluster: LocalCluster) -> None:
    from distributed import Client

    with Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(cluster.workers, timeout=60)
