import numpy as np
import pandas as pd
import pytest

from dfl_bench.data.paper_market import BEFORE, FEATURE_NAMES, PaperMarket, paper_features
from tests.reference.paper_features import features_of
from tests.support.made_prices import closes

DAYS, STOCKS = 390, 3


@pytest.fixture(scope="module")
def close():
    return closes(np.random.default_rng(0), DAYS, STOCKS)


def test_features_are_those_of_the_recipe_day_by_day(close):
    given = paper_features(close)
    assert given.shape == (DAYS - BEFORE, STOCKS, 28) and len(set(FEATURE_NAMES)) == 28
    for day in range(BEFORE, DAYS, 6):
        for stock in range(STOCKS):
            expected = features_of(close[:, stock].tolist(), day)
            np.testing.assert_allclose(given[day - BEFORE, stock], expected, rtol=1e-9, atol=1e-12)


def test_features_are_those_of_pandas(close):
    """The published code is written with these calls."""
    table = pd.DataFrame(close)
    returns = table.pct_change()
    columns = [returns, *(returns.shift(k) for k in range(1, 11))]
    columns += [table.pct_change(rows) for rows in (365, 120, 30, 7)]
    columns += [returns.rolling(7).mean(), returns.rolling(7).var()]
    for rows in (365, 120, 30, 7, 3):
        columns += [table.rolling(rows).mean(), table.rolling(rows).var()]
    expected = np.stack([*columns, table], -1)
    whole = np.isfinite(expected).all((1, 2))
    assert whole.argmax() == BEFORE  # dropna leaves the days from row 365 on
    np.testing.assert_allclose(paper_features(close), expected[whole], rtol=1e-6, atol=1e-9)


def test_a_series_by_hand():
    """Prices that double on the last day: a return of 1, and changes that all end there."""
    close = np.append(np.full(400, 10.0), 20.0)[:, None]
    row = dict(zip(FEATURE_NAMES, paper_features(close)[-1, 0], strict=True))
    assert (row["return"], row["return_lag_1"], row["return_lag_10"]) == (1.0, 0.0, 0.0)
    assert [row[f"change_{h}"] for h in (365, 120, 30, 7)] == [1.0] * 4
    assert row["return_mean_7"] == pytest.approx(1 / 7) and row["return_variance_7"] == pytest.approx(1 / 7)
    assert row["close_mean_3"] == pytest.approx(40 / 3) and row["close_variance_3"] == pytest.approx(100 / 3)
    assert row["close_mean_365"] == pytest.approx(10 + 10 / 365) and row["close"] == 20.0


@pytest.mark.parametrize("today", [BEFORE, BEFORE + 11, DAYS - 2])
def test_no_feature_sees_a_later_day(close, today):
    changed = close.copy()
    changed[today + 1 :] *= np.random.default_rng(1).uniform(0.5, 2.0, changed[today + 1 :].shape)
    before, after = paper_features(close), paper_features(changed)
    rows = today - BEFORE + 1
    np.testing.assert_array_equal(after[:rows], before[:rows])
    assert (after[rows] != before[rows]).any()


def test_days_know_their_returns_on_both_sides(close):
    market = PaperMarket(close)
    assert (market.n_stocks, market.n_days(10)) == (STOCKS, DAYS - BEFORE - 10)
    returns = close[1:] / close[:-1] - 1  # returns[i] is of day i + 1
    stocks = np.array([2, 0])
    days = market.days(stocks, slice(4, 9), 10)
    np.testing.assert_array_equal(days.features, paper_features(close)[4:9][:, stocks])
    for i, day in enumerate(range(BEFORE + 4, BEFORE + 9)):
        np.testing.assert_array_equal(days.target[i], returns[day, stocks])
        np.testing.assert_array_equal(days.future[i].T, returns[day : day + 10, stocks])
        np.testing.assert_array_equal(days.past[i].T, returns[day - 10 : day, stocks])
        np.testing.assert_array_equal(days.past[i, :, -1], days.features[i, :, 0])


def test_a_variance_of_prices_that_hardly_move_is_exact():
    close = (1e4 + 1e-4 * np.random.default_rng(0).standard_normal((DAYS, 1)).cumsum(0)) + 0.0
    given = paper_features(close)[-1, 0, FEATURE_NAMES.index("close_variance_3")]
    assert given == pytest.approx(float(np.var(close[-3:], ddof=1)), rel=1e-6)
    assert PaperMarket(close[:100]).n_days(10) == 0
