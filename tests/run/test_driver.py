import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from dfl_bench.contracts.registry import load_plugin
from dfl_bench.errors import DflBenchError
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run import dask_pool as cluster
from dfl_bench.run.driver import run
from dfl_bench.run.job import Plugin
from dfl_bench.run.supervisor import Limits
from dfl_bench.store.store import Store
from tests.conftest import TOY


def entries(*methods: str, seeds: int = 2, **settings) -> list[Entry]:
    return [Entry(problem="toy", methods=methods, seeds=seeds, method_settings=settings)]


def scores(path) -> dict[str, float]:
    with Store(path, readonly=True) as store:
        records = store.records()
    found = {r.key: r.normalized_regret for r in records}
    assert len(found) == len(records)
    return found


def test_one_job_or_two_give_the_same_scores_and_a_restart_does_nothing(tmp_path, toy):
    cells = plan([Entry(problem="toy", methods=("toy-noisy", "toy-constant"), samples=(2, 4), seeds=4)])
    made = {}
    for jobs in (1, 2):
        with Store(tmp_path / f"{jobs}.sqlite") as store:
            summary = run(cells, store, jobs=jobs, plugins=[toy])
            assert (summary.new, summary.reused, summary.failed) == (12, 0, 0)
            assert jobs == 1 or not any(r.alone for r in store.records())
            again = run(cells, store, jobs=jobs, plugins=[toy])
            assert (again.new, again.reused) == (0, 12)
        made[jobs] = scores(tmp_path / f"{jobs}.sqlite")
    assert made[1] == made[2]


def test_a_restart_runs_what_is_missing_and_force_runs_all(tmp_path, toy):
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        run(plan(entries("toy-batched", seeds=2)), store, plugins=[toy])
        before = {r.key: (r.started, r.normalized_regret) for r in store.records()}
        summary = run(plan(entries("toy-batched", seeds=4)), store, plugins=[toy])
        assert (summary.new, summary.reused) == (2, 2)
        after = {r.key: (r.started, r.normalized_regret) for r in store.records()}
        assert before.items() <= after.items()
        time.sleep(1.0)  # records keep whole seconds
        forced = run(plan(entries("toy-batched", seeds=2)), store, plugins=[toy], force=True)
        assert (forced.new, forced.reused) == (2, 0)
        again = {r.key: (r.started, r.normalized_regret) for r in store.records()}
    assert {k: v[1] for k, v in again.items()} == {k: v[1] for k, v in after.items()}
    assert all(again[key][0] > before[key][0] for key in before)


@pytest.mark.slow
def test_methods_that_misbehave_fail_alone_and_with_their_reason(tmp_path, toy):
    names = ("raises", "hangs", "wrong-shape", "one-row", "eats", "dies", "diverges", "refuses", "noisy")
    cells = plan(entries(*(f"toy-{name}" for name in names), seeds=3))
    with Store(tmp_path / "r.sqlite") as store:
        limits = Limits(seconds=3.0, bytes=2**27)
        summary = run(cells, store, jobs=2, limits=limits, plugins=[toy])
        status, error = {}, {}
        for r in (*store.records(), *store.failures()):
            status.setdefault(r.cell.method.removeprefix("toy-"), []).append(r.status)
            error[r.cell.method.removeprefix("toy-"), r.cell.seed] = r.error
    assert summary.failed == 6 * 3 + 1
    assert summary.not_applicable == 3
    assert status["noisy"] == ["ok"] * 3
    assert status["refuses"] == ["n/a"] * 3
    assert status["hangs"] == ["timeout"] * 3
    assert sorted(status["diverges"]) == ["failed", "ok", "ok"]
    for name in ("raises", "wrong-shape", "one-row", "eats", "dies"):
        assert status[name] == ["failed"] * 3, name
    assert error["raises", 0].startswith("RuntimeError: I always raise")
    assert "toy.py" in error["raises", 0]
    assert "expected predictions of shape (40, 3), got (40, 2)" in error["wrong-shape", 2]
    assert "expected predictions of shape (40, 3), got (1, 3)" in error["one-row", 1]
    assert "limit is 128 MiB" in error["eats", 0]
    assert "SIGSEGV" in error["dies", 0]
    assert "DivergedError" in error["diverges", 1]
    assert "ended after 3 s (--time-limit)" in error["hangs", 0]
    assert error["refuses", 0] == "needs a linear objective"


def test_what_a_record_holds(tmp_path, toy):
    with Store(tmp_path / "r.sqlite") as store:
        run(plan(entries("toy-noisy", seconds=0.3, seeds=1)), store, plugins=[toy])
        (record,) = store.records()
    assert 0.3 <= record.seconds["train"] < 5
    assert record.solves["train"] == 40
    assert 2**20 < record.peak_bytes < 2**33
    assert record.environment["threads"]["OMP_NUM_THREADS"] == "1"
    assert record.environment["versions"]["torch"] != "not installed"
    assert record.provenance == "synthetic: toy"
    assert len(record.regret) == 40 and record.started <= record.finished


@pytest.mark.slow
def test_cells_have_one_thread_and_torch_is_ready(tmp_path):
    file = tmp_path / "threads.py"
    file.write_text(THREADS)
    load_plugin(file)
    cells = plan([Entry(problem="inventory", methods=("threads",), seeds=1)])
    with Store(tmp_path / "r.sqlite") as store:
        summary = run(cells, store, plugins=[Plugin.read(file)])
        assert [r.error for r in summary.errors] == []
        (record,) = store.records()
    # Imports, the first optimizer and compilation are outside the clock.
    assert record.seconds["train"] < 0.5


THREADS = """
import os
import numpy as np
from dfl_bench import Method, methods

@methods.register("threads", version=1)
class Threads(Method):
    def fit(self, task, rng):
        with task.ledger.phase("train"):
            import torch
            weight = torch.zeros(200, 200, requires_grad=True)
            optimizer = torch.optim.Adam([weight])
            (weight @ weight).sum().backward()
            optimizer.step()
            task.problem.regret(task.train.y, task.train.y, task.train.context)
        assert torch.get_num_threads() == 1
        assert len(os.listdir("/proc/self/task")) == 1, os.listdir("/proc/self/task")
        return lambda x: np.full((len(x), 5), 0.2)
"""


def command(path, *more: str) -> list[str]:
    base = [sys.executable, "-m", "dfl_bench", "run", "--plugin", str(TOY), "--problem", "toy", "--quiet"]
    return [*base, "--method", "toy-noisy", "--store", str(path), *more]


def children_of(pid: int) -> list[int]:
    import psutil

    try:
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def wait_until(condition, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def count(path) -> int:
    return len(scores(path)) if path.is_file() and path.stat().st_size else 0


def alive(pid: int) -> bool:
    import psutil

    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_leaves_nobody_behind(tmp_path, toy):
    path = tmp_path / "r.sqlite"
    many = [arg for k in range(2, 30) for arg in ("--samples", str(k))]
    more = ("--seeds", "1", "--set", "seconds=0.3", "--jobs", "2", *many)
    driver = subprocess.Popen(command(path, *more), stderr=subprocess.PIPE, text=True)
    wait_until(lambda: count(path) >= 2)
    workers = children_of(driver.pid)
    driver.send_signal(signal.SIGINT)
    _, text = driver.communicate(timeout=30)
    assert driver.returncode == 130
    assert "the same command goes on from here" in text
    assert 2 <= len(scores(path)) < 28
    wait_until(lambda: not any(map(alive, workers)))


@pytest.mark.slow
def test_kill_9_at_random_moments_changes_no_score(tmp_path, toy, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    sizes = [arg for k in range(2, 22) for arg in ("--samples", str(k))]
    more = ("--seeds", "3", "--set", "seconds=0.05", "--jobs", "2", *sizes)
    calm, stormy = tmp_path / "calm.sqlite", tmp_path / "stormy.sqlite"
    subprocess.run(command(calm, *more), check=True, timeout=120)
    moments, kills, longest = random.Random(4), 0, 2.0
    while not _completes_before(moments.uniform(0.0, longest), command(stormy, *more)):
        kills += 1
        longest *= 1.3  # a slow machine completes, too
    assert kills >= 3
    # Workers remove what a killed driver leaves; one killed before its first job may leave an empty folder.
    assert len(list(tmp_path.glob("dfl-bench-banks-*"))) <= 1
    assert scores(stormy) == scores(calm)
    assert len(scores(calm)) == 60


def _completes_before(seconds: float, arguments: list[str]) -> bool:
    """Run a command; kill it after some time, and see that its workers go with it."""
    driver = subprocess.Popen(arguments)
    try:
        assert driver.wait(seconds) == 0
        return True
    except subprocess.TimeoutExpired:
        workers = children_of(driver.pid)
        driver.kill()
        driver.wait()
        wait_until(lambda: not any(map(alive, workers)))
        return False


@pytest.mark.slow
def test_two_runs_into_one_store_at_once(tmp_path, toy):
    path = tmp_path / "r.sqlite"
    sizes = [arg for k in range(2, 14) for arg in ("--samples", str(k))]
    more = ("--seeds", "1", "--set", "seconds=0.2", "--jobs", "1", *sizes)
    drivers = [subprocess.Popen(command(path, *more)) for _ in range(2)]
    assert [driver.wait(timeout=120) for driver in drivers] == [0, 0]
    assert len(scores(path)) == 12


@pytest.mark.slow
def test_a_dask_cluster_that_loses_a_worker_records_every_cell_once(tmp_path, toy):
    path, where = tmp_path / "r.sqlite", tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    worker = [sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(where)]
    worker += ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(tmp_path)]
    worker += ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
    dask += ["--dashboard-address", "127.0.0.1:0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": {**os.environ}}
    started = [subprocess.Popen([*dask, "--no-dashboard", "--scheduler-file", str(where)], **quiet)]
    try:
        started += [subprocess.Popen(worker, **quiet) for _ in range(2)]
        wait_until(where.is_file)
        address = json.loads(where.read_text())["address"]
        sizes = tuple(range(2, 26))
        cells = plan([Entry(problem="toy", methods=("toy-noisy",), samples=sizes, seeds=1,
                             method_settings={"seconds": 0.4})])  # fmt: skip
        _wait_for_workers(address, 2)
        killer = subprocess.Popen(
            [sys.executable, "-c", _KILL_WHEN_HALF_DONE, str(path), str(started[1].pid)]
        )
        with Store(path) as store:
            summary = run(cells, store, plugins=[toy], scheduler=address)
        assert killer.wait(timeout=30) == 0
        assert started[1].wait(timeout=10) == -signal.SIGKILL
        assert (summary.new, summary.failed) == (24, 0)
        assert len(scores(path)) == 24
        with Store(tmp_path / "local.sqlite") as store:
            run(cells[:3], store, plugins=[toy])
        assert scores(tmp_path / "local.sqlite").items() <= scores(path).items()
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_no_scheduler_is_told(tmp_path, toy, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with Store(tmp_path / "r.sqlite") as store, pytest.raises(DflBenchError, match="no Dask scheduler at"):
        run(plan(entries("toy-noisy")), store, scheduler="tcp://127.0.0.1:1")


_KILL_WHEN_HALF_DONE = """
import os, sys, time
from pathlib import Path
from dfl_bench.store.store import Store
path = Path(sys.argv[1])
while True:
    time.sleep(0.1)
    if path.is_file() and path.stat().st_size:
        with Store(path, readonly=True) as store:
            if len(store.records()) >= 6:
                break
os.kill(int(sys.argv[2]), 9)
"""


def _wait_for_workers(address: str, n: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(n, timeout=60)
