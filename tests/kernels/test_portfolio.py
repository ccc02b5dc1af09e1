import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kernels import portfolio
from tests.kernels.portfolio_cases import FAMILIES, SCALES, UNIQUE, batch, matrix
from tests.reference import portfolio as reference

SOLVERS = portfolio.SOLVERS


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 2, 7, 30])
def test_weights_are_optimal_on_every_family(family, n, solver):
    y, sigma = batch(family, n, np.random.default_rng(n))
    a = portfolio.solve(y, sigma, 0.1, solver=solver)
    assert a.shape == y.shape
    assert a.min() >= 0.0
    np.testing.assert_allclose(a.sum(-1), 1.0, atol=1e-9)
    assert portfolio.kkt_residual(a, y, sigma, 0.1).max() <= 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("n", [1, 3, 6])
def test_agrees_with_brute_force_over_supports(family, n, solver):
    y, sigma = batch(family, n, np.random.default_rng(n), groups=2)
    a = portfolio.solve(y, sigma, 0.3, solver=solver)
    for index in np.ndindex(y.shape[:-1]):
        expected = reference.by_supports(y[index], sigma[index[1]], 0.3)
        value = reference.objective(expected, y[index], sigma[index[1]], 0.3)
        got = reference.objective(a[index], y[index], sigma[index[1]], 0.3)
        assert got == pytest.approx(value, abs=1e-9, rel=1e-12)
        if family in UNIQUE:
            np.testing.assert_allclose(a[index], expected, atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("family", UNIQUE)
@pytest.mark.parametrize("risk_aversion", [0.02, 0.1, 3.0])
def test_agrees_with_clarabel(family, risk_aversion, solver):
    rng = np.random.default_rng(5)
    for n in (4, 20, 50):
        sigma = matrix(family, n, rng)
        y = 0.1 * rng.normal(size=n)
        expected = reference.by_clarabel(y, sigma, risk_aversion)
        a = portfolio.solve(y, sigma, risk_aversion, solver=solver)
        np.testing.assert_allclose(a, expected, atol=1e-5)
        gain = reference.objective(a, y, sigma, risk_aversion)
        assert gain >= reference.objective(expected, y, sigma, risk_aversion) - 1e-10


@pytest.mark.parametrize("family", UNIQUE)
def test_solvers_agree_to_1e8(family):
    y, sigma = batch(family, 50, np.random.default_rng(9))
    exact = portfolio.solve(y, sigma, solver="active-set")
    np.testing.assert_allclose(portfolio.solve(y, sigma), exact, atol=1e-8)


def test_active_set_survives_variances_of_every_size():
    rng = np.random.default_rng(3)
    spread = 10.0 ** rng.uniform(-4, 4, size=(20, 12))
    x = rng.normal(size=(20, 12, 12)) * spread[..., None]
    sigma = x @ x.transpose(0, 2, 1)
    y = rng.normal(size=(5, 20, 12)) * 10.0 ** rng.uniform(-6, 6, size=(5, 20, 1))
    a = portfolio.solve(y, sigma, solver="active-set")
    size = np.maximum(np.abs(y).max(-1), np.abs(sigma).max((-2, -1)))
    assert (portfolio.kkt_residual(a, y, sigma) / size).max() <= 1e-11


@pytest.mark.parametrize("ridge", [1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-8])
def test_active_set_does_not_cycle_when_nearly_flat(ridge):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(100, 20, 3))
    sigma = x @ x.transpose(0, 2, 1) + ridge * np.eye(20)
    a = portfolio.solve(np.zeros(20), sigma, solver="active-set")
    assert portfolio.kkt_residual(a, np.zeros(20), sigma).max() <= 1e-11


@pytest.mark.parametrize("solver", SOLVERS)
def test_large_portfolio(solver):
    rng = np.random.default_rng(0)
    sigma = matrix("correlation", 400, rng)
    y = 0.01 * rng.normal(size=(2, 400))
    a = portfolio.solve(y, sigma, solver=solver)
    assert portfolio.kkt_residual(a, y, sigma).max() <= 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
def test_without_risk_aversion_the_best_stock_takes_all(solver):
    y = np.array([[0.1, 0.3, 0.3], [2.0, -1.0, 0.0]])
    a = portfolio.solve(y, np.eye(3), 0.0, solver=solver)
    np.testing.assert_array_equal(a, [[0, 1, 0], [1, 0, 0]])


@pytest.mark.parametrize("solver", SOLVERS)
def test_equal_stocks_share_equally(solver):
    a = portfolio.solve(np.full(5, 7.0), np.eye(5), 0.1, solver=solver)
    np.testing.assert_allclose(a, 0.2, atol=1e-12)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("y_lead", "sigma_lead"),
    [((4, 3), (3,)), ((5,), ()), ((), (3,)), ((2, 1, 3), (4, 1)), ((2, 4, 3), (2, 1, 3)), ((), ())],
)
def test_broadcasting_equals_a_loop(y_lead, sigma_lead, solver):
    rng = np.random.default_rng(2)
    n = 6
    y = 0.1 * rng.normal(size=(*y_lead, n))
    sigma = np.empty((*sigma_lead, n, n))
    for index in np.ndindex(sigma_lead):
        sigma[index] = matrix("correlation", n, rng)
    a = portfolio.solve(y, sigma, solver=solver)
    lead = np.broadcast_shapes(y_lead, sigma_lead)
    wide_y, wide_sigma = np.broadcast_to(y, (*lead, n)), np.broadcast_to(sigma, (*lead, n, n))
    assert a.shape == wide_y.shape
    for index in np.ndindex(lead):
        alone = portfolio.solve(wide_y[index], wide_sigma[index], solver=solver)
        np.testing.assert_allclose(a[index], alone, atol=1e-9)
        np.testing.assert_allclose(
            portfolio.cost(a, y, sigma)[index],
            -reference.objective(alone, wide_y[index], wide_sigma[index], 0.1),
        )
    np.testing.assert_allclose(portfolio.solve(y, wide_sigma, solver=solver), a, atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_order_of_rows_does_not_matter(family, solver):
    y, sigma = batch(family, 12, np.random.default_rng(4))
    a = portfolio.solve(y, sigma, solver=solver)
    order = np.random.default_rng(0).permutation(len(y))
    np.testing.assert_allclose(portfolio.solve(y[order], sigma, solver=solver), a[order], atol=1e-9)
    np.testing.assert_allclose(portfolio.solve(y[:, ::-1], sigma[::-1], solver=solver), a[:, ::-1], atol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_call_starts_cold_and_threads_change_nothing(solver):
    y, sigma = batch("correlation", 20, np.random.default_rng(6), groups=5)
    first = portfolio.solve(y, sigma, solver=solver)
    portfolio.solve(-3.0 * y[::-1], sigma, solver=solver)
    np.testing.assert_array_equal(portfolio.solve(y, sigma, solver=solver), first)
    np.testing.assert_array_equal(portfolio.solve(y, sigma, solver=solver, threads=3), first)


@settings(max_examples=15, deadline=None)
@example(
    seed=6, n=9, family="identical stocks", scale=1e-6, risk_aversion=5.0, solver="osqp"
)  # OSQP alone stalls
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 12),
    family=st.sampled_from(FAMILIES),
    scale=st.sampled_from(SCALES),
    risk_aversion=st.sampled_from([0.0, 0.01, 0.1, 5.0]),
    solver=st.sampled_from(SOLVERS),
)
def test_properties(seed, n, family, scale, risk_aversion, solver):
    rng = np.random.default_rng(seed)
    sigma = matrix(family, n, rng)
    y, y_hat = scale * rng.normal(size=(2, 4, n))
    a = portfolio.solve(y, sigma, risk_aversion, solver=solver)
    assert a.min() >= 0.0
    np.testing.assert_allclose(a.sum(-1), 1.0, atol=1e-9)
    slack = 1e-9 * max(1.0, scale)
    others = rng.dirichlet(np.full(n, 0.3), size=(50, 1))
    best = portfolio.cost(a, y, sigma, risk_aversion)
    assert (portfolio.cost(others, y, sigma, risk_aversion) >= best - slack).all()
    assert (portfolio.regret(y_hat, y, sigma, risk_aversion, solver=solver) >= -slack).all()
    np.testing.assert_array_equal(portfolio.regret(y, y, sigma, risk_aversion, solver=solver), 0.0)


def test_regret_broadcasts_samples_against_truths():
    rng = np.random.default_rng(8)
    y, sigma = batch("correlation", 10, rng)
    truth = 0.05 * rng.normal(size=(3, 10))
    regret = portfolio.regret(y, truth, sigma)
    assert regret.shape == (len(SCALES), 3)
    a, best = portfolio.solve(y, sigma), portfolio.solve(truth, sigma)
    by_hand = portfolio.cost(a, truth, sigma) - portfolio.cost(best, truth, sigma)
    np.testing.assert_allclose(regret, by_hand, atol=1e-15)


def test_worst_is_the_stock_of_lowest_return():
    np.testing.assert_array_equal(
        portfolio.worst([[0.2, -0.1, -0.1], [3.0, 2.0, 1.0]]), [[0, 1, 0], [0, 0, 1]]
    )


def test_kkt_residual_sees_each_kind_of_violation():
    y, sigma = np.array([1.0, 0.0]), np.eye(2)
    assert portfolio.kkt_residual(np.array([1.0, 0.0]), y, sigma, 0.1) == 0.0
    assert portfolio.kkt_residual(np.array([0.0, 1.0]), y, sigma, 0.1) == pytest.approx(1.2)
    assert portfolio.kkt_residual(np.array([1.1, -0.1]), y, sigma, 0.1) >= 0.1 - 1e-12
    assert portfolio.kkt_residual(np.array([0.5, 0.0]), y, sigma, 0.1) >= 0.5


@pytest.mark.parametrize("solver", SOLVERS)
def test_float32_in_float32_out_computed_in_float64(solver):
    y, sigma = batch("rank deficient", 9, np.random.default_rng(1))
    y, sigma = y.astype(np.float32), sigma.astype(np.float32)
    a = portfolio.solve(y, sigma, solver=solver)
    assert a.dtype == np.float32
    exact = portfolio.solve(y.astype(np.float64), sigma.astype(np.float64) + 1e-6 * np.eye(9), solver=solver)
    assert exact.dtype == np.float64
    assert portfolio.cost(a, y, sigma).dtype == np.float32
    assert portfolio.regret(y, y[0], sigma, solver=solver).dtype == np.float32
    np.testing.assert_allclose(a.sum(-1), 1.0, atol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("y_lead", "sigma_lead"), [((0,), ()), ((0, 3), (3,)), ((2, 0), (0,)), ((), (0,))])
def test_empty_batches_give_empty_results(y_lead, sigma_lead, solver):
    y, sigma = np.zeros((*y_lead, 4)), np.zeros((*sigma_lead, 4, 4))
    lead = np.broadcast_shapes(y_lead, sigma_lead)
    assert portfolio.solve(y, sigma, solver=solver).shape == (*lead, 4)
    assert portfolio.regret(y, y, sigma, solver=solver).shape == lead
    assert portfolio.derivative(y, sigma).shape == (*lead, 4, 4)
