import pickle

import numpy as np
import pandas as pd
import pytest
import torch

from dfl_bench.data.click_file import load_click_rates
from dfl_bench.data.lodl_file import load_lodl
from dfl_bench.errors import DataError
from dfl_bench.problems import make_problem


class Hostile:
    """A pickle that would make a file if it were loaded carelessly."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return (open, (str(self.target), "w"))


@pytest.fixture
def rates():
    return np.random.default_rng(0).uniform(0, 1, (40, 8, 12))


@pytest.mark.parametrize("protocol", [0, 2, 5])
@pytest.mark.parametrize("convert", [np.asarray, list])
def test_click_rates_of_any_protocol(tmp_path, rates, protocol, convert):
    file = tmp_path / "budget_allocation_data.pkl"
    file.write_bytes(pickle.dumps((convert(rates), {"names": ["a", 1.5, np.float64(2)]}), protocol))
    np.testing.assert_array_equal(load_click_rates(file), rates)


def test_old_numpy_names_are_understood(tmp_path, rates):
    file = tmp_path / "old.pkl"
    file.write_bytes(pickle.dumps((rates, None), 2).replace(b"numpy._core", b"numpy.core"))
    np.testing.assert_array_equal(load_click_rates(file), rates)


def test_a_hostile_pickle_runs_nothing(tmp_path, rates):
    target, file = tmp_path / "proof", tmp_path / "hostile.pkl"
    file.write_bytes(pickle.dumps((rates, Hostile(target))))
    with pytest.raises(DataError, match=r"not loaded: it asks for .*open"):
        load_click_rates(file)
    assert not target.exists()


@pytest.mark.parametrize("module", ["os", "builtins", "numpy", "numpy.testing._private.utils", "subprocess"])
def test_no_global_beyond_arrays(tmp_path, module):
    file = tmp_path / "hostile.pkl"
    file.write_bytes(f"c{module}\nrunstring\n(S'print()'\ntR.".encode())
    with pytest.raises(DataError, match=f"it asks for {module}.runstring"):
        load_click_rates(file)


def test_truncated_missing_and_misshapen_click_files(tmp_path, rates):
    file = tmp_path / "data.pkl"
    with pytest.raises(DataError, match="no file"):
        load_click_rates(file)
    file.write_bytes(pickle.dumps((rates, None))[:500])
    with pytest.raises(DataError, match="truncated"):
        load_click_rates(file)
    for content in (rates, (rates[0], None), (rates + 1, None), (rates * np.nan, None), ("text", None)):
        file.write_bytes(pickle.dumps(content))
        with pytest.raises(DataError, match="expected a pair"):
            load_click_rates(file)


def test_budget_on_a_user_file_keeps_parts_apart(tmp_path, rates):
    file = tmp_path / "data.pkl"
    file.write_bytes(pickle.dumps((rates, None)))
    settings = {"data": str(file), "fake_targets": 3, "n_train": 20, "n_val": 10, "n_test": 10}
    problem = make_problem("budget", **settings)
    assert problem.provenance == f"user-supplied: {file}"
    parts = problem.data(0)
    y = np.concatenate([part.y for part in parts])
    assert y.shape == (40, 5, 10)
    assert len(np.unique(y.reshape(40, -1), axis=0)) == 40
    assert np.isin(y, rates).all()
    assert parts.train.x.shape == (20, 5, 13)
    with pytest.raises(DataError, match=r"at least \(41, 5, 10\)"):
        make_problem("budget", **{**settings, "n_train": 21}).data(0)


@pytest.fixture
def lodl(tmp_path):
    rng = np.random.default_rng(0)
    days, stocks = 70, 6
    tables = [torch.from_numpy(rng.standard_normal((days, stocks, k))) for k in (28, 1, 9)]
    dates = list(pd.date_range("2004-01-01", periods=days))
    file = tmp_path / "price_data_2004-01-01_2017-01-01_daily.pt"
    content = [tables[0], tables[1], ["f"] * 28, tables[2], ["next1_return"], dates, ["A"] * stocks]
    torch.save(content, file)
    return file, content


def test_lodl_file_with_its_dates_is_read(lodl):
    file, content = lodl
    table = load_lodl(file)
    np.testing.assert_array_equal(table.features, content[0].numpy())
    np.testing.assert_array_equal(table.target, content[1][..., 0].numpy())


def test_portfolio_on_the_lodl_file(lodl):
    file, content = lodl
    problem = make_problem("portfolio", data=str(file), n_stocks=4, n_train=10, n_val=8, n_test=9)
    assert problem.provenance == f"user-supplied: {file}"
    train, _, test = problem.data(0)
    first = int(np.flatnonzero((content[1][:, :, 0].numpy()[..., None] == train.y[0, :2]).any(1).all(-1))[0])
    stocks = [int(np.flatnonzero(content[1][first, :, 0].numpy() == y)[0]) for y in train.y[0]]
    day = first + 10 + 10 + 8 + 10
    np.testing.assert_array_equal(test.y[0], content[1][day, stocks, 0])
    future = np.concatenate([content[1][day, stocks], content[3][day, stocks]], -1)
    np.testing.assert_allclose(test.context["sigma"][0], np.corrcoef(future) + 0.1 * np.eye(4), atol=1e-12)
    with pytest.raises(ValueError, match="past"):
        make_problem("portfolio", data=str(file), n_stocks=4, covariance="past").data(0)


def test_hostile_truncated_and_misshapen_lodl_files(tmp_path, lodl):
    file, content = lodl
    target = tmp_path / "proof"
    torch.save([*content, Hostile(target)], file)
    with pytest.raises(DataError, match="not loaded"):
        load_lodl(file)
    assert not target.exists()
    torch.save(content, file)
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(DataError, match="truncated"):
        load_lodl(file)
    for bad in (
        content[:2],
        {"a": 1},
        [content[0], content[0], [], content[3]],
        [content[0] * np.nan, *content[1:]],
    ):
        torch.save(bad, file)
        with pytest.raises(DataError, match="expected"):
            load_lodl(file)
    with pytest.raises(DataError, match="no file"):
        load_lodl(tmp_path / "absent.pt")
