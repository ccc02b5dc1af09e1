"""A Dask cluster: a lost scheduler, other versions, TLS; everything is bound to 127.0.0.1."""

import subprocess
import threading
import time
from pathlib import Path

import psutil
import pytest

from dfl_bench.errors import DflBenchError
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.run.dask_pool import Cluster
from dfl_bench.run.driver import run
from dfl_bench.run.versions import difference, versions
from dfl_bench.store.store import Store
from tests.faults.clusters import LocalCluster
from tests.faults.support import all_gone, mark_processes

pytestmark = pytest.mark.slow

OTHER_NUMBA = """
from dfl_bench.run import versions
known = versions.versions()
known["numba"] = "0.0.1"
"""


def cells(n: int, seconds: float = 0.3):
    sizes = tuple(range(2, 2 + n))
    settings = {"seconds": seconds}
    return plan(
        [Entry(problem="toy", methods=("toy-noisy",), samples=sizes, seeds=1, method_settings=settings)]
    )


def wait_for_workers(cluster: LocalCluster, security=None) -> None:
    from distributed import Client

    with Client(cluster.address, set_as_default=False, security=security) as client:
        client.wait_for_workers(cluster.workers, timeout=60)


def test_a_lost_scheduler_ends_the_run_and_a_new_one_goes_on(tmp_path, toy, capfd):
    mark = mark_processes()
    with LocalCluster(tmp_path) as cluster:
        wait_for_workers(cluster)
        with Store(tmp_path / "r.sqlite") as store:

            def kill_when_begun() -> None:
                while not (tmp_path / "r.sqlite").is_file() or len(_keys(tmp_path)) < 2:
                    time.sleep(0.1)
                cluster.kill_scheduler()

            killer = threading.Thread(target=kill_when_begun)
            killer.start()
            begun = time.monotonic()
            with pytest.raises(
                DflBenchError, match=r"is gone: the cells that ran are failed and \d+ were not begun"
            ):
                run(cells(12), store, plugins=[toy], scheduler=cluster.address)
            killer.join()
            assert "Traceback" not in capfd.readouterr().err
            assert time.monotonic() - begun < 60
            failures = store.failures()
            assert 1 <= len(failures) <= 3  # one thread, and two cells to be ready
            assert all("the Dask scheduler at tcp://127.0.0.1:" in r.error for r in failures)
            kept = {r.key: r.normalized_regret for r in store.records()}
            cluster.stop()
            cluster.start()
            wait_for_workers(cluster)
            summary = run(cells(12), store, plugins=[toy], scheduler=cluster.address)
            assert (summary.new, summary.reused, summary.failed) == (12 - len(kept), len(kept), 0)
            after = {r.key: r.normalized_regret for r in store.records()}
    assert kept.items() <= after.items() and len(after) == 12
    with Store(tmp_path / "local.sqlite") as store:
        run(cells(12)[:3], store, plugins=[toy])
        assert {r.key: r.normalized_regret for r in store.records()}.items() <= after.items()
    assert all_gone(mark)


def _keys(folder: Path) -> set[str]:
    with Store(folder / "r.sqlite", readonly=True) as store:
        return {record.key for record in store.records()}


def test_other_versions_are_named_before_any_cell_runs(tmp_path, toy):
    preload = tmp_path / "other_numba.py"
    preload.write_text(OTHER_NUMBA)
    with LocalCluster(tmp_path, workers=0) as cluster:
        cluster.stop()
        cluster.workers = 1
        cluster.start(preload)
        wait_for_workers(cluster)
        ours = versions()["numba"]
        with (
            Store(tmp_path / "r.sqlite") as store,
            pytest.raises(DflBenchError, match=f"numba {ours} here and 0.0.1 there"),
        ):
            run(cells(1), store, plugins=[toy], scheduler=cluster.address)
        with Store(tmp_path / "r.sqlite") as store:
            assert not store.records() and not store.failures()


def test_a_difference_names_both_sides():
    ours = versions()
    assert {"python", "dfl-bench", "torch", "numba", "numpy", "distributed"} == set(ours)
    assert difference(ours, ours) == ""
    theirs = {**ours, "torch": "1.0"}
    assert difference(ours, theirs) == f"torch {ours['torch']} here and 1.0 there"


def test_the_clusters_of_these_tests_listen_on_loopback_alone(tmp_path):
    with LocalCluster(tmp_path) as cluster:
        wait_for_workers(cluster)
        listening = [
            connection.laddr.ip
            for process in cluster.processes
            for connection in psutil.Process(process.pid).net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
        ]
    assert listening and set(listening) == {"127.0.0.1"}


@pytest.fixture
def certificate(tmp_path) -> tuple[Path, Path]:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=test"]
    made = subprocess.run([*command, "-keyout", str(key), "-out", str(cert)], capture_output=True)
    if made.returncode:
        pytest.skip("openssl cannot make a certificate here")
    return cert, key


def test_cells_run_over_tls_and_a_driver_without_certificate_is_turned_away(tmp_path, toy, certificate):
    cert, key = map(str, certificate)
    options = ["--protocol", "tls", "--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key]
    with LocalCluster(tmp_path, options=options) as cluster:
        secure = Cluster(cluster.address, cert, cert, key)
        wait_for_workers(cluster, secure.security())
        with Store(tmp_path / "r.sqlite") as store:
            assert run(cells(2, 0.0), store, plugins=[toy], scheduler=secure).new == 2
            with pytest.raises(DflBenchError, match="--tls-ca, --tls-cert and --tls-key"):
                run(cells(3, 0.0), store, plugins=[toy], scheduler=cluster.address)


def test_tls_takes_all_three_files_and_a_tls_address():
    with pytest.raises(ValueError, match="all of --tls-ca, --tls-cert and --tls-key"):
        Cluster("tls://127.0.0.1:1", "ca.pem")
    with pytest.raises(ValueError, match="begins with tls://"):
        Cluster("tcp://127.0.0.1:1", "ca.pem", "cert.pem", "key.pem")
