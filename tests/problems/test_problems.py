"""What is particular to each problem; what all share is in test_contracts_problem."""

import numpy as np
import pytest
import torch
from scipy.optimize import brentq

from dfl_bench.contracts.split import Split, stack
from dfl_bench.data.click_model import ClickModel, draw_ctr
from dfl_bench.problems import make_problem
from dfl_bench.problems._simplex import project_simplex
from dfl_bench.store.cell import changed
from tests.reference.published_demand import published_demand


@pytest.mark.parametrize("kind", [np.asarray, torch.as_tensor])
def test_simplex_projection_against_root_finding(kind):
    rng = np.random.default_rng(0)
    given = rng.standard_normal((25, 6)) * rng.choice([0.01, 1, 50], (25, 1))
    given[0] = 0.0
    given[1] = [-1, -1, -1, -1, -1, -2]
    ours = np.asarray(project_simplex(kind(given)))
    for row, v in zip(ours, given, strict=True):
        # The nearest point is max(v - t, 0) with the one t at which it sums to one.
        t = brentq(lambda t, v=v: np.maximum(v - t, 0).sum() - 1, v.min() - 1, v.max(), xtol=1e-14)
        np.testing.assert_allclose(row, np.maximum(v - t, 0), atol=1e-12)
    np.testing.assert_allclose(ours.sum(-1), 1, atol=1e-12)


def test_simplex_projection_leaves_probabilities_alone():
    p = np.random.default_rng(0).dirichlet(np.ones(5), 100)
    assert project_simplex(p) is p


def test_inventory_data_follows_its_distribution():
    problem = make_problem("inventory", n_train=20_000)
    train = problem.data(0).train
    p = train.context["oracle_p"]
    assert set(np.unique(train.y)) == {0.0, 1.0}
    np.testing.assert_allclose(p.sum(-1), 1)
    # Calibration in bins: of the rows that say p, a share p has the demand.
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        said = (p >= low) & (p < low + 0.2)
        np.testing.assert_allclose(train.y[said].mean(), p[said].mean(), atol=0.015)


def test_inventory_scores_are_nonlinear_by_the_share_that_is_asked_for():
    """Of the variance of log-odds, a linear function explains the rest, and their size does not change."""
    for share in (0.0, 0.25, 0.75):
        problem = make_problem("inventory", n_train=20_000, n_features=6, nonlinear=share)
        train = problem.data(1000).train
        scores = np.log(train.context["oracle_p"])
        odds = scores - scores.mean(-1, keepdims=True)
        fitted, *_ = np.linalg.lstsq(np.c_[train.x, np.ones(len(train))], odds, rcond=None)
        left = (odds - np.c_[train.x, np.ones(len(train))] @ fitted).var(0).sum() / odds.var(0).sum()
        # Sums of five scores stand for the scores themselves: θ and φ are drawn, so shares differ a little.
        assert left == pytest.approx(share, abs=0.12 if share else 1e-12)
        assert "nonlinear" in changed(problem.config) or share == 0.0


def test_inventory_demand_follows_nonlinear_scores_too():
    train = make_problem("inventory", n_train=20_000, nonlinear=0.6).data(1000).train
    p = train.context["oracle_p"]
    for low in (0.0, 0.25, 0.5, 0.75):
        said = (p >= low) & (p < low + 0.25)
        np.testing.assert_allclose(train.y[said].mean(), p[said].mean(), atol=0.015)


def test_no_policy_beats_the_floor_of_nonlinear_inventory():
    problem = make_problem("inventory", n_train=10, n_test=20_000, nonlinear=0.5)
    test = problem.data(1000).test
    floor = problem.floor(test)
    mean = problem.regret(floor, test.y, test.context).mean()
    for other in (
        problem.project(floor + 0.05),
        0.5 * floor + 0.1,
        floor**2 / (floor**2).sum(-1, keepdims=True),
    ):
        assert problem.regret(other, test.y, test.context).mean() > mean


def test_inventory_floor_is_as_high_as_expected():
    problem = make_problem("inventory")
    scores = []
    for seed in range(30):
        test = problem.data(seed).test
        regret = problem.regret(problem.floor(test), test.y, test.context).sum()
        scores.append(regret / problem.worst_regret(test.y, test.context).sum())
    assert 0.106 < np.mean(scores) < 0.120  # 0.113 and two standard errors of 30 seeds on either side
    assert 0.012 < np.std(scores, ddof=1) < 0.024


def test_inventory_worst_is_no_order_and_loss_is_log_likelihood():
    problem = make_problem("inventory", n_test=7)
    test = problem.data(0).test
    assert (problem.worst(test.y, test.context) == 0).all()
    p = torch.tensor([[0.5, 0.25, 0.25, 0.0, 0.0]], dtype=torch.float64)
    y = torch.eye(5, dtype=torch.float64)
    loss = problem.prediction_loss(p, y, 1.0)
    torch.testing.assert_close(loss[:2], -torch.log(p[0, :2]))
    assert torch.isfinite(loss).all()


def test_inventory_as_published_is_fitted_by_the_probability_itself():
    problem = make_problem("inventory", predictor="published")
    p = torch.tensor([[0.5, 0.25, 0.25, 0.0, 0.0]], dtype=torch.float64)
    y = torch.eye(5, dtype=torch.float64)
    torch.testing.assert_close(problem.prediction_loss(p, y, 1.0), -p[0])
    # What torch's NLLLoss makes of probabilities.
    labels = torch.arange(5)
    torch.testing.assert_close(-p[0].mean(), torch.nn.NLLLoss()(p.repeat(5, 1), labels))


def test_the_sizes_of_inventory_follow_the_number_of_rows():
    sizes = {n: make_problem("inventory", n_rows=n).config.sizes for n in (400, 1000, 2000)}
    assert sizes == {400: (320, 80, 400), 1000: (800, 200, 500), 2000: (1600, 400, 1000)}
    assert make_problem("inventory").config.sizes == sizes[400]
    assert make_problem("inventory", n_rows=2000, n_test=7).config.sizes == (1600, 400, 7)
    # What is named as it would be anyway has the same key as what is not named.
    assert changed(make_problem("inventory", n_train=320, n_val=80, n_test=400).config) == {}
    assert changed(make_problem("inventory", n_train=320, n_rows=1000).config) == {
        "n_rows": 1000,
        "n_train": 320,
    }
    small, large = (make_problem("inventory", n_rows=n).data(1000) for n in (400, 1000))
    assert [len(part) for part in large] == [800, 200, 500]
    # The same law: the rows of a seed have one Θ, whatever their number.
    few, many = (_theta(splits.train) for splits in (small, large))
    np.testing.assert_allclose(few, many, atol=1e-8)


def _theta(rows):
    """Θ up to a constant for each feature, from the true probabilities."""
    logits = np.log(rows.context["oracle_p"])
    return np.linalg.lstsq(rows.x, logits - logits.mean(-1, keepdims=True), rcond=None)[0]


def test_one_draw_is_shared_by_all_seeds_to_score_and_another_by_all_to_choose():
    each, one = make_problem("inventory", n_rows=10), make_problem("inventory", n_rows=10, draws="one")
    x = {seed: one.data(seed).train.x for seed in (0, 7, 999, 1000, 1005)}
    for seed, first in ((0, 0), (7, 0), (999, 0), (1000, 1000), (1005, 1000)):
        np.testing.assert_array_equal(x[seed], each.data(first).train.x)
    assert not np.array_equal(x[0], x[1000])
    assert one.provenance.endswith("one data set for all seeds") and "all seeds" not in each.provenance


@pytest.mark.parametrize("seed", [0, 1000])
def test_the_published_draw_is_what_its_code_draws_with_global_generators(seed):
    (x, level), (test_x, test_level) = published_demand(seed, 20, 8)
    problem = make_problem("inventory", n_rows=20, n_test=8, draws="published")
    for given in (seed, seed + 5):
        train, val, test = problem.data(given)
        np.testing.assert_array_equal(np.concatenate([val.x, train.x]), x)
        np.testing.assert_array_equal(np.concatenate([val.y, train.y]).argmax(-1), level)
        np.testing.assert_array_equal(test.x, test_x)
        np.testing.assert_array_equal(test.y.argmax(-1), test_level)
    assert (len(val), len(train)) == (4, 16) and problem.provenance.endswith("that of published code")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_rows": 4}, "expected n_rows to be an integer of at least 5"),
        ({"draws": "two"}, "expected draws to be one of 'each', 'one', 'published'"),
        ({"predictor": "other"}, "expected predictor to be one of 'scaled', 'published', 'linear'"),
        ({"demand": (1.0, 1.0, 2.0)}, "strictly increasing"),
        ({"demand": (1.0,)}, "two or more"),
        ({"costs": (1.0, 2.0)}, "six costs"),
    ],
)
def test_inventory_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        make_problem("inventory", **settings)


def test_inventory_with_other_demands_and_costs():
    problem = make_problem("inventory", demand=(0.0, 3.0, 4.0), costs=(1, 1, 5, 1, 1, 1), n_test=6)
    test = problem.data(0).test
    assert test.y.shape == (6, 3)
    np.testing.assert_allclose(problem.regret(test.y, test.y, test.context), 0, atol=1e-9)


def test_click_rates_are_sparse_skewed_and_equal_in_reach():
    model = ClickModel(density=0.3, level=0.5, popularity=0.4, skew=1.0)
    ctr = draw_ctr(model, np.random.default_rng(0), 500, 5, 10)
    assert ((ctr >= 0) & (ctr <= 1)).all()
    assert ((ctr > 0).sum(-1) == 3).all()
    clicked = ctr[ctr > 0]
    assert np.median(clicked) < clicked.mean()
    by_user = (ctr > 0).mean((0, 1))
    np.testing.assert_allclose(by_user, 0.3, atol=0.04)


def test_only_what_was_fitted_is_called_so():
    assert "fits the tables" in make_problem("budget", fake_targets=5, n_train=30).provenance
    assert "fits" not in make_problem("budget", law=(1.0, 1.0, -3.0)).provenance
    assert "calibrated" in make_problem("budget", data="clicks", fake_targets=5).provenance
    other = make_problem("budget", data="clicks", popularity=0.5)
    assert other.provenance == "synthetic: generated click-through rates"


def test_the_generator_of_version_1_is_what_it_was():
    """Sums of seed 1000, saved before it got its name; its stored scores and searches stand on them."""
    settings = {"fake_targets": 50, "popularity": 0.3, "feature_noise": 0.8}
    splits = make_problem("budget", data="clicks", **settings).data(1000)
    sums = [[part.x.sum(), abs(part.x).sum(), part.y.sum()] for part in splits]
    np.testing.assert_allclose(
        sums,
        [
            [-348.7279109558548, 60840.113348815794, 502.38915456020646],
            [-349.785832262147, 60406.95616103879, 497.23485297421126],
            [-614.7994146520334, 121539.17316722585, 997.5711757716045],
        ],
        rtol=1e-10,
    )


@pytest.mark.parametrize(
    ("settings", "width", "spread"),
    [({}, 10, (0.4, 0.8)), ({"features": "all"}, 60, (0.4, 0.8)), ({"data": "clicks"}, 60, (0.6, 1.6))],
)
def test_fake_targets_change_features_and_not_click_rates(settings, width, spread):
    few, many = (make_problem("budget", fake_targets=f, **settings).data(3) for f in (0, 50))
    np.testing.assert_array_equal(few.test.y, many.test.y)
    assert few.test.x.shape == (400, 5, 10)
    assert many.test.x.shape == (400, 5, width)
    for splits in (few, many):
        assert spread[0] < splits.train.x.std() < spread[1]


@pytest.mark.parametrize(
    ("settings", "determined"),
    [
        ({"features": "all", "fake_targets": 5}, True),
        ({"features": "users", "fake_targets": 0}, True),
        ({"features": "users", "fake_targets": 5}, False),  # ten numbers of fifteen
        ({"data": "clicks", "fake_targets": 5, "feature_noise": 0.0}, True),
    ],
)
def test_features_without_noise_determine_the_click_rates_unless_there_are_too_few(settings, determined):
    train = make_problem("budget", **settings).data(0).train
    x = train.x.reshape(-1, train.x.shape[-1])
    design = np.column_stack([x, np.ones(len(x))])
    y = train.y.reshape(-1, 10)
    fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    assert (np.abs(fitted - y).max() < 1e-8) == determined


def test_the_seeds_and_parts_of_bids_are_apart():
    splits = [make_problem("budget", fake_targets=5).data(seed) for seed in (1000, 1001)]
    parts = [part for seed in splits for part in seed]
    assert len({part.x.tobytes() for part in parts}) == 6
    # All rows that have a pair are different, over parts and seeds: nothing is drawn twice.
    filled = np.concatenate([part.y.reshape(len(part), -1) for part in parts])
    filled = filled[filled.any(-1)]
    assert len(np.unique(filled, axis=0)) == len(filled)
    # Rates of two seeds are unrelated.
    a, b = (seed.test.y.ravel() for seed in splits)
    assert abs(np.corrcoef(a, b)[0, 1]) < 4 / len(a) ** 0.5


def test_rows_without_a_pair_have_nothing_to_decide():
    problem = make_problem("budget", fake_targets=0)
    test = problem.data(1000).test
    np.testing.assert_array_equal(problem.worst_regret(test.y, test.context) == 0, ~test.y.any((1, 2)))


def test_the_published_predictor_has_a_relu_and_labels_as_they_are():
    train = make_problem("budget").data(1000).train
    for predictor, activation, hidden, scale in (
        ("scaled", "softplus", 10, train.y.mean()),
        ("linear", "softplus", 0, train.y.mean()),
        ("published", "relu", 10, 1.0),
    ):
        problem = make_problem("budget", predictor=predictor)
        assert (problem.network.activation, problem.network.hidden) == (activation, hidden)
        assert problem.label_scale(train) == scale
    assert make_problem("budget").label_scale(Split(train.x, train.y * 0.0)) == 1.0


def test_features_are_standardised_by_the_training_part():
    short, long = (make_problem("budget", fake_targets=5, n_test=n).data(0) for n in (5, 400))
    np.testing.assert_array_equal(short.train.x, long.train.x)
    np.testing.assert_array_equal(short.val.x, long.val.x)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"budget": 5}, "budget < n_websites"),
        ({"budget": 0}, "expected budget"),
        ({"fake_targets": -1}, "expected fake_targets"),
        ({"data": "clicks", "density": 1.5}, "expected density"),
        ({"data": "clicks", "skew": -0.1}, "expected skew"),
        ({"law": (1.0, 1.0)}, "expected law to be two spreads of at least 0 and a level"),
        ({"law": (1.0, -1.0, -3.0)}, "expected law"),
        ({"law": (1.0, 1.0, "x")}, "expected law"),
        ({"features": "some"}, "expected features to be one of 'users', 'all'"),
        ({"popularity": 0.3}, "popularity is a setting of data='clicks', got it with data='bids'"),
        ({"data": "clicks", "features": "all"}, "features is a setting of data='bids'"),
        ({"data": "mine.pkl", "law": (1.0, 1.0, -3.0)}, "law is a setting of data='bids'"),
        ({"predictor": "other"}, "expected predictor to be one of 'scaled', 'published', 'linear'"),
        ({"derivative": "other"}, "expected derivative to be one of 'published', 'derived'"),
    ],
)
def test_budget_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        make_problem("budget", **settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"solver": "simplex"}, "expected solver to be one of 'osqp', 'active-set'"),
        ({"covariance": "future"}, "'clairvoyant', 'past'"),
        ({"predictable": 1.1}, "expected predictable"),
        ({"risk_aversion": -1.0}, "expected risk_aversion"),
        ({"n_stocks": 1}, "expected n_stocks"),
    ],
)
def test_portfolio_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        make_problem("portfolio-synthetic", **settings)


def test_in_training_uses_the_active_set_and_changes_nothing_else():
    problem = make_problem("portfolio-synthetic", n_train=30, covariance="past")
    fast = problem.in_training
    assert (problem.config.solver, fast.config.solver) == ("osqp", "active-set")
    assert (fast.config.n_train, fast.config.covariance, fast.name) == (30, "past", "portfolio-synthetic")


def test_seeds_stack_and_score_as_one_batch():
    problem = make_problem("portfolio-synthetic", n_test=5, n_stocks=8).in_training
    seeds = [problem.data(seed).test for seed in (0, 1)]
    both = stack(seeds)
    y_hat = np.zeros((3, *both.y.shape))
    batch = problem.regret(y_hat, both.y, both.context)
    assert batch.shape == (3, 2, 5)
    for i, rows in enumerate(seeds):
        np.testing.assert_allclose(batch[:, i], problem.regret(y_hat[:, i], rows.y, rows.context), atol=1e-9)


def test_tanh_does_not_saturate_on_the_labels():
    problem = make_problem("portfolio-synthetic")
    train = problem.data(0).train
    assert (np.abs(train.y) / problem.label_scale(train) < 1).mean() > 0.97
