"""The Irish file: a small one made by hand, and the files of the literature where a user has them."""

import os
from pathlib import Path

import numpy as np
import pytest

from dfl_bench.data import cache, semo_file
from dfl_bench.data.semo_file import FEATURE_NAMES, load_semo
from dfl_bench.errors import DataError
from tests.support.semo import COLUMNS, HEADER, made_rows, recognised, write

FOLDER = os.environ.get("DFL_BENCH_SEMO_FOLDER")  # where semo_electricity.csv and predopt_knapsack.npz are


def test_a_file_with_the_same_columns_is_read(tmp_path):
    days = load_semo(write(tmp_path / "mine.csv", made_rows()))
    assert days.features.shape == (3, 48, 8)
    i = np.arange(144.0).reshape(3, 48) + 0.25
    np.testing.assert_array_equal(days.prices, 8000 + i)
    weekday = np.arange(3.0)[:, None]
    expected = [0, weekday, 44, 11, i, 1000 + i, 2000 + i, 5000 + i]
    for feature, name, values in zip(np.moveaxis(days.features, -1, 0), FEATURE_NAMES, expected, strict=True):
        np.testing.assert_array_equal(feature, np.broadcast_to(values, (3, 48)), err_msg=name)
    assert days.dates.astype(str).tolist() == ["2011-11-01", "2011-11-02", "2011-11-03"]


def test_the_known_file_may_miss_numbers(tmp_path, monkeypatch):
    rows = made_rows(4)
    co2, wind = COLUMNS.index("CO2Intensity"), COLUMNS.index("ForecastWindProduction")
    for row, text in ((10, "0.00"), (11, "?"), (12, "?")):
        rows[row][co2] = text
    rows[60][wind] = "?"
    del rows[3 * 48 + 2 : 3 * 48 + 4]
    days = load_semo(recognised(monkeypatch, write(tmp_path / "known.csv", rows)))
    assert days.dates.astype(str).tolist() == ["2011-11-01", "2011-11-03"]
    assert days.left_out.astype(str).tolist() == ["2011-11-02", "2011-11-04"]
    np.testing.assert_allclose(days.features[0, 8:14, -1], 5000.25 + np.arange(8, 14))


@pytest.mark.parametrize("column", ["SMPEP2", "CO2Intensity", "SMPEA", "HolidayFlag"])
@pytest.mark.parametrize("text", ["?", "", "nan", "inf"])
def test_a_missing_number_names_the_day(tmp_path, column, text):
    rows = made_rows()
    rows[50][COLUMNS.index(column)] = text
    with pytest.raises(DataError, match="2011-11-02; complete these days"):
        load_semo(write(tmp_path / "mine.csv", rows))


def test_missing_and_repeated_slots_name_the_first_day(tmp_path):
    rows = made_rows(4)
    twice = [*rows[:100], rows[99], *rows[100:]]
    with pytest.raises(DataError, match="2011-11-03; complete"):
        load_semo(write(tmp_path / "twice.csv", twice))
    short = [row for i, row in enumerate(twice) if i not in (7, 8)]
    with pytest.raises(DataError, match="2011-11-01 and another day; complete"):
        load_semo(write(tmp_path / "short.csv", short))


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("PeriodOfDay", "48"), ("PeriodOfDay", "-1"), ("PeriodOfDay", "2.5"), ("PeriodOfDay", "?"),
        ("DateTime", "2011-11-01 00:00"), ("DateTime", "?"), ("SMPEP2", "much"),
    ],
)  # fmt: skip
def test_a_row_that_cannot_be_read_is_refused(tmp_path, column, text):
    rows = made_rows()
    rows[5][COLUMNS.index(column)] = text
    with pytest.raises(DataError, match=r"expected .*mine\.csv"):
        load_semo(write(tmp_path / "mine.csv", rows))


def test_other_files_are_refused(tmp_path):
    contents = {
        "no columns": b"a,b\n1,2\n",
        "no rows": HEADER.encode(),
        "nothing": b"",
        "bytes": bytes(range(256)) * 40,
        "archive.zip": b"PK\x03\x04" + bytes(100),
        "packed.csv.gz": b"\x1f\x8b" + bytes(100),
    }
    for name, content in contents.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(DataError, match=r"expected "):
            load_semo(path)
    np.savez(tmp_path / "other.npz", X_1gtrain=np.zeros((48, 9)))
    with pytest.raises(DataError, match=r"predopt_knapsack\.npz.*not loaded"):
        load_semo(tmp_path / "other.npz")
    for path in (tmp_path / "absent.csv", tmp_path):
        with pytest.raises(DataError, match=r"no file .*spanish"):
            load_semo(path)


def test_the_archive_of_values_is_read(tmp_path, monkeypatch):
    path = tmp_path / "values.npz"
    x, y = np.arange(96 * 9.0).reshape(96, 9), np.arange(96.0)
    np.savez(path, X_1gtrain=x[:48], X_1gtest=x[48:], y_train=y[:48], y_test=y[48:])
    monkeypatch.setattr(semo_file, "VALUES_SHA256", cache.sha256(path))
    days = load_semo(path)
    np.testing.assert_array_equal(days.features, x[:, 1:].reshape(2, 48, 8))
    np.testing.assert_array_equal(days.values, y.reshape(2, 48))


def test_files_are_described_by_their_hash(tmp_path, monkeypatch):
    path = write(tmp_path / "mine.csv", made_rows())
    assert semo_file.describe(path) == "not a file of the literature"
    assert "Irish" in semo_file.describe(recognised(monkeypatch, path))
    assert semo_file.describe(tmp_path / "absent.csv") == "missing"


@pytest.mark.skipif(FOLDER is None, reason="DFL_BENCH_SEMO_FOLDER names no folder of the Irish files")
def test_features_are_those_of_the_literature_to_the_last_bit():
    folder = Path(FOLDER)
    days, published = load_semo(folder / "semo_electricity.csv"), load_semo(folder / "predopt_knapsack.npz")
    assert days.features.shape == (789, 48, len(FEATURE_NAMES))
    np.testing.assert_array_equal(days.features, published.features)
    assert days.left_out.astype(str).tolist() == ["2012-03-25", "2012-10-27", "2013-03-31"]
    with np.load(folder / "predopt_knapsack.npz") as file:
        np.testing.assert_array_equal(file["weights"], semo_file.WEIGHTS)
    # A value is price × (weight + noise), noise uniform in [-1, 1]; 0 where the price is not positive.
    positive = days.prices > 0
    weights = np.broadcast_to(semo_file.WEIGHTS, days.prices.shape)
    noise = published.values[positive] / days.prices[positive] - weights[positive]
    assert np.abs(noise).max() < 1
    assert noise.var() == pytest.approx(1 / 3, rel=0.02)
    assert (published.values[~positive] == 0).all()
