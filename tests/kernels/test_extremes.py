"""Numbers near the ends of float64: computed right, or refused with an error that says what to do."""

import numpy as np
import pytest
import torch

from kernels import budget, inventory, portfolio
from kernels.deferred import deferred
from kernels.errors import SolverError
from kernels.portfolio import tensors
from kernels.portfolio.inputs import LARGEST, SMALLEST
from tests.kernels.inventory_cases import PAPER, probabilities
from tests.kernels.portfolio_cases import matrix
from tests.reference import budget as budget_reference
from tests.reference import inventory as inventory_reference
from tests.reference import portfolio as portfolio_reference

LINEAR = (10.0, 0.0, 30.0, 0.0, 10.0, 0.0)
P = probabilities(np.random.default_rng(0), (6,), 5)


def graph(array):
    return torch.tensor(array, dtype=torch.float64, requires_grad=True)


def plain(out):
    return out.detach().numpy() if isinstance(out, torch.Tensor) else out


KINDS = {"numpy": np.asarray, "torch": graph}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())


@each_kind
@pytest.mark.parametrize("z", [1e15, 1e16, 1e16 + 2, 1.2345e17, 1e100, 1e153])
def test_costs_of_huge_orders_are_exact_to_rounding(kind, z):
    got = plain(inventory.cost(kind(np.full(len(P), z)), P))
    for row, value in zip(P, got, strict=True):
        assert value == pytest.approx(float(inventory_reference.exact_cost(z, row, *PAPER)), rel=1e-14)


@each_kind
@pytest.mark.parametrize("z", [1e154, 1e160, 1e308])
def test_orders_whose_cost_overflows_are_refused(kind, z):
    with pytest.raises(ValueError, match=r"cost float64 can hold, got z = .* at row \(2,\); clip"):
        inventory.cost(kind(np.array([1.0, 1e16, z, 1.0, 1.0, z])), P)


@each_kind
def test_huge_negative_orders_are_refused(kind):
    with pytest.raises(ValueError, match=r"z >= 0, got -1e\+16"):
        inventory.cost(kind(np.full(len(P), -1e16)), P)


@each_kind
@pytest.mark.parametrize(("top", "costs"), [(1e160, LINEAR), (1e300, LINEAR), (1e153, PAPER[0])])
def test_huge_demands_within_range_are_solved(kind, top, costs):
    demand = (1.0, 2.0, 5.0, top / 2, top)
    orders = plain(inventory.order_quantity(kind(P), costs=costs, demand=demand))
    truth = P[::-1].copy()
    regrets = plain(inventory.regret(kind(P), truth, costs=costs, demand=demand))
    for row, (p, y) in enumerate(zip(P, truth, strict=True)):
        decided = inventory_reference.order(p, costs, demand)
        best = inventory_reference.order(y, costs, demand)
        assert orders[row] == pytest.approx(decided, rel=1e-12, abs=1e-9)
        expected = [inventory_reference.exact_cost(z, y, costs, demand) for z in (decided, best)]
        assert regrets[row] == pytest.approx(
            float(expected[0] - expected[1]), rel=1e-9, abs=1e-12 * float(expected[0])
        )


@each_kind
@pytest.mark.parametrize("top", [1e155, 1e160, 1e308])
def test_demands_whose_squares_overflow_are_refused(kind, top):
    demand = (1.0, 2.0, 5.0, 10.0, top)
    calls = (
        lambda: inventory.order_quantity(kind(P), demand=demand),
        lambda: inventory.order_derivative(kind(P), demand=demand),
        lambda: inventory.regret(kind(P), P, demand=demand),
        lambda: inventory.cost(1.0, kind(P), demand=demand),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"largest total cost is at most 9e\+307.*larger units"):
            call()


def test_results_that_float32_cannot_hold_are_refused():
    single, demand = P.astype(np.float32), (1.0, 2.0, 5.0, 1e39, 1e40)
    only_last = np.eye(5, dtype=np.float32)[[4]]
    for p in (only_last, torch.tensor(only_last), torch.tensor(only_last, requires_grad=True)):
        with pytest.raises(ValueError, match=r"float32 can hold, got 1e\+40; pass float64"):
            inventory.order_quantity(p, costs=LINEAR, demand=demand)
    assert np.isfinite(inventory.order_quantity(single)).all()


@each_kind
@pytest.mark.parametrize("weights", [None, np.ones(0), np.ones((3, 0))])
def test_no_users_make_every_subset_worth_nothing(kind, weights):
    ctr = np.zeros((3, 4, 0))
    first = budget_reference.extreme_subset(ctr[0], 2)
    rates = kind(ctr)
    for solution in (
        budget.solve(rates, weights=weights),
        budget.solve(rates, weights=weights, method="greedy"),
    ):
        np.testing.assert_array_equal(solution.z, [first] * 3)
        np.testing.assert_array_equal(solution.value, [budget_reference.value(first, ctr[0])] * 3)
    np.testing.assert_array_equal(budget.worst_subset(rates, weights=weights), [first] * 3)
    for out in (
        budget.regret(rates, ctr[0], weights=weights),
        budget.value(np.full(4, 0.3), rates, weights=weights),
    ):
        np.testing.assert_array_equal(plain(out), np.zeros(3))
    start = np.array([1.0, 0.5, 0.5, 0.0])
    relaxed = budget.relax(rates, weights=weights, steps=5, start=start)
    np.testing.assert_array_equal(plain(relaxed), [start] * 3)


SIGMA = matrix("correlation", 4, np.random.default_rng(1))
Y = np.array([0.1, -0.2, 0.3, 0.25])


@pytest.mark.parametrize("risk_aversion", [5e-324, 1e-320, 1e-310, 2.3e-308, 1e-291, 1e291, 1e308])
def test_risk_aversion_beyond_the_range_is_refused(risk_aversion):
    calls = (
        *(lambda s=s: portfolio.solve(Y, SIGMA, risk_aversion, solver=s) for s in portfolio.SOLVERS),
        lambda: portfolio.solve(graph(Y), SIGMA, risk_aversion),
        lambda: portfolio.regret(Y, -Y, SIGMA, risk_aversion),
        lambda: portfolio.cost(Y, Y, SIGMA, risk_aversion),
        lambda: portfolio.kkt_residual(Y, Y, SIGMA, risk_aversion),
        lambda: portfolio.derivative(Y, SIGMA, risk_aversion),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"risk_aversion .* from 1e-290 to 1e\+290, got .* multiply"):
            call()


@pytest.mark.parametrize("scale", [0.5 * SMALLEST, 1e-320, 2 * LARGEST])
def test_a_product_with_the_variance_beyond_the_range_is_refused(scale, monkeypatch):
    # Both factors are in range, their product is not.
    risk_aversion = 1e-200 if scale < 1.0 else 1e200
    sigma = np.stack([SIGMA, np.eye(4) * (scale / risk_aversion)])
    message = r"2 × risk_aversion × \(largest variance of sigma\) from .* \(matrix [01], .* multiply"
    for solver in portfolio.SOLVERS:
        with pytest.raises(ValueError, match=message):
            portfolio.solve(Y, sigma[1], risk_aversion, solver=solver)
    with pytest.raises(ValueError, match=message):
        portfolio.derivative_vjp(np.full(4, 0.25), sigma[1], Y, risk_aversion)
    monkeypatch.setattr(portfolio, "wants_torch", lambda *arrays: True)
    tensor, y = torch.tensor(sigma[1]), torch.tensor(Y)
    with pytest.raises(ValueError, match=message):
        portfolio.solve(y, tensor, risk_aversion)
    with pytest.raises(ValueError, match=message):
        portfolio.derivative_vjp(torch.full((4,), 0.25, dtype=torch.float64), tensor, y, risk_aversion)
    with deferred() as checks:
        portfolio.solve(y, tensor, risk_aversion)
        with pytest.raises(ValueError, match=message):
            checks.settle()


def test_the_matrix_out_of_range_is_named():
    with pytest.raises(ValueError, match=r"\(matrix 2, largest variance 1e-200\)"):
        portfolio.solve(Y, np.stack([np.eye(4), np.eye(4), np.eye(4) * 1e-200]), 1e-100)


def test_no_risk_at_all_is_in_range():
    for risk_aversion in (0.0, SMALLEST, LARGEST):
        a = portfolio.solve(Y, np.zeros((4, 4)), risk_aversion, solver="active-set")
        np.testing.assert_array_equal(a, [0, 0, 1, 0])
    zero, one = torch.zeros(1, 4, 4, dtype=torch.float64), torch.eye(4, dtype=torch.float64)[None]
    assert tensors.is_in_range(zero, 1.0, SMALLEST, LARGEST)
    assert not tensors.is_in_range(torch.cat([one, one * 1e-300]), 1.0, SMALLEST, LARGEST)
    assert tensors.is_in_range(one * torch.nan, 1.0, SMALLEST, LARGEST)  # the status names a NaN


# OSQP accepts a row by a residual that is absolute for large costs; beyond that it is a SolverError.
@pytest.mark.parametrize(
    ("solver", "power"),
    [("osqp", -950), ("osqp", -60), *(("active-set", power) for power in (-950, -600, -60, 60, 900))],
)
def test_at_the_ends_of_the_range_the_weights_are_those_of_the_oracle(solver, power):
    # A power of two times y and the risk aversion changes no weight and no bit of a mantissa.
    factor = 2.0**power
    for y in (Y, 0.01 * Y, np.full(4, 0.1)):
        got = portfolio.solve(y * factor, SIGMA, 0.5 * factor, solver=solver)
        np.testing.assert_allclose(got, portfolio_reference.by_supports(y, SIGMA, 0.5), atol=1e-8)


def test_variances_too_different_for_float64_are_unsolved_not_a_decision():
    with pytest.raises(SolverError, match="active-set did not reach optimality"):
        portfolio.solve(np.zeros(2), np.diag([1e-310, 1.0]), solver="active-set")
