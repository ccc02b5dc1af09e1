"""What was written is read, or one StoreError names the file, the record and what to do."""

import sqlite3
from contextlib import closing

import pytest

from dfl_bench.errors import StoreError
from dfl_bench.store.store import Store
from tests.support.made import failure, record


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "results.sqlite"
    with Store(path) as store:
        store.add(record("a", 0), record("a", 1), record("b", 0), failure("c", 0), failure("c", 0))
    return path


def change(path, statement, *values):
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute(statement, values).rowcount != 0


def refusal(path, table="records"):
    """The text of the one error that reading gives."""
    with pytest.raises(StoreError) as caught, Store(path, readonly=True) as store:
        getattr(store, table)()
    text = str(caught.value)
    assert str(path) in text and "dfl-bench store check" in text and "restore a copy" in text
    return text


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("problem", "q", "its column problem is 'q', its content says 'p'"),
        ("method", "b", "its column method is 'b', its content says 'a'"),
        ("protocol", "tuned", "its column protocol is 'tuned', its content says 'paper'"),
        ("seed", 7, "its column seed is 7, its content says 0"),
        ("seed", "many", "its column seed is 'many', its content says 0"),
        ("normalized_regret", 0.25, "its column normalized_regret is 0.25, not its score"),
        ("normalized_regret", None, "its column normalized_regret is None, not its score"),
        ("problem", b"\xff", "its column problem is"),
        ("status", "n/a", "its checksum does not match its content"),
        ("regret", b"", "its checksum does not match its content"),
        ("regret", None, "its checksum does not match its content"),
        ("cell", "[]", "its checksum does not match its content"),
        ("details", "{", "its checksum does not match its content"),
        ("checksum", "0" * 16, "its checksum does not match its content"),
        ("environment", "elsewhere", "its environment is missing or another one"),
        ("worst", 99, "its checksum does not match its content"),
    ],
)
def test_a_changed_column_is_an_error_that_names_the_record(path, column, value, reason):
    key = record("a", 0).key
    change(path, f"UPDATE results SET {column} = ? WHERE key = ?", value, key)
    text = refusal(path)
    assert f"the record {key!r} is damaged: {reason}" in text
    with Store(path, readonly=True) as store, pytest.raises(StoreError, match=key):
        store.records(method="b")  # whichever are asked for


def test_attempts_are_part_of_what_was_written(path):
    change(path, "UPDATE failures SET attempts = 3")
    assert record("c", 0).key in refusal(path, "failures")


def test_a_renamed_record_is_an_error(path):
    change(path, "UPDATE results SET key = 'ffff' WHERE key = ?", record("a", 0).key)
    assert "the record 'ffff' is damaged" in refusal(path)


@pytest.mark.parametrize(("statement", "reason"), [
    ("DELETE FROM results WHERE rowid = 2", "1 of 3 results are gone"),
    ("DELETE FROM results", "3 of 3 results are gone"),
    ("DELETE FROM seals", "it does not say how many results it should have"),
    ("UPDATE seals SET digest = 'x'", "it does not say how many results it should have"),
    ("UPDATE seals SET digest = '0123456789abcdef'", "some of its results are not those that were written"),
    ("UPDATE seals SET rows = 2", "1 results are there that were not written by dfl-bench"),
    ("DROP TABLE failures", "it lacks the table 'failures'"),
    ("DROP TABLE environments", "it lacks the table 'environments'"),
    ("CREATE TABLE more (x)", "it has the table 'more', which dfl-bench did not make"),
    ("CREATE VIEW more AS SELECT 1", "it has the view 'more', which dfl-bench did not make"),
    ("ALTER TABLE results DROP COLUMN seed", "the table 'results' has other columns"),
    ("DROP INDEX results_by_pair", "it lacks the index 'results_by_pair'"),
    ("PRAGMA user_version = 5", "it says that it is older than its tables are"),
    ("PRAGMA user_version = 3", "it says that it is older than its records are"),
    ("PRAGMA user_version = 1", "SQLite says 'table worst_regrets already exists'"),
    ("PRAGMA user_version = 0", "it says that it has schema 0"),
    ("PRAGMA user_version = -3", "it says that it has schema -3"),
])  # fmt: skip
def test_what_is_gone_or_more_is_an_error(path, statement, reason):
    change(path, statement)
    assert reason in refusal(path)


def test_a_deleted_failure_is_an_error(path):
    change(path, "DELETE FROM failures")
    assert "1 of 1 failures are gone" in refusal(path, "failures")


def test_a_run_notices_damage_before_it_begins(path):
    change(path, "UPDATE results SET key = 'ffff' WHERE key = ?", record("a", 0).key)
    with Store(path) as store, pytest.raises(StoreError, match="'ffff' is damaged"):
        store.has([record("a", 0).key])


def test_missing_environments_and_worst_regrets_are_errors(path):
    change(path, "DELETE FROM worst_regrets WHERE id = 1")
    assert "its checksum does not match" in refusal(path)
    change(path, "DELETE FROM environments")
    assert "its environment is missing" in refusal(path)


def test_a_changed_environment_is_an_error(path):
    change(path, "UPDATE environments SET facts = replace(facts, 'abacus', 'fast')")
    assert "its environment is missing or another one" in refusal(path)


def test_text_that_is_no_text_is_an_error_that_names_the_record(path):
    change(path, "UPDATE results SET details = CAST(x'fffe' AS TEXT) WHERE rowid = 1")
    assert f"the record {record('a', 0).key!r} is damaged" in refusal(path)


@pytest.mark.parametrize("length", [0, 1, 50, 100, 600, 4096, 10_000])
def test_a_file_that_is_cut_short_is_an_error(path, length):
    path.write_bytes(path.read_bytes()[:length])
    refusal(path)


def test_a_damaged_index_is_an_error_before_a_run_repeats_a_cell(path):
    """Damage that SQLite does not see: the index has lost its rows, the table has them."""
    with closing(sqlite3.connect(path)) as db:
        (page,) = db.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_results_1'"
        ).fetchone()
    data = bytearray(path.read_bytes())
    data[(page - 1) * 4096 + 3 : (page - 1) * 4096 + 5] = b"\0\0"  # cells on this page
    path.write_bytes(data)
    assert "the keys of its results and their index differ" in refusal(path)


def test_replacing_and_counting_on_keep_the_count_right(path):
    with Store(path) as store:
        assert store.add(record("a", 0, score=0.75), replace=True) == 1
        assert store.add(record("a", 0, score=0.75), replace=True) == 1  # the same once more
        assert store.add(record("a", 0, score=0.5), failure("c", 0), failure("d", 0), record("d", 0)) == 1
    with Store(path, readonly=True) as store:
        assert {r.cell.method for r in store.records()} == {"a", "b", "d"} and len(store.records()) == 4
        assert [r.attempts for r in store.failures()] == [3]


def test_a_failure_is_kept_with_the_settings_of_its_last_attempt(path):
    """What tables show is not part of the key, so it may differ between two attempts."""
    with Store(path) as store:
        store.add(failure("c", 0, method_changes=("steps",)))
        assert store.failures()[0].cell.method_changes == ("steps",)


def test_an_error_leaves_no_half_written_count(path):
    with Store(path) as store:
        with pytest.raises(TypeError):
            store.add(record("e", 0), record("e", 1, provenance=object()))
        assert len(store.records()) == 3


def test_a_row_of_the_first_release_that_cannot_be_read_is_named(tmp_path):
    from tests.store.test_store import write_first_schema

    path = tmp_path / "old.sqlite"
    write_first_schema(path, [({"seed": seed}, [seed]) for seed in range(3)])
    change(path, "UPDATE results SET cell = substr(cell, 1, 40) WHERE key = 'old1'")
    assert "the record 'old1' is damaged" in refusal(path)
