"""A system without /proc, as macOS is: here it is hidden in a mount namespace, which needs root."""

import os
import subprocess
import sys

import pytest

from dfl_bench import load_results
from dfl_bench.contracts import devices
from dfl_bench.run.idle import Usage
from tests.conftest import ROOT

HIDE = "mount -t tmpfs none /proc && exec "
can_hide = (
    os.geteuid() == 0
    and subprocess.run(["unshare", "-m", "sh", "-c", HIDE + "true"], capture_output=True).returncode == 0
)


@pytest.mark.slow
@pytest.mark.skipif(not can_hide, reason="needs root and mount namespaces")
def test_a_run_scores_the_same_without_proc(tmp_path):
    scores = {}
    for hidden in (False, True):
        store = tmp_path / f"{hidden}.sqlite"
        run = f"{sys.executable} -m dfl_bench run --problem inventory --method pfl --set steps=20 --seeds 1"
        command = f"{run} --quiet --memory-limit 4 --store {store}"
        shell = ["unshare", "-m", "sh", "-c", HIDE + command] if hidden else ["sh", "-c", command]
        done = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        (row,) = load_results(store).to_dict("records")
        scores[hidden] = row["normalized_regret"]
        assert row["peak_bytes"] > 2**20
    assert scores[True] == scores[False]


@pytest.mark.slow
@pytest.mark.skipif(not can_hide, reason="needs root and mount namespaces")
def test_a_time_limit_ends_a_cell_without_proc(tmp_path):
    command = (
        f"{sys.executable} -m dfl_bench run --problem inventory --method dfl --seeds 1 --set steps=1000000 "
        f"--set patience=1000000 --time-limit 6 --quiet --store {tmp_path / 'r.sqlite'}"
    )
    shell = ["unshare", "-m", "sh", "-c", HIDE + command]
    done = subprocess.run(shell, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "ended after 6 s" in done.stderr, done.stderr


def test_peak_memory_is_the_processs_where_proc_cannot_be_read(monkeypatch):
    monkeypatch.setattr(devices, "Path", lambda name: ROOT / "no" / "such" / "proc")
    assert devices.peak_memory("cpu") > 2**20


def test_nothing_is_alone_where_the_machine_does_not_say(monkeypatch):
    monkeypatch.setattr("psutil.cpu_times", lambda: (_ for _ in ()).throw(FileNotFoundError("/proc/stat")))
    before = Usage.now()
    assert not Usage.now().since(before).is_alone
