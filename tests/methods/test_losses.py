"""Every closed-form loss against its definition, written as slow loops."""

import numpy as np
import pytest
import torch

from dfl_bench.methods.egl_dq import EGLDQ, FLOOR
from dfl_bench.methods.egl_dq_published import EGLDQPublished
from dfl_bench.methods.egl_wmse import EGLWMSE
from dfl_bench.methods.lodl_dq import directed_quadratic

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
