"""What is particular to each problem; what all share is in test_contracts_problem."""

import numpy as np
import pytest
import torch
from scipy.optimize import brentq

from dfl_bench.contracts.split import stack
from dfl_bench.data.click_model import ClickModel, draw_ctr
from dfl_bench.problems import make_problem
from dfl_bench.problems._simplex import project_simplex


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


@pytest.mark.parametrize(
    ("settings", "message"),
    [
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


def test_only_the_chosen_generator_is_called_calibrated():
    assert "calibrated" in make_problem("budget", fake_targets=5, n_train=30).provenance
    assert make_problem("budget", popularity=0.5).provenance == "synthetic: generated click-through rates"


def test_fake_targets_change_features_and_not_click_rates():
    few, many = (make_problem("budget", fake_targets=f).data(3) for f in (0, 50))
    np.testing.assert_array_equal(few.test.y, many.test.y)
    assert few.test.x.shape == (400, 5, 10)
    assert many.test.x.shape == (400, 5, 60)
    for splits in (few, many):
        assert 0.6 < splits.train.x.std() < 1.6


def test_without_noise_the_features_determine_the_click_rates():
    train = make_problem("budget", fake_targets=5, feature_noise=0.0).data(0).train
    x = train.x.reshape(-1, 15)
    design = np.column_stack([x, np.ones(len(x))])
    y = train.y.reshape(-1, 10)
    fitted = design @ np.linalg.lstsq(design, y, rcond=None)[0]
    np.testing.assert_allclose(fitted, y, atol=1e-8)


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
        ({"density": 1.5}, "expected density"),
        ({"skew": -0.1}, "expected skew"),
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
