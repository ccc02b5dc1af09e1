"""LODL, TaskMet and SO-EBM beyond their formulas, which dfl_bench/studies/conformance has."""

import numpy as np
import pytest
import torch

from dfl_bench import methods
from dfl_bench.contracts.task import Task
from dfl_bench.experiment.protocols import configure
from dfl_bench.methods._energy import WIDTHS, energies, energy_loss, mixture_noise, propose
from dfl_bench.methods._implicit import hypergradient
from dfl_bench.methods.lodl_nn import LODLNN, networks
from dfl_bench.methods.lodl_quad import LODLQuad
from dfl_bench.methods.lodl_wmse import LODLWMSE
from dfl_bench.methods.taskmet import Metric, TaskMetConfig, _Learner, clipped, metric_error
from dfl_bench.run.evaluate import evaluate, evaluate_batch
from dfl_bench.training import SeedBatch
from kernels.deferred import deferred
from tests.methods.test_device import fake_device
from tests.support.device import assert_stays_on_device
from tests.support.small import OFFLINE, short_method, small_problem

LODLS = ["lodl-wmse", "lodl-dwmse", "lodl-quad", "lodl-dq", "lodl-nn"]
PROJECTED = ["inventory", "budget", "portfolio-synthetic", "top-k"]


def batch_of(problem, *seeds):
    return SeedBatch([Task(problem, (d := problem.data(seed)).train, d.val, seed) for seed in seeds])


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("lodl-quad", {"rank": 0}),
        ("lodl-quad", {"mse_weight": -0.1}),
        ("lodl-dq", {"mse_weight": float("nan")}),
        ("lodl-nn", {"hidden": (100, 0)}),
        ("lodl-dq", {"cycle": 0}),
        ("egl-wmse", {"cycle": 0}),
        ("taskmet", {"metric": "diag"}),
        ("taskmet", {"rounds": 0}),
        ("taskmet", {"predictor_steps": 0}),
        ("so-ebm", {"proposals": 7}),
        ("so-ebm", {"temperature": 0.0}),
        ("so-ebm", {"kl_weight": -1.0}),
        ("so-ebm", {"epochs": 0}),
        ("so-ebm", {"start_rate": 0.0}),
    ],
)
def test_settings_that_cannot_be_are_refused(method, settings):
    (name,) = settings
    with pytest.raises(ValueError, match=f"expected {name} "):
        configure(methods.get(method), small_problem("inventory"), "paper", settings)


@pytest.mark.parametrize("method", ["lodl-dq", "lodl-nn", "egl-wmse", "egl-dq"])
def test_the_losses_of_a_cycle_judge_all_rows(method):
    problem = small_problem("inventory")
    made = {n: short_method(method, problem, cycle=n, select="last") for n in (None, 24, 1)}
    own, same, first = (evaluate_batch(made[n], problem, [1000])[0].predictions for n in (None, 24, 1))
    assert np.array_equal(own, same)  # as many losses as rows
    assert not np.array_equal(own, first)


def test_a_row_is_judged_by_the_instance_of_its_number_in_the_cycle():
    batch = batch_of(small_problem("inventory"), 1000, 1001)
    index = torch.tensor([[0, 5, 23], [7, 2, 4]])
    for rows, numbers in ((batch.rows(index), index), (batch.rows(None), torch.arange(24).expand(2, 24))):
        judge = batch.asked(rows, 5)
        assert torch.equal(judge.index, numbers % 5)
        for seed in range(2):
            assert torch.equal(judge.y[seed], batch.train.y[seed][numbers[seed] % 5])
        assert batch.asked(rows, None) is rows


@pytest.mark.parametrize("problem", ["shortest-path", "knapsack", "matching", "top-k"])
def test_taskmet_says_that_a_decision_has_no_derivative(problem):
    reason = methods.get("taskmet").not_applicable(small_problem(problem))
    assert reason == f"{problem} has no differentiable decision"


@pytest.mark.parametrize("problem", OFFLINE)
def test_so_ebm_says_that_decisions_cannot_be_projected(problem):
    reason = methods.get("so-ebm").not_applicable(small_problem(problem))
    expected = f"{problem} has no exact projection onto its decisions"
    assert reason == (None if problem in PROJECTED else expected)


@pytest.mark.parametrize("name", LODLS)
@pytest.mark.parametrize("samples", [2, 7, 8])
def test_few_samples_are_fitted_without_a_split(name, samples):
    problem = small_problem("inventory")
    (result,) = evaluate_batch(short_method(name, problem, samples=samples), problem, [1000])
    assert np.isfinite(result.predictions).all()
    assert result.ledger.solves["label"] == samples * len(problem.data(1000).train)


@pytest.mark.parametrize("name", LODLS)
def test_a_fit_is_better_than_its_start_on_samples_it_was_not_fitted_on(name):
    rng = np.random.default_rng(0)
    method = short_method(name, small_problem("inventory"), surrogate_steps=100, surrogate_rate=0.05)
    points = torch.from_numpy(rng.standard_normal((20, 30, 3)))
    target = points.square() @ torch.tensor([1.0, 2.0, 3.0]).double()
    fitted = method._fit_instances(points, target, np.random.default_rng(1))
    start = method.admit(method.start(np.random.default_rng(1), 20, 3))
    error = lambda p: (method.form(p, points) - target)[:, 20:].square().mean(-1)  # noqa: E731
    assert (error(fitted) <= error(start)).all()
    assert (error(fitted) < 0.7 * error(start)).double().mean() > 0.4  # half of the networks are at zero


def test_weights_learn_which_entry_matters():
    rng = np.random.default_rng(0)
    method = short_method("lodl-wmse", small_problem("inventory"), surrogate_steps=400, surrogate_rate=0.05)
    points = torch.from_numpy(rng.standard_normal((5, 600, 3)))  # enough to hold out like ones
    target = points.square() @ torch.tensor([0.0, 1.0, 2.0]).double()
    weights = method._fit_instances(points, target, rng)
    expected = torch.tensor([1e-3, 3.0, 6.0]).double().expand(5, -1)  # D = 3, and never below the floor
    torch.testing.assert_close(weights, expected, rtol=0.02, atol=0.02)


def test_a_factor_has_a_triangle_and_bounds():
    factor = LODLQuad().admit(torch.full((2, 4, 3), 500.0).double())
    assert torch.equal(factor[0], 100.0 * torch.ones(4, 3).double().tril())


def test_a_network_at_zero_has_no_gradient():
    """Half of all networks start so, and none of them learns: the output is a ReLU, as published."""
    method = LODLNN()
    parameters = method.start(np.random.default_rng(0), 200, 5).unsqueeze(0)
    points = torch.from_numpy(np.random.default_rng(1).random((1, 200, 5))).requires_grad_()
    value = method.at_one_point(parameters, None, points)
    (slope,) = torch.autograd.grad(value.sum(), points)
    silent = value[0] == 0.0
    assert 0.2 < silent.double().mean() < 0.8
    assert (slope[0, silent] == 0.0).all() and (slope[0, ~silent] != 0.0).any(-1).all()


def test_a_module_is_no_parameter():
    """So the released code of LODL cannot make its network loss: docs/errata.md."""
    with pytest.raises(AttributeError, match="has no attribute 'detach'"):
        torch.nn.Parameter(torch.nn.Linear(2, 1))


def test_mini_batches_meet_the_losses_of_their_own_instances():
    method = LODLWMSE()
    weights = torch.arange(1.0, 7.0).double().view(1, 6, 1)
    rows = torch.tensor([[4, 0, 4]])
    value = method.at_one_point(weights, rows, torch.ones(1, 3, 1).double())
    assert torch.equal(value, torch.tensor([[5.0, 1.0, 5.0]]).double())


@pytest.mark.parametrize("name", ["lodl-wmse", "lodl-dwmse", "lodl-quad", "lodl-nn"])
def test_a_step_of_lodl_stays_on_the_device(name):
    method = short_method(name, small_problem("inventory"))
    parameters = method.start(np.random.default_rng(0), 6, 3).unsqueeze(0)

    def step(d, parameters, rows):
        d = d.detach().requires_grad_()
        value = method.form(method.admit(parameters)[:, :2], d.unsqueeze(2))
        return torch.autograd.grad(value.sum(), d)[0]

    assert_stays_on_device(step, torch.ones(1, 2, 3).double(), parameters, torch.tensor([[4, 1]]))


@pytest.mark.parametrize("problem", PROJECTED)
def test_a_step_of_so_ebm_mixes_no_devices(problem):
    problem = small_problem(problem).in_training
    rows = problem.data(1000).train.to("cpu")
    y, best = rows.y[None], problem.decide(rows.y, rows.context)[None]
    noise = mixture_noise([np.random.default_rng(0)], (1, len(rows), 8, *best.shape[2:]))[:, 0]
    context = {name: values[None] for name, values in rows.context.items()}
    given = (*propose(problem, best, noise, y.new_ones(1)), y, best, noise)
    with fake_device() as fake, deferred():
        z, log_weights, y, best, noise = map(fake, given)
        there = {name: fake(values) for name, values in context.items()}
        y_hat = fake(given[2]).requires_grad_()
        if problem.name != "inventory":  # a constant made on "meta" is no fake tensor: a matter of torch
            z, log_weights = propose(problem, best, noise, y.new_ones(1))
        of_best = energies(problem, best.unsqueeze(2), y_hat, there).squeeze(2)
        predicted, true = (energies(problem, z, at, there) for at in (y_hat, y))
        loss = energy_loss(of_best, predicted, true, log_weights, 0.01)
        (slope,) = torch.autograd.grad(loss.sum(), y_hat)
        assert loss.shape == y.shape[:2] and loss.device.type == slope.device.type == "meta"


@pytest.mark.parametrize("shape", [(3, 3), (3,)], ids=["full", "diagonal"])
def test_a_step_of_the_metric_stays_on_the_device(shape):
    def step(x, y, theta, phi):
        theta, phi = (leaf.detach().requires_grad_() for leaf in (theta, phi))
        y_hat, factors = x @ theta, (x @ phi).unflatten(-1, shape)
        inner = metric_error(factors, x.new_zeros(2, 1), y_hat - y).mean(-1)
        outer = (y_hat - y).abs().sum((1, 2))
        grads = hypergradient([theta], [phi], inner, outer, iterations=3, ridge=1e-5)
        return clipped(grads, 1.0)[0]

    shapes = [(2, 6, 4), (2, 6, 3), (2, 4, 3), (2, 4, int(np.prod(shape)))]
    moved = assert_stays_on_device(step, *(torch.rand(*size, dtype=torch.float64) for size in shapes))
    assert moved.abs().max() > 0.0


def test_networks_of_one_layer_are_a_clipped_line():
    value = networks(
        torch.tensor([[2.0, -1.0, 0.5]]).double(), (), torch.tensor([[[1.0, 1.0], [0.0, 3.0]]]).double()
    )
    assert torch.equal(value, torch.tensor([[1.5, 0.0]]).double())


@pytest.mark.parametrize(
    ("problem", "metric", "full"),
    [
        ("inventory", "auto", True),
        ("budget", "auto", False),
        ("inventory", "diagonal", False),
        ("budget", "full", True),
    ],
)
def test_the_metric_is_full_where_outcomes_are_small(problem, metric, full):
    batch = batch_of(small_problem(problem), 1000)
    made = Metric(batch, TaskMetConfig(metric=metric), [np.random.default_rng(0)])
    n, size = batch.train.y.shape[1], batch.train.y.flatten(2).shape[-1]
    assert made(batch.train.x).shape == ((1, n, size, size) if full else (1, n, size))


@pytest.mark.parametrize("problem", ["inventory", "portfolio-synthetic"])
def test_the_metric_moves_in_units_of_its_rate_and_seeds_stay_apart(problem):
    def improved(*seeds):
        batch = batch_of(small_problem(problem), *seeds)
        learner = _Learner(batch, TaskMetConfig(), [np.random.default_rng(seed) for seed in seeds])
        before = [p.detach().clone() for p in learner.metric.parameters()]
        learner.improve(batch.new_network())
        return before, [p.detach() for p in learner.metric.parameters()]

    before, after = improved(1000, 1001)
    moved = max((a - b).abs().max() for a, b in zip(after, before, strict=True))
    assert 0.0 < moved <= 1e-3 * (1 + 1e-6)  # the first step of Adam
    _, alone = improved(1001)
    for a, b in zip(after, alone, strict=True):
        torch.testing.assert_close(a[1:], b, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("problem", PROJECTED)
def test_proposals_are_decisions_around_the_best_ones(problem):
    made = small_problem(problem)
    rows = made.data(1000).train.to("cpu")
    best = made.decide(rows.y, rows.context)[None]
    noise = mixture_noise([np.random.default_rng(0)], (1, len(rows), 64, *best.shape[2:]))[:, 0]
    z, log_weights = propose(made, best, noise, torch.tensor([2.0]).double())
    torch.testing.assert_close(made.nearest_decision(z), z, rtol=0.0, atol=1e-12)
    assert z.shape == noise.shape and log_weights.shape == noise.shape[:3]
    if problem != "inventory":
        assert (log_weights == 0.0).all()


def test_an_order_below_zero_has_no_weight():
    problem = small_problem("inventory")
    best, noise = torch.tensor([[1.0]]).double(), torch.tensor([[[-0.25, 0.0, 0.125]]]).double()
    z, log_weights = propose(problem, best, noise, torch.tensor([8.0]).double())
    assert torch.equal(z, torch.tensor([[[0.0, 1.0, 2.0]]]).double())
    assert log_weights[0, 0, 0] == -torch.inf and torch.isfinite(log_weights[0, 0, 1:]).all()


def test_noise_has_the_widths_of_the_mixture_and_does_not_depend_on_other_seeds():
    streams = lambda: [np.random.default_rng(seed) for seed in (0, 1)]  # noqa: E731
    shape = (2, 50, 200, 3)
    noise = mixture_noise(streams(), shape)
    assert noise.std().item() == pytest.approx(np.sqrt(np.mean(np.square(WIDTHS))), rel=0.02)
    assert torch.equal(noise[1:], mixture_noise(streams()[1:], shape))
    by_proposal = noise.abs().amax(-1)  # one width for all entries of a proposal
    assert by_proposal.quantile(0.3) < 0.04 < 0.1 < by_proposal.quantile(0.9)


@pytest.mark.parametrize(("name", "label", "surrogate"), [("taskmet", 0, 4 * 8), ("so-ebm", 24, 0)])
def test_a_learned_loss_is_paid_for(name, label, surrogate):
    """TaskMet solves for each of four moves of the metric, SO-EBM the training outcomes once."""
    problem = small_problem("inventory")
    data = problem.data(1000)
    task = Task(problem, data.train, data.val, 1000)
    short_method(name, problem, batch=8).fit(task, np.random.default_rng(0))
    assert task.ledger.solves["label"] == label and task.ledger.solves["surrogate"] == surrogate
    assert task.ledger.solves["train"] % len(data.val) == 0  # validations alone


def test_so_ebm_turns_a_line_round_that_the_prediction_error_draws_downwards():
    """On top-k the least squared error chooses the smallest x, and the best items have the largest."""
    problem = small_problem("top-k", n_train=100)
    settings = {"seed": 1000, "select": "last"}
    start = evaluate("pfl", problem, **settings)
    trained = evaluate("so-ebm", problem, epochs=50, learning_rate=0.1, **settings)
    assert start.normalized_regret > 0.8 and trained.normalized_regret < 0.2


def test_a_learned_metric_lowers_the_cost_of_training_decisions():
    """With three features a linear predictor cannot fit all outcomes: the metric says which matter."""
    problem = small_problem("inventory", n_train=200, n_features=3, predictor="linear")
    batch = batch_of(problem, 1000, 1001)

    def regret(rate):
        method = short_method(
            "taskmet", problem, surrogate_rate=rate, rounds=20, predictor_steps=50, select="last"
        )
        fitted = method.fit_batch(batch.tasks, [np.random.default_rng(seed) for seed in (0, 1)])
        pairs = zip(fitted, batch.tasks, strict=True)
        return np.array([problem.regret(f(t.train.x), t.train.y, t.train.context).mean() for f, t in pairs])

    assert (regret(1e-2) < regret(1e-12)).all()
