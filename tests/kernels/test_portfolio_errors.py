import numpy as np
import pytest
import torch

from kernels import portfolio
from kernels.errors import SolverError
from kernels.portfolio import tensors
from kernels.portfolio.layout import Fold
from kernels.portfolio.status import require_status
from tests.kernels.portfolio_cases import matrix

Y, SIGMA = np.array([0.1, 0.2, 0.3]), np.eye(3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("solver", portfolio.SOLVERS)
def test_non_finite_input_is_named(bad, solver):
    y, sigma = np.tile(Y, (4, 1)), SIGMA.copy()
    y[2, 1] = bad
    with pytest.raises(ValueError, match="expected finite y"):
        portfolio.solve(y, SIGMA, solver=solver)
    sigma[0, 0] = bad
    with pytest.raises(ValueError, match="expected finite sigma"):
        portfolio.solve(Y, sigma, solver=solver)
    with pytest.raises(ValueError, match="expected finite a"):
        portfolio.cost(y, Y, SIGMA)
    with pytest.raises(ValueError, match="expected finite y"):
        portfolio.worst(y)


def test_asymmetric_and_indefinite_matrices_are_refused():
    sigma = np.tile(SIGMA, (3, 1, 1))
    sigma[1, 0, 2] = 1e-6
    with pytest.raises(ValueError, match=r"symmetric sigma, got 1 of 3 .*first: matrix 1.*sigma.T"):
        portfolio.solve(Y, sigma)
    sigma[1] = np.diag([1.0, -1e-6, 1.0])
    with pytest.raises(ValueError, match=r"positive semi-definite sigma, got 1 of 3 .*first: matrix 1"):
        portfolio.solve(Y, sigma)
    with pytest.raises(ValueError, match="positive semi-definite"):
        portfolio.solve(Y, np.ones((3, 3)) - np.eye(3))


def test_rounding_of_a_singular_matrix_is_not_indefinite():
    rng = np.random.default_rng(0)
    for n in (5, 50, 200):
        sigma = matrix("rank deficient", n, rng)
        assert np.linalg.eigvalsh(sigma)[0] < 1e-10
        portfolio.solve(np.zeros(n), sigma, solver="active-set")
        portfolio.solve(np.zeros(n, np.float32), sigma.astype(np.float32), solver="active-set")


@pytest.mark.parametrize(
    ("y", "sigma", "match"),
    [
        (np.zeros(4), SIGMA, r"got \(4,\) and sigma \(3, 3\)"),
        (np.zeros(3), np.zeros((3, 2)), "expected vectors"),
        (np.zeros(3), np.zeros(3), "expected vectors"),
        (np.float64(1.0), SIGMA, "expected vectors"),
        (np.zeros(0), np.zeros((0, 0)), "N of at least 1"),
        (np.zeros((2, 3)), np.zeros((5, 3, 3)), "leading dimensions that broadcast"),
    ],
)
def test_wrong_shapes(y, sigma, match):
    with pytest.raises(ValueError, match=match):
        portfolio.solve(y, sigma)


def test_wrong_dtype():
    with pytest.raises(TypeError, match="real numbers for y"):
        portfolio.solve(Y.astype(complex), SIGMA)


@pytest.mark.parametrize("risk_aversion", [-0.1, np.nan, np.inf])
def test_risk_aversion_must_be_finite_and_not_negative(risk_aversion):
    calls = (
        lambda: portfolio.solve(Y, SIGMA, risk_aversion),
        lambda: portfolio.cost(Y, Y, SIGMA, risk_aversion),
        lambda: portfolio.kkt_residual(Y, Y, SIGMA, risk_aversion),
        lambda: portfolio.derivative(Y, SIGMA, risk_aversion),
    )
    for call in calls:
        with pytest.raises(ValueError, match="risk_aversion of at least 0"):
            call()


def test_unknown_solver_and_threads():
    with pytest.raises(ValueError, match=r"unknown solver 'gurobi'.*osqp, active-set"):
        portfolio.solve(Y, SIGMA, solver="gurobi")
    with pytest.raises(ValueError, match="threads of at least 1"):
        portfolio.solve(Y, SIGMA, threads=0)


@pytest.mark.parametrize("solver", portfolio.SOLVERS)
def test_an_unsolved_row_is_an_error_that_names_it(solver):
    rng = np.random.default_rng(0)
    sigma = np.stack([matrix("correlation", 30, rng) for _ in range(2)])
    y = 0.01 * rng.normal(size=(3, 2, 30))
    with pytest.raises(SolverError, match=rf"{solver} did not .* max_iter=2 on 6 of 6 QPs \(rows \(0, 0\)"):
        portfolio.solve(y, sigma, solver=solver, max_iter=2)
    with pytest.raises(SolverError):
        portfolio.regret(y, y, sigma, solver=solver, max_iter=2)


def test_torch_status_reports_instead_of_raising():
    y = torch.tensor(Y).expand(4, 1, 3).clone()
    sigma = torch.eye(3, dtype=torch.float64).repeat(4, 1, 1)
    y[0, 0, 0] = torch.nan
    sigma[1, 0, 1] = 1.0
    sigma[2, 0, 0] = -1.0
    _, status = tensors.solve(y, sigma, 0.1, 1e-8)
    fold = Fold(sigma, y[:, 0])
    for rows, match in (
        (status, "NaN or an infinity in 1 of 4 rows"),
        (status[1:2], "symmetric"),
        (status[2:3], "positive semi-definite"),
    ):
        with pytest.raises(ValueError, match=match):
            require_status(fold if len(rows) == 4 else Fold(sigma[:1], y[:1, 0]), rows.numpy())
    require_status(Fold(sigma[:1], y[:1, 0]), status[3:].numpy())
