"""Every closed-form loss against its definition, written as slow loops."""

import numpy as np
import pytest
import torch

from dfl_bench.methods.egl_dq import EGLDQ, FLOOR
from dfl_bench.methods.egl_dq_published import EGLDQPublished
from dfl_bench.methods.egl_wmse import EGLWMSE
from dfl_bench.methods.lcgln import SurrogateLoss
from dfl_bench.methods.lodl_dq import at_one_point, directed_quadratic
from dfl_bench.training import Minibatch
from lcgln import SurrogateConfig, fit_surrogate

SEEDS, ROWS, SAMPLES, TARGETS = 2, 3, 4, 2
MSE_WEIGHT = 0.1


def slow_lodl_dq(parameters, d):
    size = len(d)
    total = MSE_WEIGHT * np.mean(d**2)
    for j in range(size):
        column = 0.0
        for i in range(j, size):  # lower triangle
            matrix = int(d[i] > 0), int(d[j] > 0)
            column += d[i] * parameters[matrix[0] * size + i, matrix[1] * size + j]
        total += column**2
    return total


def slow_egl_wmse(parameters, d):
    return np.mean([(np.log1p(np.exp(p)) + 1e-3) * e**2 for p, e in zip(parameters, d, strict=True)])


def slow_egl_dq(parameters, d):
    vector = sum(e * parameters[i, int(e > 0)] for i, e in enumerate(d))
    return np.sum(vector**2) + FLOOR * np.mean(d**2)


def slow_plain_quadratic(parameters, d):
    return np.sum((d @ parameters) ** 2)


def lodl_form(parameters, d):
    lower = torch.ones(TARGETS, TARGETS, dtype=d.dtype).tril().tile(2, 2)
    return directed_quadratic(parameters * lower, d, MSE_WEIGHT)


FORMS = {
    "lodl-dq": (lodl_form, slow_lodl_dq, (2 * TARGETS, 2 * TARGETS)),
    "egl-wmse": (EGLWMSE.form, slow_egl_wmse, (TARGETS,)),
    "egl-dq": (EGLDQ.form, slow_egl_dq, (TARGETS, 2, 3)),
    "egl-dq-published": (EGLDQPublished.form, slow_plain_quadratic, (TARGETS, TARGETS)),
}


@pytest.fixture(params=FORMS)
def case(request):
    form, slow, shape = FORMS[request.param]
    rng = np.random.default_rng(0)
    parameters = torch.from_numpy(rng.standard_normal((SEEDS, ROWS, *shape)))
    d = torch.from_numpy(rng.standard_normal((SEEDS, ROWS, SAMPLES, TARGETS)))
    return form, slow, parameters, d


def test_value_is_the_definition_row_by_row(case):
    form, slow, parameters, d = case
    expected = [
        [[slow(parameters[s, n].numpy(), d[s, n, k].numpy()) for k in range(SAMPLES)] for n in range(ROWS)]
        for s in range(SEEDS)
    ]
    np.testing.assert_allclose(form(parameters, d).numpy(), expected, rtol=1e-12)


def test_is_zero_at_the_truth_and_nowhere_below(case):
    form, _, parameters, d = case
    assert form(parameters, torch.zeros_like(d)).abs().max() == 0.0
    assert form(parameters, d).min() >= 0.0


def test_gradient_matches_finite_differences(case):
    form, _, parameters, d = case
    assert torch.autograd.gradcheck(
        lambda p, e: form(p, e), (parameters.requires_grad_(), d.requires_grad_())
    )


def test_directed_quadratic_jumps_between_sign_patterns():
    """The published form is not continuous: the pages on LODL say so, and this shows it."""
    parameters = torch.from_numpy(np.random.default_rng(1).random((1, 1, 4, 4)))
    either_side = torch.tensor([[[[1e-9, 1.0], [-1e-9, 1.0]]]], dtype=torch.float64)
    above, below = lodl_form(parameters, either_side)[0, 0]
    assert abs(above - below) > 1e-3


def test_egl_directed_quadratic_is_continuous():
    parameters = torch.from_numpy(np.random.default_rng(1).random((1, 1, 2, 2, 3)))
    either_side = torch.tensor([[[[1e-9, 1.0], [-1e-9, 1.0]]]], dtype=torch.float64)
    above, below = EGLDQ.form(parameters, either_side)[0, 0]
    assert abs(above - below) < 1e-7


@pytest.mark.parametrize("n_targets", [1, 2, 7, 50])
def test_lodl_at_one_point_is_the_batched_form_in_value_and_gradient(n_targets):
    rng = np.random.default_rng(n_targets)
    lower = torch.ones(n_targets, n_targets, dtype=torch.float64).tril().tile(2, 2)
    factors = torch.from_numpy(rng.standard_normal((1, 6, 2 * n_targets, 2 * n_targets))) * lower
    rows = torch.tensor([[4, 0, 4, 5]])
    d = torch.from_numpy(rng.standard_normal((1, 4, n_targets)))
    weight = torch.from_numpy(rng.random((1, 4)))
    answers = []
    for form in (
        lambda e: at_one_point(factors, rows, e, MSE_WEIGHT),
        lambda e: directed_quadratic(factors[:, rows[0]], e.unsqueeze(2), MSE_WEIGHT).squeeze(2),
    ):
        point = d.clone().requires_grad_()
        value = form(point)
        answers.append((value.detach(), torch.autograd.grad((weight * value).sum(), point)[0]))
    torch.testing.assert_close(answers[0], answers[1], rtol=1e-12, atol=1e-12)
    everything = at_one_point(factors[:, rows[0]], None, d, MSE_WEIGHT)
    torch.testing.assert_close(everything, answers[0][0], rtol=0.0, atol=0.0)


def test_lodl_at_one_point_has_the_slope_of_finite_differences():
    rng = np.random.default_rng(0)
    lower = torch.ones(3, 3, dtype=torch.float64).tril().tile(2, 2)
    factors = torch.from_numpy(rng.standard_normal((1, 2, 6, 6))) * lower
    d = torch.from_numpy(rng.standard_normal((1, 2, 3))).requires_grad_()
    assert torch.autograd.gradcheck(lambda e: at_one_point(factors, None, e, MSE_WEIGHT), (d,))
    corner = d.detach() * torch.tensor([1.0, 0.0, 1.0])  # no sign: both take the negative side
    expected = directed_quadratic(factors, corner.unsqueeze(2), MSE_WEIGHT).squeeze(2)
    torch.testing.assert_close(at_one_point(factors, None, corner, MSE_WEIGHT), expected)


@pytest.mark.parametrize("seeds", [1, 2])
@pytest.mark.parametrize("settings", [{}, {"form": "authors"}, {"form": "authors", "anchored": True}])
def test_the_gradient_of_a_surrogate_is_that_of_torch(seeds, settings):
    rng = np.random.default_rng(1)
    y, y_hat = rng.random((seeds, 20, 2, 3)), rng.random((seeds, 4, 20, 2, 3))
    regret, streams = (
        np.abs(y_hat - y[:, None]).sum((-2, -1)),
        [np.random.default_rng(s) for s in range(seeds)],
    )
    config = SurrogateConfig(steps=20, every=10, **settings)
    surrogate = fit_surrogate(y, y_hat, regret, config=config, rng=streams)
    loss = SurrogateLoss(surrogate)
    rows = Minibatch(torch.empty(0), torch.from_numpy(y), {}, None)
    point = torch.from_numpy(y_hat[:, 0].copy()).requires_grad_()
    loss(point, rows).mean(-1).sum().backward()
    given = loss.gradient(point.detach(), rows, 1.0 / 20)
    # One seed, not anchored: the same operations in the same layout.
    same = seeds == 1 and not config.anchored
    exact = {"rtol": 0.0, "atol": 0.0} if same else {"rtol": 1e-11, "atol": 1e-13}
    torch.testing.assert_close(given, point.grad, **exact)


def test_a_surrogate_that_only_torch_can_differentiate_has_no_gradient():
    rng = np.random.default_rng(1)
    y, y_hat = rng.random((1, 20, 2, 3)), rng.random((1, 4, 20, 2, 3))
    config = SurrogateConfig(steps=10, every=10, anchored=True, shared_dims=1)
    regret = np.abs(y_hat - y[:, None]).sum((-2, -1))
    surrogate = fit_surrogate(y, y_hat, regret, config=config, rng=[np.random.default_rng(0)])
    assert SurrogateLoss(surrogate).gradient is None
