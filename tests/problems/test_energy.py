import numpy as np
import pytest

from dfl_bench.data import cache, semo_file, spanish_prices
from dfl_bench.data.price_days import PriceDays
from dfl_bench.data.standardizer import Standardizer
from dfl_bench.errors import DataError
from dfl_bench.problems import make_problem
from dfl_bench.problems.energy import hourly_weights
from tests.support.semo import made_rows, recognised, write

SIZES = {"n_train": 20, "n_val": 8, "n_test": 10}


@pytest.fixture
def days(monkeypatch):
    """Forty days in the place of the fetched ones; tests may change them."""
    rng = np.random.default_rng(0)
    dates = np.datetime64("2015-01-01") + np.arange(40)
    prices = rng.uniform(-5, 100, (40, 24))
    features = np.stack([prices + rng.normal(0, 10, prices.shape), rng.normal(7, 3, prices.shape)], axis=-1)
    made = PriceDays(dates, features, prices, dates[:0])
    monkeypatch.setattr(spanish_prices, "load", lambda: made)
    return made


def positions(part, problem, days):
    """Which days a part holds, by their outcomes."""
    values = days.prices * problem.weights
    return [int(np.flatnonzero((values == y).all(-1))[0]) for y in part.y]


def all_positions(parts, problem, days):
    return [day for part in parts for day in positions(part, problem, days)]


def test_weights_are_fixed_and_balanced():
    for weights, total in ((hourly_weights(), 120), (semo_file.WEIGHTS, 240)):
        assert set(weights) == {3, 5, 7}
        assert weights.sum() == total
    np.testing.assert_array_equal(hourly_weights(), hourly_weights())


def test_a_slot_is_worth_its_price_times_its_weight(days):
    problem = make_problem("energy", **SIZES)
    part = problem.data(0).test
    for day, y in zip(positions(part, problem, days), part.y, strict=True):
        np.testing.assert_array_equal(y, days.prices[day] * hourly_weights())


@pytest.mark.parametrize("split", ["seeded", "chronological"])
def test_parts_share_no_day(days, split):
    problem = make_problem("energy", **SIZES, split=split)
    parts = problem.data(3)
    assert [len(part) for part in parts] == [20, 8, 10]
    assert len(set(all_positions(parts, problem, days))) == 38


def test_a_chronological_split_is_in_order_of_time_and_seeds_begin_on_other_days(days):
    problem = make_problem("energy", **SIZES, split="chronological")
    orders = [all_positions(problem.data(seed), problem, days) for seed in range(9)]
    assert all(order == list(range(order[0], order[0] + 38)) for order in orders)
    assert {order[0] for order in orders} == {0, 1, 2}


def test_a_seeded_split_draws_days_from_all_times(days):
    problem = make_problem("energy", **SIZES)
    first, second = (positions(problem.data(seed).train, problem, days) for seed in (0, 1))
    assert first != sorted(first)
    assert set(first) != set(second)


@pytest.mark.parametrize("split", ["seeded", "chronological"])
@pytest.mark.parametrize("part", ["val", "test"])
def test_other_days_do_not_leak_into_the_scale_of_training_days(days, split, part):
    problem = make_problem("energy", **SIZES, split=split)
    before = problem.data(5)
    chosen = positions(getattr(before, part), problem, days)
    days.features[chosen] *= 100.0
    days.prices[chosen] += 1000.0
    after = problem.data(5)
    np.testing.assert_array_equal(after.train.x, before.train.x)
    np.testing.assert_array_equal(after.train.y, before.train.y)
    assert (getattr(after, part).y != getattr(before, part).y).all()
    assert problem.label_scale(after.train) == problem.label_scale(before.train)


def test_features_are_in_deviations_of_the_training_days(days):
    problem = make_problem("energy", **SIZES, weight_feature=False)
    parts = problem.data(2)
    raw = [days.features[positions(part, problem, days)] for part in parts]
    scale = Standardizer(raw[0])
    for part, features in zip(parts, raw, strict=True):
        np.testing.assert_array_equal(part.x, scale(features))


def test_the_predictor_sees_the_weight_unless_it_is_as_published(days):
    seen, published = (
        make_problem("energy", **SIZES, weight_feature=flag).data(0).train.x for flag in (True, False)
    )
    np.testing.assert_array_equal(seen[..., :-1], published)
    assert np.corrcoef(seen[4, :, -1], hourly_weights())[0, 1] == pytest.approx(1.0)


def test_decisions_fit_and_lie_in_the_polytope(days):
    problem = make_problem("energy", **SIZES)
    y = problem.data(0).test.y
    polytope = problem.polytope()
    matrix, limit = polytope.at_most
    for z in (problem.decide(y, {}), problem.worst(y, {})):
        assert np.isin(z, (0, 1)).all()
        assert (z @ matrix.T <= limit).all()
        assert (z <= polytope.upper).all()
    assert limit == [60]
    assert not polytope.exact


def test_only_losses_are_sold_at_worst(days):
    problem = make_problem("energy", **SIZES)
    y = problem.data(0).test.y
    assert (y[problem.worst(y, {}) == 1] < 0).all()
    assert (y[problem.decide(y, {}) == 1] > 0).all()


@pytest.mark.parametrize(("capacity", "slots"), [(5, 24), (240, 24), (2, 48), (240, 48)])
def test_a_capacity_that_leaves_no_choice_is_refused(capacity, slots):
    data = {} if slots == 24 else {"data": "absent.csv"}
    with pytest.raises(ValueError, match=rf"for {slots} slots, got \d+ of capacity={capacity}"):
        make_problem("energy", capacity=capacity, **data)


@pytest.mark.parametrize("setting", [{"split": "random"}, {"predictor": "deep"}, {"capacity": 0}])
def test_wrong_settings_are_refused(setting):
    with pytest.raises(ValueError, match=next(iter(setting))):
        make_problem("energy", **setting)


def test_too_few_days_says_what_to_lower(days):
    with pytest.raises(DataError, match=r"expected 41 days.*got 40; lower n_train"):
        make_problem("energy", **SIZES | {"n_test": 13}).data(0)


def test_a_users_file_is_read_and_declared(tmp_path):
    path = write(tmp_path / "mine.csv", made_rows(4))
    problem = make_problem("energy", data=str(path), n_train=2, n_val=1, n_test=1)
    assert problem.data_files == (path,)
    assert problem.provenance == f"user-supplied: {path} (not a file of the literature); days drawn at random"
    train = problem.data(0).train
    assert train.x.shape == (2, 48, 9)
    prices = semo_file.load_semo(path).prices
    assert all((prices * semo_file.WEIGHTS == y).all(-1).any() for y in train.y)


def test_the_known_file_is_recognised(tmp_path, monkeypatch):
    path = recognised(monkeypatch, write(tmp_path / "known.csv", made_rows(4)))
    problem = make_problem("energy", data=str(path), split="chronological")
    assert "Irish prices of the literature" in problem.provenance
    assert problem.provenance.endswith("days in order of time")


def test_published_values_are_taken_as_they_are(tmp_path, monkeypatch):
    path, rng = tmp_path / "values.npz", np.random.default_rng(0)
    x, y = rng.random((4 * 48, 9)), rng.random(4 * 48)
    np.savez(path, X_1gtrain=x[:96], X_1gtest=x[96:], y_train=y[:96], y_test=y[96:])
    monkeypatch.setattr(semo_file, "VALUES_SHA256", cache.sha256(path))
    sizes = {"n_train": 2, "n_val": 1, "n_test": 1, "split": "chronological"}
    parts = make_problem("energy", data=str(path), **sizes).data(0)
    np.testing.assert_array_equal(np.concatenate([part.y for part in parts]).ravel(), y)


def test_a_missing_file_is_an_error():
    problem = make_problem("energy", data="absent.csv")
    assert "missing" in problem.provenance
    with pytest.raises(DataError, match=r"no file absent\.csv"):
        problem.data(0)
