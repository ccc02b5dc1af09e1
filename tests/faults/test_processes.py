"""Processes that a method starts are part of its cell: limits cover them, and they end with it."""

import time

import pytest

from dfl_bench.run.supervisor import Limits
from tests.faults.support import all_gone, mark_processes, method_text, run_one, write_plugin

SLEEPER = 'subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])'
NOTED = """
with open(os.path.dirname(os.path.abspath(__file__)) + "/pids", "a") as file:
    print({}, file=file)
"""
LONELY = """
child = subprocess.Popen(["/bin/sleep", "600"], env={}, start_new_session=True)
""" + NOTED.format("child.pid")
DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(600)
    os._exit(0)
"""
STUCK_POOL = """
import multiprocessing
pool = multiprocessing.get_context("fork").Pool(2)
pool.map(time.sleep, [600, 600])
"""
FORKED_AND_DIED = """
if os.fork() == 0:
    time.sleep(600)
"""


def noted(folder) -> tuple[int, ...]:
    path = folder / "pids"
    return tuple(map(int, path.read_text().split())) if path.is_file() else ()


@pytest.mark.parametrize(
    ("name", "body", "status"),
    [
        ("finished", SLEEPER, "ok"),
        ("raised", f"{SLEEPER}\nraise RuntimeError('no')", "failed"),
        ("crashed", f"{SLEEPER}\nos.kill(os.getpid(), 11)", "failed"),
        ("daemon", DAEMON, "ok"),
        ("lonely", LONELY, "ok"),
        ("exited-under-a-fork", FORKED_AND_DIED + "os._exit(3)", "failed"),
    ],
)
def test_what_a_cell_has_started_ends_with_it(tmp_path, name, body, status):
    mark = mark_processes()
    plugin = write_plugin(tmp_path, f"starts_{name.replace('-', '_')}", method_text(f"starts-{name}", body))
    begun = time.monotonic()
    record = run_one(tmp_path, plugin, f"starts-{name}", limits=Limits(seconds=60))
    assert (record.status, time.monotonic() - begun < 30) == (status, True), record.error
    assert all_gone(mark, noted(tmp_path))


def test_a_stuck_pool_of_processes_ends_at_the_time_limit(tmp_path):
    mark = mark_processes()
    plugin = write_plugin(tmp_path, "stuck_pool", method_text("stuck-pool", STUCK_POOL))
    begun = time.monotonic()
    record = run_one(tmp_path, plugin, "stuck-pool", limits=Limits(seconds=2))
    assert record.status == "timeout"
    assert time.monotonic() - begun < 20
    assert all_gone(mark)


def test_memory_of_a_grandchild_counts(tmp_path):
    mark = mark_processes()
    eats = "held = bytearray(900 * 2**20); time.sleep(60)"
    body = f"subprocess.run([sys.executable, '-c', 'import time; {eats}'])"
    plugin = write_plugin(tmp_path, "eats_below", method_text("eats-below", body))
    record = run_one(tmp_path, plugin, "eats-below", limits=Limits(seconds=30, bytes=500 * 2**20))
    assert record.status == "failed"
    assert "--memory-limit is 500 MiB" in record.error
    assert all_gone(mark)


def test_memory_that_forked_processes_share_is_counted_once(tmp_path):
    body = """
held = np.ones(2**24)  # 128 MiB
pids = []
for _ in range(6):
    if (pid := os.fork()) == 0:
        time.sleep(1.0)
        os._exit(0)
    pids.append(pid)
for pid in pids:
    os.waitpid(pid, 0)
"""
    plugin = write_plugin(tmp_path, "shares", method_text("shares", body))
    record = run_one(tmp_path, plugin, "shares", limits=Limits(seconds=30, bytes=500 * 2**20))
    assert record.status == "ok", record.error


def test_a_worker_that_is_stopped_by_its_cell_is_replaced(tmp_path):
    mark = mark_processes()
    # The parent of the fit's parent is the worker.
    body = "import psutil\nos.kill(psutil.Process().parent().ppid(), signal.SIGSTOP)\ntime.sleep(600)"
    plugin = write_plugin(tmp_path, "stops_worker", method_text("stops-worker", body))
    record = run_one(tmp_path, plugin, "stops-worker", limits=Limits(seconds=2))
    assert record.status == "timeout"
    assert all_gone(mark)


def test_a_worker_killed_by_its_cell_leaves_nothing(tmp_path):
    mark = mark_processes()
    body = f"{SLEEPER}\nimport psutil\nos.kill(psutil.Process().parent().ppid(), signal.SIGKILL)\n"
    plugin = write_plugin(tmp_path, "kills_worker", method_text("kills-worker", body + "time.sleep(600)"))
    record = run_one(tmp_path, plugin, "kills-worker")
    assert record.status == "failed"
    assert "its worker process ended" in record.error
    assert all_gone(mark)


def test_a_long_error_is_cut_and_odd_characters_are_replaced(tmp_path):
    plugin = write_plugin(
        tmp_path, "wordy", method_text("wordy", r"raise RuntimeError('\udcff' + 'x' * 10**7)")
    )
    record = run_one(tmp_path, plugin, "wordy")
    assert len(record.error) == 10_000
    record.error.encode()
