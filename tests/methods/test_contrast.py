"""What holds of losses over a pool, of SPO+ and of the perturbation gradient, beside the conformance page."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from dfl_bench import methods
from dfl_bench.contracts.problem import Problem
from dfl_bench.contracts.task import Task
from dfl_bench.errors import DivergedError, NotApplicableError
from dfl_bench.methods import _pool
from dfl_bench.methods.ltr_diff import pairwise_difference
from dfl_bench.methods.ltr_list import listwise
from dfl_bench.methods.ltr_pair import pairwise
from dfl_bench.methods.ltr_point import pointwise
from dfl_bench.methods.map import largest_gap
from dfl_bench.methods.nce import mean_gap
from dfl_bench.methods.pg import perturbation_gradient
from dfl_bench.methods.spo_plus import spo_plus, spo_plus_gradient
from dfl_bench.run.evaluate import evaluate_batch, evaluate_seed
from dfl_bench.training import Pool
from kernels.deferred import deferred
from tests.methods.test_device import fake_device
from tests.support.device import assert_stays_on_device
from tests.support.small import OFFLINE, short_method, small_problem

POOLED = [name for name in methods.names() if issubclass(methods.get(name), _pool.Pooled)]
LINEAR = [p for p in OFFLINE if type(small_problem(p)).embed is not Problem.embed]


def rows_of(problem, seed=0):
    """Outcomes, their best decisions and the context of a seed's training rows, as tensors."""
    train = problem.data(seed).train.to("cpu")
    return train.y, problem.decide(train.y, train.context), train.context


def guesses(problem, y, n, seed=0):
    """Admissible predictions (n, rows, *targets), some near the outcomes and some far from them."""
    rng = np.random.default_rng(seed)
    width = np.geomspace(0.03, 3.0, n).reshape(-1, *[1] * y.ndim)
    noise = torch.as_tensor(width * rng.standard_normal((n, *y.shape)))
    return problem.project(y + float(y.std()) * noise)


def test_the_family_is_complete():
    names = {"map", "map-c", "nce", "nce-c", "ltr-point", "ltr-pair", "ltr-diff", "ltr-list"}
    assert names == set(POOLED)
    assert {methods.get(name).family for name in names} == {"contrast and rank"}
    assert {methods.get(name).family for name in ("spo-plus", "pg")} == {"upper bound"}


@pytest.mark.parametrize("name", LINEAR)
def test_spo_plus_bounds_the_regret_and_is_convex(name):
    problem = small_problem(name).in_training
    y, best, context = rows_of(problem)
    bound = lambda y_hat: spo_plus(problem, y_hat, y, best, context)  # noqa: E731
    points = guesses(problem, y, 8)
    values, regrets = (
        torch.stack([f(p) for p in points]) for f in (bound, lambda p: problem.regret(p, y, context))
    )
    size = values.abs().max()
    assert (values >= regrets - 1e-9 * size).all() and regrets.max() > 0.0
    assert bound(y).abs().max() <= 1e-9 * size
    for a, b in itertools.pairwise(points):
        for share in (0.25, 0.5, 0.75):
            chord = share * bound(a) + (1 - share) * bound(b)
            assert (bound(share * a + (1 - share) * b) <= chord + 1e-9 * size).all()


@pytest.mark.parametrize("name", LINEAR)
def test_spo_plus_is_map_c_at_twice_the_difference_over_a_pool_of_its_own_solution(name):
    """One formula, several names: q = 2ŷ − y is ŷ + (ŷ − y)."""
    problem = small_problem(name).in_training
    y, best, context = rows_of(problem)
    y_hat = guesses(problem, y, 4)[2]
    weights = 2 * y_hat - y
    pool = Pool(problem, context, best)
    pool.add(problem.lowest(weights, context))
    costs = pool.costs(y_hat, None) + pool.differences(y_hat, y, None)
    expected = largest_gap(costs.gather(-1, pool.best.unsqueeze(-1)).squeeze(-1), costs)
    torch.testing.assert_close(spo_plus(problem, y_hat, y, best, context), expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("central", [False, True])
def test_the_perturbation_gradient_tends_to_the_cost_of_the_decision(name, central):
    problem = small_problem(name).in_training
    y, _, context = rows_of(problem)
    y_hat = guesses(problem, y, 4)[2]
    cost = problem.cost(problem.decide(y_hat, context), y, context)
    value = perturbation_gradient(problem, y_hat, y, context, sigma=1e-7, central=central)
    torch.testing.assert_close(value, cost, rtol=1e-4, atol=1e-4 * float(cost.abs().max()))


@pytest.mark.parametrize("name", OFFLINE)
def test_losses_over_a_pool_at_the_truth(name):
    """MAP, MAP_c, points and pairs are zero there; the listwise loss is the entropy of the true ranking."""
    problem = small_problem(name)
    y, best, context = rows_of(problem)
    pool = Pool(problem, context, best)
    at = lambda costs: costs.gather(-1, pool.best.unsqueeze(-1)).squeeze(-1)  # noqa: E731
    true, zero = pool.costs(y, None), pool.differences(y, y, None)
    assert zero.abs().max() == 0.0
    for value in (largest_gap(at(true), true), pairwise(at(true), true)):
        assert value.abs().max() <= 1e-9 * true.abs().max()
    for value in (largest_gap(at(zero), zero), pairwise_difference(at(zero), zero), pointwise(zero)):
        assert value.abs().max() == 0.0
    shares = (-true / 3.0).softmax(-1)
    entropy = -torch.special.xlogy(shares, shares).sum(-1)
    torch.testing.assert_close(listwise(true, true, 3.0), entropy)
    for y_hat in guesses(problem, y, 6):
        hat, error = pool.costs(y_hat, None), pool.differences(y_hat, y, None)
        assert (largest_gap(at(error), error) >= 0.0).all() and (largest_gap(at(hat), hat) >= 0.0).all()
        assert (listwise(hat, true, 3.0) >= entropy - 1e-9).all()


def test_nce_falls_without_end_and_its_variant_has_its_slope():
    problem = small_problem("shortest-path")
    y, best, context = rows_of(problem)
    pool = Pool(problem, context, best)
    y_hat = y.clone().requires_grad_()
    of = lambda costs: mean_gap(costs.gather(-1, pool.best.unsqueeze(-1)).squeeze(-1), costs)  # noqa: E731
    slopes = [
        torch.autograd.grad(of(costs).sum(), y_hat)[0]
        for costs in (pool.costs(y_hat, None), pool.differences(y_hat, y, None))
    ]
    torch.testing.assert_close(*slopes)
    far = [float(of(pool.costs(-scale * slopes[0], None)).sum()) for scale in (1.0, 1e3, 1e6)]
    assert far[2] < 1e2 * far[1] < 0.0


def test_pairs_leave_out_the_best_decision_itself():
    costs = torch.tensor([[1.0, 4.0, 0.5]], dtype=torch.float64)
    assert pairwise(costs[:, 0], costs, 2.0).item() == pytest.approx((0.0 + 2.5) / 2)
    assert pairwise(costs[:, 0], costs[:, :1], 2.0).item() == 0.0
    assert pairwise_difference(costs[:, 0], costs).item() == pytest.approx((9.0 + 0.25) / 2)
    assert pairwise_difference(costs[:, 0], costs[:, :1]).item() == 0.0


def test_the_list_is_led_by_the_best_decision_and_the_other_sign_by_the_worst():
    """PyEPO before 2.2.1 turned the sign of the true costs, and the worst decision led. See errata."""
    true = torch.tensor([[1.0, 2.0, 5.0]], dtype=torch.float64)
    leaders = {}
    for name, wanted in (("ours", true), ("turned", -true)):
        flat = torch.zeros_like(true).requires_grad_()
        (slope,) = torch.autograd.grad(listwise(flat, wanted).sum(), flat)
        leaders[name] = int(slope.argmax())  # whose predicted cost a step lowers most
    assert leaders == {"ours": 0, "turned": 2}
    assert listwise(true, true) < listwise(-true, true)


def test_extreme_temperatures_stay_finite():
    costs = torch.tensor([[0.0, 1.0, 5.0]], dtype=torch.float64)
    for temperature in (1e-9, 1e9):
        assert listwise(costs.flip(-1), costs, temperature).isfinite().all()


@pytest.mark.parametrize("loss", [largest_gap, mean_gap, pairwise, pairwise_difference])
def test_losses_take_any_leading_dimensions(loss):
    costs = torch.rand(2, 3, 5, dtype=torch.float64)
    together = loss(costs[..., 0], costs)
    assert together.shape == (2, 3)
    torch.testing.assert_close(together[1, 2], loss(costs[1, 2, 0], costs[1, 2]))


def offer_of(problem):
    y, best, context = rows_of(problem)
    pool = Pool(problem.in_training, context, best)
    return _pool.Offer(pool, y, y, pool.best, None, torch.ones((), dtype=torch.float64))


@pytest.mark.parametrize("name", POOLED)
@pytest.mark.parametrize("problem", OFFLINE)
def test_a_step_over_a_pool_mixes_no_devices(name, problem):
    """The pool and the loss with its gradient, on tensors of a fake device."""
    given = offer_of(small_problem(problem))
    method = methods.get(name)()
    with fake_device() as fake, deferred():
        y_hat = fake(given.y_hat).requires_grad_()
        for key, value in vars(given.pool).items():
            if isinstance(value, torch.Tensor):
                setattr(given.pool, key, fake(value))
        given.pool._context = {key: fake(value) for key, value in given.pool._context.items()}
        moved = replace(given, y_hat=y_hat, y=fake(given.y), best=fake(given.best), scale=fake(given.scale))
        loss = method.loss(moved)
        (slope,) = torch.autograd.grad(loss.sum(), y_hat)
        assert loss.device.type == slope.device.type == "meta"


# Branch and bound, which the knapsack needs, runs on the CPU alone and says so.
@pytest.mark.parametrize("name", [name for name in LINEAR if name != "knapsack"])
def test_a_step_of_a_bound_mixes_no_devices(name):
    problem = small_problem(name).in_training
    y, best, context = rows_of(problem)
    with fake_device() as fake, deferred():
        hat, true, z = fake(y).requires_grad_(), fake(y), fake(best)
        rows = {key: fake(value) for key, value in context.items()}
        loss = spo_plus(problem, hat, true, z, rows) + perturbation_gradient(problem, hat, true, rows)
        (slope,) = torch.autograd.grad(loss.sum(), hat)
        assert loss.device.type == slope.device.type == "meta"


def test_losses_on_tensors_stay_on_the_device():
    costs = torch.rand(3, 5, dtype=torch.float64)
    for loss in (largest_gap, mean_gap, pairwise, pairwise_difference):
        assert_stays_on_device(loss, costs[:, 0].clone(), costs)
    assert_stays_on_device(listwise, costs, costs.flip(-1).clone())
    assert_stays_on_device(pointwise, costs)


@pytest.mark.parametrize(("name", "setting", "value"), [
    ("ltr-list", "temperature", 0.0), ("ltr-list", "temperature", -1.0), ("ltr-pair", "margin", -0.1),
    ("pg", "sigma", 0.0), ("pg", "sigma", 1.0), ("pg", "sigma", float("nan")), ("map", "solve_ratio", 1.5),
    ("map", "solve_ratio", -0.1), ("nce", "pool_size", 0),
])  # fmt: skip
def test_settings_that_mean_nothing_are_refused(name, setting, value):
    with pytest.raises(ValueError, match=f"expected {setting} to be"):
        methods.get(name).Config(**{setting: value})


@pytest.mark.parametrize("name", ["spo-plus", "pg"])
def test_a_cost_that_is_not_linear_is_refused_with_its_reason(name):
    with pytest.raises(NotApplicableError, match="the cost of budget is not linear in the outcome"):
        evaluate_seed(methods.get(name)(), small_problem("budget"), 1000)


@pytest.mark.parametrize("name", ["nce", "spo-plus", "pg"])
def test_a_fit_without_end_is_a_failure_with_its_reason(name):
    problem = small_problem("shortest-path")
    method = short_method(name, problem, learning_rate=1e308, steps=30, validate_every=30)
    (result,) = evaluate_batch(method, problem, [1000])
    assert isinstance(result, DivergedError) and "lower the learning rate" in str(result)


@pytest.mark.parametrize("name", ["map", "ltr-list"])
def test_pools_grow_as_often_as_asked_and_are_paid_for(name):
    problem = small_problem("top-k", n_train=40)
    data = problem.data(1000)
    solves = {}
    for ratio in (0.0, 0.5, 1.0):
        task = Task(problem, data.train, data.val, 1000)
        method = short_method(name, problem, solve_ratio=ratio, validate_every=30)
        method.fit(task, np.random.default_rng(0))
        assert task.ledger.solves["label"] == 40
        solves[ratio] = task.ledger.solves["train"] - 2 * len(data.val)  # both validations
    assert solves[0.0] == 0 and solves[1.0] == 30 * 32
    assert 0 < solves[0.5] < 30 * 32 and solves[0.5] % 32 == 0


@pytest.mark.parametrize(("name", "labels", "each"), [("spo-plus", 24, 1), ("pg", 0, 2)])
def test_a_bound_is_paid_for(name, labels, each):
    problem = small_problem("shortest-path")
    data = problem.data(1000)
    task = Task(problem, data.train, data.val, 1000)
    short_method(name, problem, validate_every=30, batch=8).fit(task, np.random.default_rng(0))
    assert task.ledger.solves["label"] == labels
    assert task.ledger.solves["train"] == each * 30 * 8 + 2 * len(data.val)  # both validations


def test_a_full_pool_is_not_solved_for():
    problem = small_problem("inventory")
    data = problem.data(1000)
    task = Task(problem, data.train, data.val, 1000)
    method = short_method("map-c", problem, solve_ratio=1.0, pool_size=1, validate_every=30)
    method.fit(task, np.random.default_rng(0))
    assert task.ledger.solves["train"] == 2 * len(data.val)


@pytest.mark.parametrize("name", ["shortest-path", "knapsack", "top-k", "inventory", "portfolio-synthetic"])
def test_the_gradient_written_out_is_that_of_the_bound(name):
    """A fit uses `spo_plus_gradient`; torch gives the same from the value."""
    problem = small_problem(name).in_training
    rows = problem.data(1000).train.to("cpu")
    noise = torch.randn(rows.y.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    y_hat = problem.project(rows.y + rows.y.std() * noise).requires_grad_()
    best = problem.decide(rows.y, rows.context)
    spo_plus(problem, y_hat, rows.y, best, rows.context).sum().backward()
    written = spo_plus_gradient(problem, y_hat.detach(), rows.y, best, rows.context)
    assert written.abs().max() > 0
    torch.testing.assert_close(written, y_hat.grad, rtol=1e-12, atol=1e-12)
