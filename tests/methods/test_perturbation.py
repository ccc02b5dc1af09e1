"""What the conformance page does not show of the families "perturbation" and "black box"."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import kstest

from dfl_bench import methods
from dfl_bench.contracts.linear import LinearProblem
from dfl_bench.experiment.protocols import configure
from dfl_bench.methods import _perturbation
from dfl_bench.methods._decision_loss import Truth
from dfl_bench.methods._interpolation import solve
from dfl_bench.methods._perturb_and_map import sum_of_gammas
from dfl_bench.methods._perturbation import Additive, Multiplicative, Noise, normal
from dfl_bench.methods.aimle import Adaptive, adaptive_mle
from dfl_bench.methods.dbb import blackbox
from dfl_bench.methods.dpo import perturbed_optimizer
from dfl_bench.methods.imle import implicit_mle
from dfl_bench.methods.nid import negative_identity, projected
from dfl_bench.methods.pfy import fenchel_young
from dfl_bench.run.evaluate import evaluate_batch
from kernels.deferred import deferred
from tests.methods.test_device import fake_device
from tests.support.small import OFFLINE, short_method, small_problem

SEEDS, ROWS, DRAWS = 2, 6, 3
PERTURBED, BLACK_BOX = ("dpo", "pfy", "imle", "aimle"), ("dbb", "nid")


def losses(problem, y_hat, y, best, noise, context=None, width=0.5):
    """Return functions to the losses (S, n); arguments are tensors, so that a fake device can have them."""
    truth, how = Truth(y, best, context or {}), {"task_loss": "distance"}
    kind, moved, point = Additive(width), y_hat + width * noise, projected(y_hat, "mean-and-norm", 1)
    regret = {"task_loss": "regret"}
    made = {
        "pfy": lambda: fenchel_young(problem, moved, truth),
        "dpo": lambda: perturbed_optimizer(problem, y_hat, noise, kind, truth, **how),
        "dpo regret": lambda: perturbed_optimizer(problem, y_hat, noise, kind, truth, **regret),
        "imle": lambda: implicit_mle(problem, moved, truth, shift=2.0, **how),
        "imle regret": lambda: implicit_mle(problem, moved, truth, shift=2.0, **regret),
        "aimle": lambda: adaptive_mle(problem, y_hat, moved, truth, state=Adaptive(y[:, 0, 0]), **how),
    }
    if isinstance(problem, LinearProblem):
        made |= {
            "dbb": lambda: blackbox(problem, y_hat, truth, shift=2.0, **regret),
            "dbb distance": lambda: blackbox(problem, y_hat, truth, shift=2.0, **how),
            "nid": lambda: negative_identity(problem, y_hat, truth, **regret),
            "nid projected": lambda: negative_identity(problem, point, truth, **regret),
        }
    return made


LOSSES = ["pfy", "dpo", "dpo regret", "imle", "imle regret", "aimle", "dbb", "dbb distance", "nid"]
LOSSES += ["nid projected"]


def tensors(name):
    """Return predictions, outcomes, best decisions and noise of a small problem."""
    problem, rng = small_problem(name), np.random.default_rng(0)
    rows = problem.data(1000).train[: SEEDS * ROWS].to("cpu")
    y, *_ = (seeds := [values.unflatten(0, (SEEDS, ROWS)) for values in (rows.y, *rows.context.values())])
    context = dict(zip(rows.context, seeds[1:], strict=True))
    y_hat = torch.from_numpy(problem.project(np.abs(rng.standard_normal(y.shape))))
    noise = torch.from_numpy(rng.standard_normal((DRAWS, *y.shape)))
    return problem, y_hat, y, problem.decide(y, context), noise, context


@pytest.mark.parametrize(
    ("name", "setting", "value"),
    [
        *((name, "sigma", value) for name in PERTURBED for value in (0.0, -1.0, float("nan"))),
        *((name, "draws", value) for name in PERTURBED for value in (0, -1)),
        *((name, "shift", value) for name in ("imle", "dbb") for value in (0.0, -1.0, float("inf"))),
        *((name, "task_loss", "hamming") for name in ("dpo", "imle", "aimle", "dbb", "nid")),
        *((name, "noise_kind", "gumbel") for name in ("dpo", "pfy")),
        *((name, "kappa", 0.0) for name in ("imle", "aimle")),
        *((name, "terms", 0) for name in ("imle", "aimle")),
        *(("aimle", name, 0.0) for name in ("beta_step", "target")),
        ("nid", "projection", "sphere"),
    ],
)
def test_bad_settings_are_refused_by_name(name, setting, value):
    with pytest.raises(ValueError, match=f"expected {setting} to be"):
        short_method(name, small_problem("shortest-path"), **{setting: value})


def test_noise_that_multiplies_needs_positive_predictions():
    for name in ("dpo", "pfy"):
        problem = small_problem("shortest-path")
        with pytest.raises(ValueError, match=r"expected positive predictions.*shortest-path.*'linear'"):
            evaluate_batch(short_method(name, problem, noise_kind="multiplicative"), problem, [1000])
    problem = small_problem("inventory")
    (result,) = evaluate_batch(short_method("pfy", problem, noise_kind="multiplicative"), problem, [1000])
    assert np.isfinite(result.normalized_regret)


def test_the_mean_is_taken_away_only_where_it_does_not_matter():
    allowed, refused = small_problem("shortest-path"), small_problem("knapsack")
    evaluate_batch(short_method("nid", allowed, projection="mean-and-norm"), allowed, [1000])
    with pytest.raises(ValueError, match=r"sums from .* on knapsack.*use projection='norm'"):
        evaluate_batch(short_method("nid", refused, projection="mean-and-norm"), refused, [1000])
    evaluate_batch(short_method("nid", refused, projection="norm"), refused, [1000])


def test_where_a_formula_does_not_hold_the_method_says_why():
    reasons = {
        (method, problem): methods.get(method).not_applicable(small_problem(problem))
        for method in (*PERTURBED, *BLACK_BOX)
        for problem in OFFLINE
    }
    for (method, name), reason in reasons.items():
        problem = small_problem(name)
        linear, embedded = isinstance(problem, LinearProblem), problem.name != "budget"
        applies = linear if method in BLACK_BOX else embedded or method == "dpo"
        assert (reason is None) == applies, (method, name, reason)
    assert reasons["pfy", "budget"] == "the cost of budget is not linear in the outcome"
    assert reasons["dbb", "inventory"] == "the cost of inventory has a part that no outcome changes"


@pytest.mark.parametrize("name", LOSSES)
def test_no_gradient_where_no_noise_changes_the_best_decision(name):
    problem, _, y, best, noise, _ = tensors("shortest-path")
    y_hat = (100.0 * y).requires_grad_()
    value = losses(problem, y_hat, y, best, noise, width=1e-3)[name]()
    (slope,) = torch.autograd.grad(value.sum(), y_hat)
    assert value.abs().max() < 1e-12 and slope.abs().max() < 1e-12


@pytest.mark.parametrize("problem", ["shortest-path", "knapsack"])
def test_the_other_side_gives_a_gradient_at_the_optimum(problem):
    """What PyEPO did before 2.2.1 where values are earned: a step towards worse decisions. See errata."""
    problem, _, y, best, *_ = tensors(problem)
    solved = solve(problem, y[None], Truth(y, best, {}), "distance")
    along = replace(solved, slope=y)
    assert along.difference(2.0).abs().max() == 0.0
    assert along.difference(-2.0).abs().max() > 0.0


@pytest.mark.parametrize("name", LOSSES)
def test_a_gradient_is_that_of_an_instance_whatever_the_batch(name):
    """λ counts for one instance: the mean over rows divides the gradient and nothing inside it."""
    problem, y_hat, y, best, noise, _ = tensors("shortest-path")
    y_hat.requires_grad_()
    (together,) = torch.autograd.grad(losses(problem, y_hat, y, best, noise)[name]().mean(), y_hat)
    assert together.abs().sum() > 0.0
    if name == "aimle":  # its λ is made of norms over all rows of a seed
        return
    for seed in range(SEEDS):
        for row in range(ROWS):
            one = [t[seed : seed + 1, row : row + 1] for t in (y_hat, y, best)]
            alone = losses(problem, *one, noise[:, seed : seed + 1, row : row + 1])[name]().mean()
            (slope,) = torch.autograd.grad(alone, y_hat)
            torch.testing.assert_close(slope[seed, row], SEEDS * ROWS * together[seed, row])


APPLY = [
    (name, problem)
    for problem in ("shortest-path", "top-k", "inventory", "portfolio-synthetic")
    for name in losses(*tensors(problem))
]


@pytest.mark.parametrize(("name", "problem"), APPLY)
def test_a_step_mixes_no_devices(name, problem):
    problem, *given, context = tensors(problem)
    with fake_device() as fake, deferred():
        y_hat, y, best, noise = map(fake, given)
        y_hat.requires_grad_()
        there = {name: fake(values) for name, values in context.items()}
        value = losses(problem, y_hat, y, best, noise, there)[name]()
        value.sum().backward()
        assert value.shape == (SEEDS, ROWS) and value.device.type == y_hat.grad.device.type == "meta"


@pytest.mark.parametrize("problem", ["shortest-path", "knapsack", "inventory", "portfolio-synthetic"])
def test_fenchel_young_is_convex_and_never_negative(problem):
    problem, y_hat, y, best, noise, context = tensors(problem)
    truth = Truth(y, best, context)
    other = y_hat + torch.from_numpy(np.random.default_rng(1).standard_normal(y.shape))
    ends = [fenchel_young(problem, p + noise, truth) for p in (y_hat, other)]
    for share in (0.25, 0.5, 0.75):
        middle = fenchel_young(problem, share * y_hat + (1 - share) * other + noise, truth)
        assert (middle <= share * ends[0] + (1 - share) * ends[1] + 1e-9).all()
        assert (middle >= -1e-9).all()


def test_sums_of_gammas_are_pieces_of_a_gumbel():
    """κ of them sum to the largest of `terms` exponential numbers, less the logarithm of `terms`."""
    kappa, terms = 5, 10
    drawn = sum_of_gammas(float(kappa), terms)(np.random.default_rng(0), (20_000, kappa)).sum(-1)
    law = lambda x: (1.0 - np.exp(-(x + np.log(terms)))) ** terms  # noqa: E731
    assert kstest(drawn, law).pvalue > 1e-3


def noise_of(draw=normal, steps=5, seeds=(0, 1), problem="shortest-path"):
    noise = Noise([np.random.default_rng(s) for s in seeds], draw, DRAWS, small_problem(problem))
    y_hat = torch.zeros(len(seeds), ROWS, 4, dtype=torch.float64)
    return torch.stack([noise(y_hat) for _ in range(steps)])


@pytest.mark.parametrize("draw", [normal, sum_of_gammas(5.0, 3)])
def test_noise_depends_on_its_seed_alone(draw, monkeypatch):
    whole = noise_of(draw)
    assert whole.shape == (5, DRAWS, 2, ROWS, 4)
    torch.testing.assert_close(noise_of(draw, seeds=[1])[:, :, 0], whole[:, :, 1], rtol=0.0, atol=0.0)
    if draw is normal:  # a sum is drawn term by term, in blocks
        monkeypatch.setattr(_perturbation, "_NUMBERS", 1)
        torch.testing.assert_close(noise_of(draw), whole, rtol=0.0, atol=0.0)


def test_costs_and_values_get_the_same_noise_in_both_senses():
    paid, earned = noise_of(problem="shortest-path"), noise_of(problem="knapsack")
    torch.testing.assert_close(paid, -earned, rtol=0.0, atol=0.0)


def test_multiplicative_noise_keeps_the_sign_and_the_mean():
    y_hat = torch.tensor([-2.0, 0.5, 3.0], dtype=torch.float64)
    noise = torch.from_numpy(np.random.default_rng(0).standard_normal((100_000, 3)))
    moved = y_hat + Multiplicative(0.5).move(y_hat, noise)
    assert (moved.sign() == y_hat.sign()).all()
    torch.testing.assert_close(moved.mean(0), y_hat, rtol=0.01, atol=0.0)


def test_each_seed_adapts_by_itself():
    state = Adaptive(torch.ones(2, dtype=torch.float64), step=0.1)
    difference = torch.zeros(DRAWS, 2, ROWS, 4, dtype=torch.float64)
    difference[:, 1] = 1.0  # four entries of each draw, where the target is one
    for _ in range(20):
        state.update(difference)
    torch.testing.assert_close(state.beta, torch.tensor([3.0, 0.0], dtype=torch.float64))
    y_hat = torch.ones(2, ROWS, 4, dtype=torch.float64)
    slope = torch.stack([2.0 * y_hat[0], 0.0 * y_hat[0]])
    torch.testing.assert_close(state.shift(y_hat, slope).flatten(), torch.tensor([1.5, 0.0]).double())


def test_pyepo_does_not_adapt_to_the_number_of_entries():
    """Its α grows at every step although gradients are dense: there the authors' β falls. See errata."""
    from dfl_bench.studies.conformance._cases import case
    from dfl_bench.studies.conformance._noise import Copied
    from dfl_bench.studies.conformance._pyepo_model import PRESENT, module_of

    if not PRESENT:
        pytest.skip("PyEPO is not installed")
    given = case("shortest-path", "", side=3, degree=4)
    theirs = module_of("adaptiveImplicitMLE", given, n_samples=1, distribution=Copied())
    truth, state = Truth(given.y[None], given.best[None], {}), Adaptive(given.scale[None], step=1e-3)
    noise = torch.from_numpy(Copied().sample((len(given.y), 1, given.y.shape[-1]))).movedim(1, 0)
    for _ in range(60):
        y_hat = given.y_hat.clone().requires_grad_()
        (theirs(y_hat) - given.best).abs().sum().backward()
        adaptive_mle(
            given.problem, y_hat[None], (y_hat + noise).unsqueeze(1), truth, task_loss="distance", state=state
        )
    assert theirs.alpha == pytest.approx(1.060)
    assert float(state.count) > 1.0 and float(state.beta) < 1.0


@pytest.mark.parametrize("name", [*PERTURBED, *BLACK_BOX])
def test_every_solve_is_counted(name):
    problem, steps = small_problem("shortest-path"), 4
    settings = {"steps": steps, "validate_every": steps, "batch": 5}
    draws = {"draws": 3} if name in PERTURBED else {}
    (result,) = evaluate_batch(short_method(name, problem, **settings, **draws), problem, [1000])
    each = {"dpo": 3, "pfy": 3, "imle": 6, "aimle": 6, "dbb": 2, "nid": 1}[name]
    validations = 2 * problem.config.n_val
    assert result.ledger.solves["train"] == steps * 5 * each + validations
    assert result.ledger.solves["label"] == problem.config.n_train


@pytest.mark.parametrize("name", ["pfy", "imle", "dbb"])
@pytest.mark.parametrize("degree", [1, 2, 4, 6, 8])
def test_settings_of_the_survey_are_settings(name, degree):
    cls, problem = methods.get(name), small_problem("shortest-path", degree=degree)
    config = configure(cls, problem, "survey", {})
    assert config != cls.Config() and config.learning_rate > 0.0


@pytest.mark.parametrize("name", OFFLINE)
def test_moved_predictions_are_admissible(name):
    problem, rng = small_problem(name), np.random.default_rng(0)
    rows = problem.data(1000).train
    noise = rng.standard_normal((DRAWS, *rows.y.shape))
    moved = problem.sample(rows.y, noise)
    np.testing.assert_allclose(moved, problem.project(rows.y + noise), rtol=0.0, atol=1e-12)
    np.testing.assert_array_equal(problem.sample(rows.y, 0.0 * noise[0]), rows.y)
    problem.decide(moved, rows.context)  # a kernel refuses what is not admissible
    as_tensor = problem.sample(torch.from_numpy(rows.y), torch.from_numpy(noise))
    np.testing.assert_allclose(as_tensor.numpy(), moved, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("name", [*PERTURBED, *BLACK_BOX])
def test_predictions_beyond_all_bounds_stop_no_solver(name):
    """A seed that runs away must not take others of its batch along: nothing in a step may overflow."""
    problem = small_problem("shortest-path")
    method = short_method(name, problem)
    wild = type(method)(replace(method.config, learning_rate=1e200))
    assert len(evaluate_batch(wild, problem, [1000, 1001])) == 2
