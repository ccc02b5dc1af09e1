import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dfl_bench import load_results
from dfl_bench.contracts.fingerprint import canonical, fingerprint
from dfl_bench.errors import StoreError
from dfl_bench.experiment.plan import plan
from dfl_bench.experiment.suite import Entry
from dfl_bench.store import schema
from dfl_bench.store.cell import changed
from dfl_bench.store.export import export
from dfl_bench.store.record import pack
from dfl_bench.store.store import Store
from tests.support.made import failure, record


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.sqlite"


def test_a_record_comes_back_exactly(path):
    kept = record("a", 3, curve=((0.5, 0.25), (1.0, 0.125)), alone=True, peak_bytes=123)
    with Store(path) as store:
        store.add(kept)
    with Store(path, readonly=True) as store:
        (found,) = store.records()
    np.testing.assert_array_equal(found.regret, kept.regret)
    np.testing.assert_array_equal(found.worst_regret, kept.worst_regret)
    assert found.normalized_regret == kept.normalized_regret
    for name in (
        "cell",
        "key",
        "status",
        "alone",
        "seconds",
        "solves",
        "peak_bytes",
        "curve",
        "machine",
    ):
        assert getattr(found, name) == getattr(kept, name), name


def test_the_first_result_of_a_cell_stays(path):
    with Store(path) as store:
        assert store.add(record("a", 0, score=0.5), record("a", 1, score=0.5)) == 2
        assert store.add(record("a", 0, score=0.9), record("a", 2, score=0.5)) == 1
        assert [r.normalized_regret for r in store.records()] == pytest.approx([0.5, 0.5, 0.5])


def test_failures_are_counted_and_never_hide_a_success(path):
    with Store(path) as store:
        assert store.add(failure("a", 0)) == 0
        assert store.add(failure("a", 0, status="timeout")) == 0
        (kept,) = store.failures()
        assert (kept.attempts, kept.status) == (2, "timeout")
        assert not store.has([kept.key])
        assert store.add(record("a", 0)) == 1
        assert store.failures() == []
        assert store.get(kept.key).status == "ok"


def test_records_are_written_all_or_none(path):
    with Store(path) as store:
        with pytest.raises(TypeError):
            store.add(record("a", 0), record("a", 1, provenance=object()))
        assert store.records() == []


def test_a_key_is_found_by_its_first_digits(path):
    with Store(path) as store:
        store.add(record("a", 0), record("a", 1), failure("a", 2))
        key = store.failures()[0].key
        assert store.find(key[:8]).key == key
        with pytest.raises(StoreError, match="several cells"):
            store.find("")
        with pytest.raises(StoreError, match="no cell"):
            store.find("zz")


def test_a_newer_file_is_refused_and_left_alone(path):
    with Store(path) as store:
        store.add(record())
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()
    for readonly in (False, True):
        with pytest.raises(StoreError, match="has schema 99, this version reads up to 6; upgrade"):
            Store(path, readonly=readonly)
    assert path.read_bytes() == before


def test_a_migration_keeps_records(path):
    with Store(path) as store:
        store.add(record("a", 0, score=0.5))
    longer = (*schema.MIGRATIONS, "ALTER TABLE results ADD COLUMN remark TEXT NOT NULL DEFAULT 'none'")
    db = sqlite3.connect(path, isolation_level=None)
    schema.migrate(db, "file", longer)
    assert db.execute("SELECT remark, normalized_regret FROM results").fetchall() == [("none", 0.5)]
    assert db.execute("PRAGMA user_version").fetchone() == (len(longer),)
    db.close()
    with pytest.raises(StoreError, match=f"has schema {len(longer)}"):
        Store(path)


def test_worst_regrets_are_kept_once_a_test_set(path):
    with Store(path) as store:
        store.add(*(record(method, seed) for method in "abc" for seed in (0, 1)), failure("d", 0))
        store.add(record("e", 0, status="n/a", regret=None, worst_regret=None))
        found = {r.key: r for r in store.records()}
    for method in "abc":
        for seed in (0, 1):
            made = record(method, seed)
            np.testing.assert_array_equal(found[made.key].worst_regret, made.worst_regret)
    assert found[record("e", 0).key].worst_regret is None
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT count(*) FROM worst_regrets").fetchone() == (2,)
    db.close()


FIRST_CELL = {
    "problem": "inventory", "problem_version": 1, "problem_config": {"n_train": 320, "n_test": 50},
    "source_digest": "", "method": "pfl", "method_version": 1, "method_config": {"steps": 100},
    "protocol": "paper", "seed": 0, "device": "cpu",
}  # fmt: skip


def write_first_schema(path, cells):
    """Write a file as the first release did: cells, each with the seeds it was trained together with."""
    db = sqlite3.connect(path, isolation_level=None)
    schema.migrate(db, "file", schema.MIGRATIONS[:1])
    here = fingerprint({})
    db.execute("INSERT INTO environments VALUES (?, '{}')", (here,))
    made = record()
    for i, (changes, together) in enumerate(cells):
        cell = FIRST_CELL | changes
        details = f'{{"group": {together}, "curve": []}}'
        names = (
            f"old{i}",
            cell["problem"],
            cell["method"],
            "paper",
            cell["seed"],
            "ok",
            made.normalized_regret,
        )
        row = (*names, canonical(cell), pack(made.regret), pack(made.worst_regret), details, here)
        db.execute(f"INSERT INTO results VALUES ({','.join('?' * len(row))})", row)
    db.close()
    return made


@pytest.mark.parametrize("readonly", [True, False])
def test_a_file_of_the_first_schema_keeps_its_scores(path, readonly):
    cells = [({"seed": seed}, [seed]) for seed in range(3)]
    made = write_first_schema(path, cells)
    before = path.read_bytes()
    with Store(path, readonly=readonly) as store:
        found = store.records()
    assert [r.cell.seed for r in found] == [0, 1, 2]
    for r in found:
        np.testing.assert_array_equal(r.regret, made.regret)
        np.testing.assert_array_equal(r.worst_regret, made.worst_regret)
    assert (path.read_bytes() == before) is readonly


def test_a_record_of_the_first_schema_has_the_key_of_today_where_all_is_known(path):
    write_first_schema(path, [({}, [0])])
    wanted = plan(
        [
            Entry(
                problem="inventory",
                methods=("pfl",),
                settings={"n_test": 50},
                method_settings={"steps": 100},
                seeds=1,
            )
        ]
    )
    with Store(path) as store:
        (found,) = store.records()
        assert store.has([wanted[0].key]) == {wanted[0].key}
    assert found.cell == wanted[0]
    assert found.cell.method_changes == ("steps",)


@pytest.mark.parametrize(
    ("changes", "together", "reason"),
    [
        ({}, [0, 1, 2], "trained in one batch with other seeds"),
        ({"method_version": 0}, [0], "version 0 of the method"),
        ({"problem_version": 7}, [0], "version 7 of the problem"),
        ({"method": "somebodys"}, [0], "the file of the method was not part of its key"),
        ({"method_config": {"gone": 1}}, [0], "the method had other settings"),
        (
            {"problem": "energy", "problem_config": {"data": "mine.csv"}},
            [0],
            "the content of its data file was not part of its key",
        ),
    ],
)
def test_what_is_not_known_is_kept_and_marked_as_older(path, changes, together, reason):
    write_first_schema(path, [(changes, together), ({}, [0])])
    with Store(path) as store:
        older, known = store.records()
    assert older.cell.older == reason and not known.cell.older
    assert older.key != known.key
    assert older.normalized_regret == known.normalized_regret


def test_a_setting_that_is_added_later_leaves_keys_as_they_were():
    """The key holds what differs from the defaults: a new field with a default is not in it."""

    @dataclass(frozen=True)
    class Before:
        steps: int = 10

    @dataclass(frozen=True)
    class After(Before):
        fancy: bool = False

    assert changed(Before(steps=5)) == changed(After(steps=5)) == {"steps": 5}
    assert changed(After(fancy=True)) == {"fancy": True}


def test_a_migration_that_fails_changes_nothing(path):
    Store(path).close()
    broken = (
        *schema.MIGRATIONS,
        "ALTER TABLE results ADD COLUMN remark TEXT; ALTER TABLE nowhere ADD COLUMN x",
    )
    db = sqlite3.connect(path, isolation_level=None)
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        schema.migrate(db, "file", broken)
    db.close()
    with Store(path) as store:
        assert store.add(record()) == 1


def test_other_databases_and_damaged_files_are_refused(path, tmp_path):
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as db:
        db.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreError, match="database of another program"):
        Store(foreign)
    text = tmp_path / "text.sqlite"
    text.write_text("this is no database" * 100)
    with pytest.raises(StoreError, match="not a results file"):
        Store(text)
    with Store(path) as store:
        store.add(*(record("a", seed) for seed in range(50)))
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 20_000)
    with pytest.raises(StoreError, match=r"damaged|malformed"):
        Store(path, readonly=True).records()


def test_a_missing_file_or_folder_is_an_error_that_says_what_to_do(tmp_path):
    with pytest.raises(StoreError, match="no results file"):
        Store(tmp_path / "none.sqlite", readonly=True)
    with pytest.raises(StoreError, match="no folder"):
        Store(tmp_path / "none" / "at all" / "results.sqlite")
    Store(tmp_path / "new" / "results.sqlite").close()
    assert (tmp_path / "new" / "results.sqlite").is_file()


def test_a_read_only_file_is_refused_before_work_and_can_be_read():
    folder = Path(tempfile.mkdtemp())
    try:
        path = folder / "results.sqlite"
        with Store(path) as store:
            store.add(record())
        path.chmod(0o444)
        folder.chmod(0o555)
        assert "read-only; make it writable" in _as_nobody(lambda: Store(path))
        assert _as_nobody(lambda: len(Store(path, readonly=True).records())) == "1"
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def _as_nobody(action) -> str:
    """Do something as a user without rights, in a child: root may write everywhere."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            text = str(action())
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writing, text.encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(pid, 0)
    return text


@pytest.fixture
def small_disk(tmp_path, monkeypatch):
    """A folder with 200 kB of room: a file system of its own where we may mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)]
    mounted = shutil.which("mount") and subprocess.run(mount, capture_output=True).returncode == 0
    if not mounted:
        usage = shutil.disk_usage(folder)
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=100_000))
    yield folder
    if mounted:
        subprocess.run(["umount", str(folder)], check=True)


def test_too_little_room_is_an_error_before_work(small_disk):
    with (
        Store(small_disk / "results.sqlite") as store,
        pytest.raises(StoreError, match="MiB of disk; free some"),
    ):
        store.begin(100)


def test_a_disk_that_fills_up_loses_nothing_finished(path):
    with Store(path) as store:
        store.add(record("a", 0))
        (pages,) = store._db.execute("PRAGMA page_count").fetchone()
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="the disk is full"):
            store.add(*(record("b", seed) for seed in range(100)))
        assert [r.cell.method for r in store.records()] == ["a"]


def test_two_writers_at_once_neither_lose_nor_repeat(path):
    code = (
        "import sys; from dfl_bench.store.store import Store; from tests.support.made import record\n"
        "with Store(sys.argv[1]) as store:\n"
        "    print(sum(store.add(record('a', seed, score=0.5)) for seed in range(60)))"
    )
    command = [sys.executable, "-c", code, str(path)]
    writers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    counts = [int(writer.communicate(timeout=60)[0]) for writer in writers]
    assert sum(counts) == 60
    with Store(path, readonly=True) as store:
        assert sorted(r.cell.seed for r in store.records()) == list(range(60))


def test_merge_takes_what_is_new(path, tmp_path):
    with Store(path) as mine, Store(tmp_path / "other.sqlite") as other:
        mine.add(record("a", 0, score=0.1), failure("a", 1))
        other.add(record("a", 0, score=0.9), record("a", 1), failure("a", 2))
        assert mine.merge(other) == 1
        assert mine.merge(other) == 0
        assert [r.cell.seed for r in mine.records()] == [0, 1]
        assert mine.records()[0].normalized_regret == pytest.approx(0.1)
        assert [(r.cell.seed, r.attempts) for r in mine.failures()] == [(2, 1)]


def test_the_frame_and_its_exports(path, tmp_path):
    sweep = {"problem": "budget", "problem_config": {"fake_targets": 5, "n_test": 50}}
    with Store(path) as store:
        store.add(
            record("a", 0, score=0.5, **sweep, method_config={"samples": 8}),
            failure("b", 1),
        )
    frame = load_results(path)
    first, second = frame.to_dict("records")
    assert (first["method"], first["samples"], first["fake_targets"], first["status"]) == ("a", 8, 5, "ok")
    assert first["normalized_regret"] == pytest.approx(0.5)
    assert (first["seconds"], first["seconds_train"], first["solves_train"]) == (1.5, 1.5, 7)
    assert second["status"] == "failed" and pd.isna(second["samples"]) and pd.isna(second["fake_targets"])
    assert "n_test" not in frame and frame["fake_targets"].dtype == "Int64"
    for name in ("out.csv", "out.parquet"):
        assert export(path, tmp_path / name) == 2
    assert list(pd.read_csv(tmp_path / "out.csv").columns) == list(frame.columns)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out.parquet"), frame)
    with pytest.raises(ValueError, match=r"\.csv or \.parquet"):
        export(path, tmp_path / "out.xlsx")
