"""The settings of the portfolio problems: as in published code, and corrected, one at a time."""

import cvxpy as cp
import numpy as np
import pytest

from dfl_bench.data import sp500
from dfl_bench.data.paper_market import BEFORE, PaperMarket
from dfl_bench.errors import DataError
from dfl_bench.problems import make_problem
from dfl_bench.problems.portfolio import Portfolio
from tests.reference.paper_features import published_sigma
from tests.support.made_prices import store_made_prices

SIZES = {"n_train": 12, "n_val": 8, "n_test": 10, "n_stocks": 5}
PUBLISHED = {
    "predictor": "published", "risk": "published", "standardize": "all", "days": "first",
    "covariance": "published",
}  # fmt: skip
EACH = [
    {},
    PUBLISHED,
    {"market": "recent"},
    {"draws": "one"},
    *({name: value} for name, value in PUBLISHED.items()),
]


@pytest.fixture(scope="module", autouse=True)
def made_prices(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        store_made_prices(tmp_path_factory.mktemp("prices"), patch)
        yield


def small(**settings):
    return make_problem("portfolio", **SIZES | settings)


class OnCloses(Portfolio):
    """The problem on given prices, all days of the first stocks from a given day on."""

    close = None

    def market(self, seed):
        return PaperMarket(self.close)

    def draw(self, seed, market):
        return np.arange(self.config.n_stocks), 0


def on_closes(close, **settings):
    problem = OnCloses(OnCloses.Config(**SIZES, **settings))
    problem.close = close
    return problem


@pytest.mark.parametrize("settings", EACH)
def test_every_setting_alone_meets_the_contract(settings):
    problem = small(**settings)
    rows = problem.data(1000).test
    rng = np.random.default_rng(0)
    guesses = rows.y + 0.05 * rng.standard_normal((20, *rows.y.shape))
    np.testing.assert_allclose(problem.regret(rows.y, rows.y, rows.context), 0.0, atol=1e-9)
    assert problem.regret(guesses, rows.y, rows.context).min() >= -1e-9
    others = rng.dirichlet(np.full(5, 0.3), (50, len(rows)))
    gaps = problem.cost(others, rows.y, rows.context) - problem.optimal_cost(rows.y, rows.context)
    assert gaps.min() >= -1e-9
    if problem.worst_is_costliest:
        assert (gaps <= problem.worst_regret(rows.y, rows.context) + 1e-9).all()
    linear = (rows.y * problem.embed(others, rows.context)).sum(-1) + problem.known(others, rows.context)
    np.testing.assert_allclose(linear, problem.cost(others, rows.y, rows.context), atol=1e-12)
    fast = problem.in_training
    assert type(fast.config) is type(problem.config) and fast.config.risk == problem.config.risk
    np.testing.assert_allclose(
        fast.regret(guesses, rows.y, rows.context), problem.regret(guesses, rows.y, rows.context), atol=1e-8
    )


def test_the_first_days_are_those_of_every_seed_and_the_stocks_differ():
    problem, close = small(days="first"), sp500.load_paper().close
    returns = close[1:] / close[:-1] - 1
    drawn = set()
    for seed in range(1000, 1004):
        stocks, first = problem.draw(seed, problem.market(seed))
        assert first == 0
        drawn.add(tuple(stocks))
        y = np.concatenate([part.y for part in problem.data(seed)])
        # No gap: train, validation and test follow each other from the first day that has all features.
        np.testing.assert_array_equal(y, returns[BEFORE : BEFORE + 30, stocks])
    assert len(drawn) == 4


@pytest.mark.parametrize("days", ["first", "drawn"])
def test_one_draw_of_stocks_is_shared_by_all_seeds_to_score_and_another_by_all_to_choose(days):
    each, one = small(days=days), small(days=days, draws="one")
    market = one.market(0)
    for seed, first in ((0, 0), (7, 0), (999, 0), (1000, 1000), (1005, 1000)):
        (stocks, day), (expected, expected_day) = one.draw(seed, market), each.draw(first, market)
        assert (stocks.tolist(), day) == (expected.tolist(), expected_day)
    assert one.draw(0, market)[0].tolist() != one.draw(1000, market)[0].tolist()
    np.testing.assert_array_equal(one.data(1003).test.x, each.data(1000).test.x)
    assert one.provenance == f"{each.provenance}; one draw of stocks for all seeds"


def test_drawn_days_differ_and_leave_a_gap():
    problem, close = small(), sp500.load_paper().close
    returns = close[1:] / close[:-1] - 1
    firsts = set()
    for seed in range(1000, 1004):
        stocks, first = problem.draw(seed, problem.market(seed))
        assert tuple(stocks) == tuple(sorted(small(days="first").draw(seed, problem.market(seed))[0]))
        firsts.add(first)
        for part, start in zip(problem.data(seed), (0, 12 + 10, 12 + 10 + 8 + 10), strict=True):
            day = BEFORE + first + start
            np.testing.assert_array_equal(part.y, returns[day : day + len(part), stocks])
    assert len(firsts) > 1


def test_the_published_form_has_the_stocks_in_the_order_they_are_drawn():
    correct, published = small(), small(risk="published")
    market, orders = correct.market(0), []
    for seed in range(1000, 1006):
        (stocks, first), (order, same) = correct.draw(seed, market), published.draw(seed, market)
        assert first == same and stocks.tolist() == sorted(order.tolist())
        orders.append(order.tolist() == stocks.tolist())
    assert not all(orders)


def test_the_label_is_of_the_next_day_and_sigma_of_days_two_to_ten():
    close = sp500.load_paper().close[:, :5]
    problem = on_closes(close, covariance="published", days="first", ridge=0.1)
    before = problem.data(0).train
    returns = close[1:] / close[:-1] - 1  # returns[i] is of day i + 1
    for row in (0, 7):
        day = BEFORE + row
        np.testing.assert_array_equal(before.y[row], returns[day])
        expected = published_sigma(returns[day + 1 : day + 10].T.tolist(), 0.1)
        np.testing.assert_allclose(before.context["sigma"][row], expected, atol=1e-9)
        assert before.context["sigma"][row, 0, 0] == pytest.approx(9 / 8 + 0.1)


@pytest.mark.parametrize(
    ("covariance", "first", "last"), [("published", 2, 10), ("clairvoyant", 1, 10), ("past", -9, 0)]
)
def test_sigma_sees_these_days_and_no_other(covariance, first, last):
    close = sp500.load_paper().close[:, :5]
    returns = close[1:] / close[:-1] - 1
    day = BEFORE  # of the first row

    def sigma(returns):
        prices = close[0] * np.cumprod(np.vstack([np.ones(5), 1 + returns]), axis=0)
        return on_closes(prices, covariance=covariance, days="first").data(0).train.context["sigma"][0]

    for offset in range(-12, 13):
        changed = returns.copy()
        changed[day - 1 + offset, 0] += 0.05
        seen = abs(sigma(changed) - sigma(returns)).max() > 1e-6
        assert seen == (first <= offset <= last), offset


def test_no_part_sees_later_days_unless_features_are_standardised_by_all():
    close = sp500.load_paper().close[:, :5]
    last = BEFORE + 12 - 1 + 10  # what the Σ of the last training day sees
    changed = close.copy()
    changed[last + 1 :] *= np.random.default_rng(0).uniform(0.5, 2.0, changed[last + 1 :].shape)
    before, after = (on_closes(c, covariance="clairvoyant").data(0).train for c in (close, changed))
    np.testing.assert_array_equal(before.x, after.x)
    np.testing.assert_array_equal(before.y, after.y)
    np.testing.assert_array_equal(before.context["sigma"], after.context["sigma"])
    leaks = [on_closes(c, standardize="all").data(0).train.x for c in (close, changed)]
    assert abs(leaks[0] - leaks[1]).max() > 1e-3


def test_standardised_by_all_days_of_the_stocks_of_the_seed():
    problem = small(standardize="all")
    market = problem.market(0)
    stocks, first = problem.draw(1000, market)
    features = market.days(stocks, slice(0, market.n_days(10)), 10).features
    flat = features.reshape(-1, 28)
    expected = (features[first : first + 12] - flat.mean(0)) / flat.std(0)
    np.testing.assert_allclose(problem.data(1000).train.x, expected, atol=1e-10)


@pytest.mark.parametrize("risk", ["correct", "published"])
def test_both_risks_against_cvxpy(risk):
    problem = small(risk=risk, covariance="published", n_stocks=6)
    rows = problem.data(1000).test
    sigma = rows.context["sigma"]
    if risk == "published":  # LᵀL has the eigenvalues of Σ = LLᵀ, and other entries
        stocks, first = problem.draw(1000, problem.market(0))
        day = first + problem.config.parts[2].start
        later = problem.market(0).days(stocks, slice(day, day + 10), 10).future[..., 1:]
        given = np.array([published_sigma(days.tolist(), 0.1) for days in later])
        np.testing.assert_allclose(np.linalg.eigvalsh(sigma), np.linalg.eigvalsh(given), atol=1e-9)
        factors = np.linalg.cholesky(given)
    else:
        factors = np.linalg.cholesky(sigma).swapaxes(-1, -2)
    decided = problem.decide(rows.y, rows.context)
    for y, factor, weights in zip(rows.y, factors, decided, strict=True):
        a = cp.Variable(6)
        value = y @ a - 0.1 * cp.sum_squares(factor @ a)
        solved = cp.Problem(cp.Maximize(value), [cp.sum(a) == 1, a >= 0])
        solved.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
        np.testing.assert_allclose(weights, a.value, atol=1e-5)
        ours = y @ weights - 0.1 * ((factor @ weights) ** 2).sum()
        assert ours == pytest.approx(solved.value, abs=1e-9)
    value = (rows.y * decided).sum(-1) - 0.1 * ((factors @ decided[..., None]) ** 2).sum((-2, -1))
    np.testing.assert_allclose(problem.cost(decided, rows.y, rows.context), -value, atol=1e-12)


def test_another_stock_than_that_of_lowest_return_can_cost_more_by_the_published_form():
    assert make_problem("portfolio-synthetic").worst_is_costliest
    problem = small(risk="published")
    assert not problem.worst_is_costliest
    rows = problem.data(1000).test
    each = np.eye(5)[:, None]
    highest = problem.cost(each, rows.y, rows.context).max(0)
    assert (highest > problem.cost(problem.worst(rows.y, rows.context), rows.y, rows.context) + 1e-6).any()


def test_the_predictors():
    train = small().data(1000).train
    assert small(predictor="published").label_scale(train) == 1.0
    assert small().label_scale(train) == pytest.approx(3 * train.y.std())
    networks = [small(predictor=name).network for name in ("scaled", "published", "linear")]
    assert {network.activation for network in networks} == {"tanh"}
    assert [network.hidden for network in networks] == [500, 500, 0]


@pytest.mark.parametrize("market", ["paper", "recent"])
def test_the_provenance_names_the_years(market):
    years = {"paper": "2004-2016", "recent": "2006-2021"}
    assert years[market] in small(market=market).provenance
    assert small(market=market).provenance.startswith("real: ")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"market": "papers"}, "expected market to be one of 'paper', 'recent'"),
        ({"days": "last"}, "expected days to be one of 'drawn', 'first'"),
        ({"risk": "wrong"}, "expected risk to be one of 'correct', 'published'"),
        ({"standardize": "none"}, "expected standardize to be one of 'train', 'all'"),
        ({"covariance": "future"}, "'clairvoyant', 'past', 'published'"),
        ({"predictor": "tanh"}, "'scaled', 'published', 'linear'"),
        ({"days": "first", "gap": 12}, "days='first' has no gap between the parts; leave gap=12 out"),
        ({"gap": 5}, "expected gap to be at least window"),
        ({"covariance": "published", "window": 2}, "expected window to be at least 3"),
        ({"market": "recent", "data": "file.pt"}, "expected market='paper' for the LODL file"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        make_problem("portfolio", **settings)


@pytest.mark.parametrize(("settings", "got"), [({"n_test": 100}, "105 days"), ({"n_stocks": 10}, "9 stocks")])
def test_too_few_days_or_stocks_say_what_to_lower(settings, got):
    with pytest.raises(DataError, match=rf"in 'sp500', got .*{got}.*lower n_train"):
        make_problem("portfolio", **SIZES | settings).data(1000)


def test_a_window_longer_than_what_features_look_back():
    with pytest.raises(ValueError, match="window to be at most 60"):
        make_problem("portfolio-synthetic", window=61, gap=61, **SIZES).data(1000)
