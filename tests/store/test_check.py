import hashlib
import sqlite3
from contextlib import closing

import pytest
from typer.testing import CliRunner

from dfl_bench.cli import app
from dfl_bench.errors import StoreError
from dfl_bench.store.check import examine, repair
from dfl_bench.store.sql import to_row
from dfl_bench.store.store import Store
from tests.support.made import failure, record

GOOD = [record("a", seed) for seed in range(30)]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        store.add(*GOOD, failure("b", 0))
    return path


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement, values)


def files(folder):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}


def call(*arguments, code=0):
    done = CliRunner().invoke(app, ["store", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def test_a_whole_file_is_counted_and_left_alone(path, tmp_path):
    before = path.read_bytes()
    text = call("check", path)
    assert "30 results and 1 failures are whole, 0 records are damaged" in text
    assert "is as it was written" in text
    assert "nothing to repair" in call("repair", path)
    assert path.read_bytes() == before and not (tmp_path / "results.sqlite.damaged").exists()


def test_check_lists_every_damaged_record_and_changes_nothing(path):
    change(path, "UPDATE results SET details = '{}' WHERE key = ?", GOOD[3].key)
    change(path, "UPDATE results SET method = 'z' WHERE key = ?", GOOD[4].key)
    change(path, "DELETE FROM results WHERE key = ?", GOOD[5].key)
    before = path.read_bytes()
    text = call("check", path, code=1)
    assert f"record {GOOD[3].key}: its checksum does not match its content" in text
    assert f"record {GOOD[4].key}: its column method is 'z'" in text
    assert "1 of 30 results are gone" in text
    assert "27 results and 1 failures are whole, 2 records are damaged" in text
    assert path.read_bytes() == before


def test_repair_keeps_what_is_whole_and_the_old_file(path, tmp_path):
    change(path, "UPDATE results SET details = '{}' WHERE key = ?", GOOD[3].key)
    before = path.read_bytes()
    assert f"record {GOOD[3].key}" in call("repair", path)
    assert (tmp_path / "results.sqlite.damaged").read_bytes() == before
    with Store(path) as store:
        assert [to_row(r) for r in store.records()] == [to_row(r) for r in GOOD if r.key != GOOD[3].key]
        assert [r.key for r in store.failures()] == [failure("b", 0).key]
        assert store.add(GOOD[3]) == 1
    assert examine(path).is_whole
    change(path, "DELETE FROM results WHERE key = ?", GOOD[7].key)
    with pytest.raises(StoreError, match=r"results\.sqlite\.damaged exists already"):
        repair(path)


def test_repair_into_a_new_file_leaves_the_old_one(path, tmp_path):
    change(path, "DELETE FROM environments WHERE rowid = 99")
    change(path, "DELETE FROM results WHERE key = ?", GOOD[0].key)
    before = path.read_bytes()
    new = tmp_path / "new.sqlite"
    assert "29 results" in call("repair", path, "--into", new)
    assert path.read_bytes() == before
    with Store(new, readonly=True) as store:
        assert len(store.records()) == 29
    with pytest.raises(StoreError, match=r"new\.sqlite exists already"):
        repair(path, new)


def test_a_damaged_page_costs_only_its_own_records(path):
    data = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as db:
        leaves = "SELECT pageno FROM dbstat WHERE name = 'results' AND pagetype = 'leaf'"
        (page, *_) = [page for (page,) in db.execute(leaves)][2:]
    data[(page - 1) * 4096 : page * 4096] = bytes(4096)
    path.write_bytes(data)
    with Store(path, readonly=True) as store, pytest.raises(StoreError, match="damaged"):
        store.records()
    found = examine(path)
    assert 20 <= len(found.whole) < 31 and found.faults
    assert {row.key for row in found.whole} <= {r.key for r in (*GOOD, failure("b", 0))}


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
@pytest.mark.parametrize("mark", [0, 77])
def test_the_database_of_another_program_is_not_touched(mode, mark, tmp_path):
    foreign = tmp_path / "foreign.sqlite"
    with closing(sqlite3.connect(foreign)) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")
        db.execute(f"PRAGMA application_id = {mark}")
        db.execute("CREATE TABLE theirs (x)")
    before = files(tmp_path)
    actions = (
        lambda: Store(foreign),
        lambda: Store(foreign, readonly=True),
        lambda: examine(foreign),
        lambda: repair(foreign),
    )
    for action in actions:
        with pytest.raises(StoreError, match="database of another program"):
            action()
        assert files(tmp_path) == before


def test_a_file_that_is_no_database_is_refused_and_not_repaired(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("this is no database" * 100)
    before = files(tmp_path)
    for action in (lambda: Store(text), lambda: repair(text)):
        with pytest.raises(StoreError, match=r"notes\.txt.*not a results file"):
            action()
    assert "not a results file" in call("check", text, code=1)
    assert files(tmp_path) == before
    with pytest.raises(StoreError, match="no results file"):
        examine(tmp_path / "nowhere")


def test_an_older_file_is_checked_and_repaired_too(tmp_path):
    from tests.store.test_store import write_first_schema

    path = tmp_path / "old.sqlite"
    write_first_schema(path, [({"seed": seed}, [seed]) for seed in range(3)])
    assert examine(path).is_whole
    change(path, "UPDATE results SET cell = substr(cell, 1, 40) WHERE key = 'old1'")
    before = path.read_bytes()
    found = examine(path)
    assert [damaged.key for damaged in found.damaged] == ["old1"] and len(found.whole) == 2
    assert path.read_bytes() == before
    repair(path)
    with Store(path, readonly=True) as store:
        assert [r.cell.seed for r in store.records()] == [0, 2]
