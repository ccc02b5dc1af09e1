"""What every registered problem must keep; registering one enrols it here."""

import itertools

import numpy as np
import pytest
import torch

from dfl_bench import problems
from dfl_bench.contracts.settings import names_of
from dfl_bench.contracts.split import Split
from dfl_bench.problems import make_problem
from tests.support.real_data import require_data
from tests.support.small import OFFLINE, small_problem

PARTS = ("train", "val", "test")


def needs_data(name):
    return name not in OFFLINE


def enrol(names):
    return [pytest.param(n, marks=[pytest.mark.network] if needs_data(n) else []) for n in names]


@pytest.fixture(params=enrol(problems.names()))
def name(request):
    if needs_data(request.param):
        require_data(request.param)
    return request.param


@pytest.fixture
def problem(name):
    return small_problem(name)


@pytest.fixture
def rows(problem) -> Split:
    return problem.data(0).test


def guesses(rows, n, seed=0):
    """Predictions around the truth, n for each row, in and out of the admissible set: (n, rows, ...)."""
    rng = np.random.default_rng(seed)
    spread = rng.choice([0.3, 1.0, 3.0], (n, *rows.y.shape)) * rows.y.std()
    return rows.y + spread * rng.standard_normal((n, *rows.y.shape))


def random_decisions(problem, rows, n, rng):
    """Feasible decisions (n, rows, ...); of a problem not known here, those for random predictions."""
    kind = problem.name.partition("-")[0]
    z = problem.decide(rows.y, rows.context)
    shape = (n, *z.shape)
    if kind == "inventory":
        return rng.uniform(0, 25, shape)
    if kind == "budget":
        return (rng.random(shape).argsort(-1) < problem.config.budget).astype(float)
    if kind == "portfolio":
        return rng.dirichlet(np.full(shape[-1], 0.2), shape[:-1])
    return problem.decide(problem.project(guesses(rows, n)), rows.context)


def test_truth_has_no_regret(problem, rows):
    np.testing.assert_allclose(problem.regret(rows.y, rows.y, rows.context), 0.0, atol=1e-9)


def test_regret_is_never_negative(problem, rows):
    assert problem.regret(guesses(rows, 20), rows.y, rows.context).min() >= -1e-9


def test_solver_is_optimal_under_its_own_scorer(problem, rows):
    z = random_decisions(problem, rows, 200, np.random.default_rng(1))
    assert (problem.cost(z, rows.y, rows.context) - problem.optimal_cost(rows.y, rows.context)).min() >= -1e-9


def test_solver_is_optimal_for_predictions_too(problem, rows):
    y_hat = problem.project(guesses(rows, 1)[0])
    z = random_decisions(problem, rows, 100, np.random.default_rng(2))
    assert (problem.cost(z, y_hat, rows.context) - problem.optimal_cost(y_hat, rows.context)).min() >= -1e-9


def test_fused_regret_equals_the_generic_one(problem, rows):
    y_hat = guesses(rows, 4)
    projected = problem.project(y_hat)
    z = problem.decide(projected, rows.context)
    generic = problem.cost(z, rows.y, rows.context) - problem.optimal_cost(rows.y, rows.context)
    np.testing.assert_allclose(problem.regret(y_hat, rows.y, rows.context), generic, atol=1e-9)


def test_batch_equals_loop(problem, rows):
    y_hat = guesses(rows, 3)
    batch = problem.regret(y_hat, rows.y, rows.context)
    assert batch.shape == (3, len(rows))
    for k, i in itertools.product(range(3), range(len(rows))):
        one = rows[i]
        np.testing.assert_allclose(problem.regret(y_hat[k, i], one.y, one.context), batch[k, i], atol=1e-9)


def test_numpy_and_torch_agree(problem, rows):
    y_hat = guesses(rows, 2)
    tensors = rows.to("cpu")
    expected = problem.regret(y_hat, rows.y, rows.context)
    given = problem.regret(torch.from_numpy(y_hat), tensors.y, tensors.context)
    assert isinstance(given, torch.Tensor)
    np.testing.assert_allclose(given.numpy(), expected, atol=1e-9)
    worst = problem.worst_regret(tensors.y, tensors.context)
    np.testing.assert_allclose(worst.numpy(), problem.worst_regret(rows.y, rows.context), atol=1e-9)


def test_same_seed_same_data(name):
    first, second = small_problem(name).data(7), small_problem(name).data(7)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a.x, b.x)
        np.testing.assert_array_equal(a.y, b.y)
        for key in a.context:
            np.testing.assert_array_equal(a.context[key], b.context[key])


def test_different_seed_different_data(problem):
    for part in PARTS:
        assert not np.array_equal(getattr(problem.data(0), part).x, getattr(problem.data(1), part).x)


def test_parts_share_no_instance(problem):
    parts = problem.data(0)
    rows = [tuple(x.ravel()) for part in parts for x in part.x]
    assert len(set(rows)) == len(rows) == sum(map(len, parts))


def test_worst_bounds_every_decision(problem, rows):
    worst = problem.worst_regret(rows.y, rows.context)
    # Where the costliest decision is as good as the best, as under an outcome of zeros, nothing is decided.
    assert (worst >= 0).all() and worst.sum() > 0
    assert problem.worst_is_costliest or (worst > 0).all()
    if problem.worst_is_costliest:
        assert (problem.regret(guesses(rows, 50), rows.y, rows.context) <= worst + 1e-9).all()
        z = random_decisions(problem, rows, 50, np.random.default_rng(3))
        cost = problem.cost(z, rows.y, rows.context)
        assert (cost <= problem.cost(problem.worst(rows.y, rows.context), rows.y, rows.context) + 1e-9).all()


def test_project_is_idempotent_and_keeps_labels(problem, rows):
    once = problem.project(guesses(rows, 5))
    np.testing.assert_array_equal(problem.project(once), once)
    np.testing.assert_array_equal(problem.project(rows.y), rows.y)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("convert", [np.asarray, torch.as_tensor])
def test_non_finite_predictions_raise(problem, rows, bad, convert):
    y_hat = rows.y.copy()
    y_hat.flat[3] = bad
    tensors = rows.to("cpu") if convert is torch.as_tensor else rows
    with pytest.raises(ValueError, match="finite"):
        problem.regret(convert(y_hat), tensors.y, tensors.context)


def test_wrong_shapes_raise(problem, rows):
    with pytest.raises(ValueError, match="expected y_hat of shape"):
        problem.regret(rows.y[..., :-1], rows.y, rows.context)


def test_network_fits_the_labels(problem):
    train = problem.data(0).train
    outputs = np.empty((*train.x.shape[:-1], problem.network.outputs))
    assert outputs.size == train.y.size
    assert problem.network.activation in {"softmax", "softplus", "tanh", "linear"}
    assert problem.label_scale(train) > 0


def test_prediction_loss_is_least_at_the_truth(problem):
    train = problem.data(0).train.to("cpu")
    scale = problem.label_scale(train)
    at_truth = problem.prediction_loss(train.y, train.y, scale)
    elsewhere = problem.prediction_loss(
        problem.project(train.y + 0.1 * torch.randn_like(train.y)), train.y, scale
    )
    assert at_truth.shape == (len(train),)
    assert (elsewhere >= at_truth).all()
    assert (elsewhere > at_truth).any()


def test_decision_layer_gives_gradients_in_batches(problem, rows):
    tensors = rows.to("cpu")
    # Seeds first, as methods that train several at once have it.
    context = {key: torch.stack([value, value]) for key, value in tensors.context.items()}
    y = torch.stack([tensors.y, tensors.y])
    y_hat = problem.project(
        y + 0.1 * y.std() * torch.randn(y.shape, generator=torch.Generator().manual_seed(0))
    )
    y_hat.requires_grad_()
    z = problem.decision_layer(y_hat, context)
    if z is None:
        return
    assert z.shape == problem.decide(y_hat.detach(), context).shape
    problem.cost(z, y, context).sum().backward()
    assert y_hat.grad.shape == y_hat.shape
    assert torch.isfinite(y_hat.grad).all()


def test_no_decision_is_nearer_than_the_nearest_one(problem, rows):
    """The projection keeps decisions, and the angle between what it removes and any decision is not sharp."""
    rng = np.random.default_rng(4)
    decisions = random_decisions(problem, rows, 30, rng)
    kept = problem.nearest_decision(decisions)
    if kept is None:
        return
    np.testing.assert_allclose(kept, decisions, atol=1e-12)
    outside = decisions[0] + rng.standard_normal(decisions[0].shape)
    nearest = problem.nearest_decision(outside)
    np.testing.assert_allclose(problem.nearest_decision(nearest), nearest, atol=1e-12)
    flat = lambda z: z.reshape(*z.shape[:-1], -1) if z.ndim > 2 else z[..., None]  # noqa: E731
    removed, towards = flat(np.asarray([outside - nearest])), flat(decisions - nearest)
    assert (removed * towards).sum(-1).max() <= 1e-9
    np.testing.assert_array_equal(problem.nearest_decision(torch.from_numpy(outside)).numpy(), nearest)


def test_in_training_scores_alike(problem, rows):
    y_hat = guesses(rows, 2)
    fast = problem.in_training.regret(y_hat, rows.y, rows.context)
    np.testing.assert_allclose(fast, problem.regret(y_hat, rows.y, rows.context), atol=1e-8)


def test_provenance_says_what_the_data_is(problem):
    assert problem.provenance.partition(":")[0] in {"synthetic", "real", "user-supplied"}


@pytest.mark.parametrize("value", [0, -1, 2.5, True])
def test_sizes_must_be_counts(name, value):
    for field in {"n_train", "n_val", "n_test"} & set(names_of(problems.get(name).Config)):
        with pytest.raises(ValueError, match=rf"{field}.* got {value}"):
            make_problem(name, **{field: value})
