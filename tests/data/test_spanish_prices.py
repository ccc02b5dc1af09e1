import zipfile
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pytest

from dfl_bench.data import cache, spanish_prices
from dfl_bench.data.spanish_prices import FEATURE_NAMES, FORECASTS, PRICE, spanish_time, to_days
from dfl_bench.errors import DataError
from dfl_bench.problems import make_problem
from tests.support.real_data import require_source

# A year that begins at midnight in Spain, in UTC.
YEAR = np.arange("2014-12-31T23", "2015-12-31T23", dtype="datetime64[h]")


@pytest.fixture
def year():
    rng = np.random.default_rng(0)
    columns = {name: rng.uniform(10, 100, len(YEAR)) for name in (*FORECASTS, "price")}
    return {"time": YEAR, **columns}


def column(days, name):
    return days.features[..., FEATURE_NAMES.index(name)]


def day(days, date):
    (found,) = np.flatnonzero(days.dates == np.datetime64(date))
    return found


def test_clocks_are_those_of_madrid():
    try:
        madrid = ZoneInfo("Europe/Madrid")
    except ZoneInfoNotFoundError:
        pytest.skip("no time zones on this system")
    utc = np.arange("2014-12-31", "2019-01-02", dtype="datetime64[h]")
    seconds = utc.astype("datetime64[s]").astype(int)
    expected = [datetime.fromtimestamp(s, UTC).astimezone(madrid).replace(tzinfo=None) for s in seconds]
    np.testing.assert_array_equal(spanish_time(utc), np.array(expected, dtype="datetime64[h]"))


def test_days_on_which_clocks_change_are_left_out(year):
    days = to_days(year)
    assert days.left_out.astype(str).tolist() == ["2015-03-29", "2015-10-25"]
    assert len(days.dates) == 363
    assert days.dates[[0, -1]].astype(str).tolist() == ["2015-01-01", "2015-12-31"]


def test_an_hour_has_its_own_forecasts_and_price(year):
    days = to_days(year)
    winter, summer = YEAR == np.datetime64("2015-02-10T11"), YEAR == np.datetime64("2015-07-10T10")
    for date, at in (("2015-02-10", winter), ("2015-07-10", summer)):
        i = day(days, date)
        assert days.prices[i, 12] == year["price"][at]
        for name in FORECASTS:
            assert column(days, name)[i, 12] == year[name][at]


def test_the_calendar(year):
    days = to_days(year)
    holidays = days.dates[column(days, "holiday")[:, 0] == 1].astype(str).tolist()
    assert holidays == [f"2015-{d}" for d in (
        "01-01", "01-06", "04-03", "05-01", "08-15", "10-12", "11-01", "12-06", "12-08", "12-25",
    )]  # fmt: skip
    i = day(days, "2015-02-10")  # a Tuesday
    assert (column(days, "day_of_week")[i] == 1).all()
    assert (column(days, "month")[i] == 2).all()
    np.testing.assert_allclose(column(days, "sine_day")[i, [0, 6, 12, 18]], [0, 1, 0, -1], atol=1e-12)
    np.testing.assert_allclose(column(days, "cosine_half_day")[i, [0, 6, 12, 18]], [1, -1, 1, -1], atol=1e-12)


def test_features_see_no_price_and_no_other_day(year):
    before = to_days(year)
    changed = {name: values.copy() for name, values in year.items()}
    changed["price"] += 1.0
    later = YEAR >= np.datetime64("2015-06-30T22")  # 1 July in Spain
    for name in FORECASTS:
        changed[name][later] += 1.0
    after = to_days(changed)
    july = day(after, "2015-07-01")
    np.testing.assert_array_equal(after.features[:july], before.features[:july])
    assert (column(after, "load_forecast")[july:] != column(before, "load_forecast")[july:]).all()


def test_a_missing_number_costs_its_day(year):
    year["load_forecast"][YEAR == np.datetime64("2015-02-10T11")] = np.nan
    assert to_days(year).left_out.astype(str).tolist() == ["2015-02-10", "2015-03-29", "2015-10-25"]


def test_the_file_is_kept_and_read_from_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    hours = [f"2015-06-{9 + (h + 22) // 24:02} {(h + 22) % 24:02}:00:00" for h in range(48)]
    lines = [",".join(["time", "generation biomass", *FORECASTS.values(), PRICE])]
    lines += [f"{hour},,{i},{i + 100},{i + 200},{i + 300},{i + 400}" for i, hour in enumerate(hours)]
    wheel = tmp_path / "tiny.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(spanish_prices.WHEEL.files[0], "\n".join(lines))
    monkeypatch.setattr(spanish_prices, "WHEEL", replace(spanish_prices.WHEEL, sha256=cache.sha256(wheel)))
    path = spanish_prices.WHEEL.store(wheel)
    assert path == tmp_path / "cache" / "spanish-prices.npz"
    days = spanish_prices.load()
    np.testing.assert_array_equal(days.prices, np.arange(400.0, 448.0).reshape(2, 24))
    np.testing.assert_array_equal(column(days, "day_ahead_price"), days.prices - 100)


def test_nothing_cached_names_the_command_and_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path))
    with pytest.raises(DataError, match=r"dfl-bench data fetch spanish-prices.*knapsack"):
        make_problem("energy").data(0)


@pytest.mark.network
def test_the_real_data_is_what_the_docs_say():
    require_source("spanish-prices")
    days = spanish_prices.load()
    assert days.features.shape == (1453, 24, len(FEATURE_NAMES))
    assert days.prices.shape == (1453, 24)
    assert days.dates[[0, -1]].astype(str).tolist() == ["2015-01-01", "2018-12-31"]
    clocks = ["03-29", "10-25", "03-27", "10-30", "03-26", "10-29", "03-25", "10-28"]
    assert days.left_out.astype(str).tolist() == [f"{2015 + i // 2}-{d}" for i, d in enumerate(clocks)]
    assert days.prices.min() > 0
