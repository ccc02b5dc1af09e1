import re

import numpy as np
import pytest
import torch

from kernels import budget
from kernels.errors import SolverError

FAIR = np.full((2, 4, 3), 0.5)


def with_entry(value):
    ctr = FAIR.copy()
    ctr[1, 2, 0] = value
    return ctr


def graph(array):
    return torch.tensor(array, dtype=torch.float64, requires_grad=True)


CALLS = {
    "solve": lambda y: budget.solve(y),
    "greedy": lambda y: budget.solve(y, method="greedy"),
    "worst": lambda y: budget.worst_subset(y),
    "value": lambda y: budget.value(np.ones(4), y),
    "regret, prediction": lambda y: budget.regret(y, FAIR),
    "regret, label": lambda y: budget.regret(FAIR, y),
    "relax": lambda y: budget.relax(y),
    "torch value": lambda y: budget.value(graph(np.ones(4)), y),
    "torch regret": lambda y: budget.regret(graph(FAIR), y),
    "torch relax": lambda y: budget.relax(y, start=graph(np.ones(4))),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
@pytest.mark.parametrize("value", [-0.01, 1.01, np.nan, np.inf])
def test_click_rates_outside_the_unit_interval(call, value):
    message = rf"in \[0, 1\], got {re.escape(str(value))} at index \(1, 2, 0\); clip"
    with pytest.raises(ValueError, match=message):
        call(with_entry(value))


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_wrong_shapes(call):
    with pytest.raises(ValueError, match="shape"):
        call(np.ones(4))


@pytest.mark.parametrize("size", [0, -1, 4, 5])
@pytest.mark.parametrize(
    "call",
    [
        lambda b: budget.solve(FAIR, b),
        lambda b: budget.worst_subset(FAIR, b),
        lambda b: budget.regret(FAIR, FAIR, b),
        lambda b: budget.regret(graph(FAIR), FAIR, b),
        lambda b: budget.relax(FAIR, b),
        lambda b: budget.project(np.ones(4), b),
    ],
)
def test_budgets_that_leave_no_choice(call, size):
    with pytest.raises(ValueError, match=rf"1 <= budget < 4 websites, got {size}"):
        call(size)


def test_budget_must_be_an_integer():
    with pytest.raises(TypeError, match=r"integer budget, got 2\.0"):
        budget.solve(FAIR, 2.0)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0, 1.0], r"finite and >= 0, got -1\.0 at index \(1,\)"),
        ([1.0, np.nan, 1.0], "got nan"),
        ([1.0, np.inf, 1.0], "got inf"),
        ([1.0, 1.0], r"weights of shape \(3,\)"),
        (np.ones((5, 3)), "broadcast"),
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, graph])
def test_bad_weights(weights, message, kind):
    with pytest.raises(ValueError, match=message):
        budget.solve(FAIR, weights=weights)
    with pytest.raises(ValueError, match=message):
        budget.value(kind(np.full((2, 4), 0.5)), FAIR, weights=weights)
    with pytest.raises(ValueError, match=message):
        budget.relax(kind(FAIR), weights=weights)


@pytest.mark.parametrize("kind", [np.asarray, graph])
def test_bad_decisions(kind):
    for z, message in [
        ([0.5, 0.5, 1.5, 0], r"z in .* got 1\.5"),
        ([0, 0, np.nan, 0], "got nan"),
        ([1, 0], "shape"),
    ]:
        with pytest.raises(ValueError, match=message):
            budget.value(kind(np.array(z, float)), FAIR)
    for call in (lambda z: budget.project(z, 2), lambda z: budget.relax(FAIR, start=z)):
        with pytest.raises(ValueError, match="finite"):
            call(kind(np.array([0.0, np.nan, 1.0, 1.0])))
    with pytest.raises(ValueError, match="scalar"):
        budget.project(kind(np.array(1.0)), 1)
    with pytest.raises(ValueError, match="start of shape"):
        budget.relax(kind(FAIR), start=np.ones(3))


def test_prediction_and_label_must_match():
    with pytest.raises(ValueError, match=r"ctr_hat of shape \(\.\.\., 4, 3\) like ctr, got \(2, 5, 3\)"):
        budget.regret(np.ones((2, 5, 3)), FAIR)


def test_bad_settings():
    with pytest.raises(ValueError, match='"exact" or "greedy"'):
        budget.solve(FAIR, method="fast")
    for setting in ({"steps": -1}, {"lr": 0.0}, {"momentum": 1.0}, {"lr": np.nan}):
        with pytest.raises(ValueError, match="steps >= 0"):
            budget.relax(FAIR, **setting)


@pytest.mark.parametrize(
    "ctr", [FAIR.astype(complex), FAIR.astype(str), torch.tensor(FAIR).to(torch.complex64)]
)
def test_bad_dtypes(ctr):
    with pytest.raises(TypeError, match="real numbers for ctr"):
        budget.solve(ctr)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_precision_and_kind_are_returned(dtype):
    ctr = np.random.default_rng(0).random((3, 5, 4)).astype(dtype)
    for given in (ctr, torch.tensor(ctr), torch.tensor(ctr, requires_grad=True)):
        z, value, _ = budget.solve(given)
        for out in (
            z,
            value,
            budget.regret(given, given),
            budget.relax(given),
            budget.project(given[..., 0], 2),
        ):
            assert str(out.dtype).endswith(dtype) and type(out) is type(given)


@pytest.mark.slow
def test_an_unfinished_search_names_its_rows():
    ctr = np.random.default_rng(0).random((2, 40, 12))
    ctr[0] = 0.5  # every subset is best: solved at once
    with pytest.raises(SolverError, match=r'1 of 2 instances \(rows \(1,\)\).*method="greedy"'):
        budget.solve(ctr, 15)
    assert budget.solve(ctr, 15, method="greedy").method == "greedy"
