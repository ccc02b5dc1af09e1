import dataclasses
import json
import sqlite3
from contextlib import closing

import pytest

from dfl_bench.contracts.fingerprint import canonical
from dfl_bench.errors import StoreError
from dfl_bench.store.cell import Cell
from dfl_bench.store.fields import known_fields
from dfl_bench.store.record import Record
from dfl_bench.store.row import DamagedRow
from dfl_bench.store.sql import from_row, to_row
from dfl_bench.store.store import Store
from tests.support.made import failure, record


def edited(row, column, **values):
    """A row as another release would have written it, with its checksum."""
    return row._replace(**{column: canonical(json.loads(getattr(row, column)) | values)}).sealed()


@pytest.mark.parametrize("made", [record("a", 3), failure("a", 3)])
def test_fields_that_a_newer_release_wrote_are_read_over(made, tmp_path):
    row = edited(edited(to_row(made), "details", weather="rain"), "cell", mood={"good": True})
    assert to_row(from_row(row)) == to_row(made)
    with Store(tmp_path / "newer.sqlite") as newer, Store(tmp_path / "ours.sqlite") as ours:
        newer.add_rows([row])
        ours.merge(newer)
        table = "results" if made.status == "ok" else "failures"
    with closing(sqlite3.connect(tmp_path / "ours.sqlite")) as db:
        ((cell, details),) = db.execute(f"SELECT cell, details FROM {table}").fetchall()
    assert json.loads(cell)["mood"] == {"good": True}  # merging loses nothing
    assert json.loads(details)["weather"] == "rain"


def test_a_newer_field_that_a_score_stands_on_is_an_error():
    row = to_row(record("a", 3))
    with pytest.raises(DamagedRow, match="a newer release wrote it"):
        from_row(row._replace(key="0123456789abcdef").sealed())


@pytest.mark.parametrize(
    ("column", "name", "value"),
    [
        ("details", "seconds", [1.0]),
        ("details", "seconds", {"train": "long"}),
        ("details", "solves", {"train": 1.5}),
        ("details", "peak_bytes", "many"),
        ("details", "peak_bytes", True),
        ("details", "alone", 1),
        ("details", "curve", [[1.0]]),
        ("details", "curve", {"0": 1}),
        ("details", "error", None),
        ("details", "predicted_worst_sum", "3"),
        ("cell", "method_changes", "steps"),
        ("cell", "method_config", None),
        ("cell", "problem_config", [1]),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error_that_names_record_and_field(column, name, value, tmp_path):
    row = to_row(record("a", 3))
    with Store(tmp_path / "wrong.sqlite") as store:
        store.add_rows([edited(row, column, **{name: value})])
        with pytest.raises(StoreError, match=rf"wrong\.sqlite: the record '{row.key}'.*its field '{name}'"):
            store.records()


def test_every_field_of_a_record_is_of_its_type():
    """A new annotation that the check does not understand would refuse every record."""
    made = record("a", 3, curve=((0.5, 1),), predicted_worst_sum=2.0, method_changes=("steps",))
    cell = json.loads(canonical(made.cell))
    assert known_fields(Cell, cell) == cell and set(cell) == {f.name for f in dataclasses.fields(Cell)}
    details = json.loads(to_row(made).details)
    assert known_fields(Record, details) == details
    with pytest.raises(TypeError, match="expected fields by name"):
        known_fields(Cell, [1, 2])
