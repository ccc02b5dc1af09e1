import numpy as np
import pytest

from dfl_bench.data.factor_market import draw_market
from dfl_bench.data.stock_features import FEATURE_NAMES, HISTORY, correlation, stock_features
from dfl_bench.problems import make_problem


@pytest.fixture(scope="module")
def market():
    return draw_market(np.random.default_rng(0), 140, 6, 0.5)


def test_there_are_28_named_features(market):
    assert len(set(FEATURE_NAMES)) == 28
    assert stock_features(market.returns, market.volumes).shape == (140 - HISTORY + 1, 6, 28)


@pytest.mark.parametrize("today", [HISTORY - 1, 90, 138])
def test_no_feature_sees_a_later_day(market, today):
    rng = np.random.default_rng(1)
    returns, volumes = market.returns.copy(), market.volumes.copy()
    returns[today + 1 :] = rng.standard_normal(returns[today + 1 :].shape)
    volumes[today + 1 :] = rng.uniform(1, 1e9, volumes[today + 1 :].shape)
    rows = today - (HISTORY - 1) + 1
    before = stock_features(market.returns, market.volumes)
    after = stock_features(returns, volumes)
    np.testing.assert_array_equal(after[:rows], before[:rows])
    assert not np.array_equal(after[rows:], before[rows:])


def test_features_by_hand(market):
    today = 100
    row = dict(
        zip(
            FEATURE_NAMES, stock_features(market.returns, market.volumes)[today - HISTORY + 1, 2], strict=True
        )
    )
    r, v = market.returns[: today + 1, 2], np.log(market.volumes[: today + 1, 2])
    price = np.log1p(r[-60:]).cumsum()
    assert row["return_lag_0"] == r[-1]
    assert row["return_lag_9"] == r[-10]
    assert row["mean_return_20"] == pytest.approx(r[-20:].mean())
    assert row["volatility_5"] == pytest.approx(r[-5:].std())
    assert row["relative_volume_40"] == pytest.approx(v[-1] - v[-40:].mean())
    assert row["volume_change"] == pytest.approx(v[-1] - v[-2])
    assert row["volume_volatility_20"] == pytest.approx(v[-20:].std())
    assert row["drawdown_60"] == pytest.approx(price[-1] - price.max())


def test_correlation_against_numpy_and_a_stock_that_stands_still():
    days = np.random.default_rng(0).standard_normal((3, 5, 10))
    np.testing.assert_allclose(correlation(days)[1], np.corrcoef(days[1]), atol=1e-12)
    days[:, 2] = 0.25
    matrix = correlation(days)
    assert (matrix[:, 2, 2] == 1).all()
    assert (matrix[:, 2, [0, 1, 3, 4]] == 0).all()


class Fixed(type(make_problem("portfolio-synthetic"))):
    """The synthetic problem on a given market."""

    given = None

    def market(self, seed):
        return self.given


def fixed(market, **settings):
    sizes = {"n_train": 8, "n_val": 6, "n_test": 9, "n_stocks": market.returns.shape[1]}
    problem = Fixed(Fixed.Config(**sizes, **settings))
    problem.given = market
    return problem


@pytest.mark.parametrize(("covariance", "shift"), [("clairvoyant", 1), ("past", -9)])
def test_parts_targets_and_windows(market, covariance, shift):
    problem = fixed(market, covariance=covariance)
    starts = (0, 8 + 10, 8 + 10 + 6 + 10)
    assert [(part.start, part.stop) for part in problem.config.parts] == [(0, 8), (18, 24), (34, 43)]
    assert problem.config.span == 43
    for part, first in zip(problem.data(0), starts, strict=True):
        for i in range(len(part)):
            day = HISTORY - 1 + first + i
            np.testing.assert_array_equal(part.y[i], market.returns[day + 1])
            window = market.returns[day + shift : day + shift + 10]
            expected = np.corrcoef(window.T) + 0.1 * np.eye(6)
            np.testing.assert_allclose(part.context["sigma"][i], expected, atol=1e-12)


def test_a_later_part_changes_nothing_of_an_earlier_one(market):
    problem = fixed(market)
    first_test_day = HISTORY - 1 + problem.config.parts[2].start
    changed = market._replace(returns=market.returns.copy(), volumes=market.volumes.copy())
    changed.returns[first_test_day + 1 :] *= -3
    changed.volumes[first_test_day + 1 :] *= 5
    before, after = problem.data(0), fixed(changed).data(0)
    for old, new in ((before.train, after.train), (before.val, after.val)):
        np.testing.assert_array_equal(old.x, new.x)
        np.testing.assert_array_equal(old.y, new.y)
        np.testing.assert_array_equal(old.context["sigma"], new.context["sigma"])


def test_a_gap_shorter_than_the_window_is_refused():
    with pytest.raises(ValueError, match="gap to be at least window"):
        make_problem("portfolio-synthetic", gap=5)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_the_predictable_share_is_as_set(share):
    market = draw_market(np.random.default_rng(0), 4000, 20, share)
    explained = market.expected[1:].var(0) / market.returns[1:].var(0)
    residual = market.returns - market.expected
    np.testing.assert_allclose(explained.mean(), share, atol=0.01)
    assert abs((residual[1:] * market.expected[1:]).mean()) < 0.01 * market.returns.var()
