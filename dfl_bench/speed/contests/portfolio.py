"""Portfolio: the quadratic program for many predictions with one Σ, against general solvers."""

import numpy as np
import torch

from kernels import portfolio

from .. import inputs
from ..race import Contestant, Effort, Line, made_late, race
from ..references import portfolio as references

RISK_AVERSION = 0.1


def lines(effort: Effort) -> list[Line]:
    """Return one contest for each of our two solvers, against the same others."""
    title = "portfolio: N=50, 32 predictions for each Σ"
    found = []
    for solver, groups, at_least in (("osqp", 4, 4.0), ("active-set", 32, 150.0)):
        entries = [_ours(solver, groups), _layer(at_least), *_others()]
        found += race(f"{title}, {solver}", "QP", "KKT residual", entries, effort.fewer)
    return found


def _error(a: np.ndarray | torch.Tensor) -> float:
    y, sigma = inputs.markets(32, 32)
    weights = np.asarray(a).reshape(-1, 32, 50)
    n = len(weights)
    return references.kkt_residual(weights, y[:n], sigma[:n, None], RISK_AVERSION)


def _ours(solver: str, groups: int) -> Contestant:
    y, sigma = inputs.markets(32, 32)
    return Contestant(
        name=f"ours, {solver}",
        run=lambda: portfolio.solve(y[:groups], sigma[:groups, None], RISK_AVERSION, solver=solver),
        units=32 * groups,
        error=_error,
    )


def _layer(at_least: float) -> Contestant:
    y, sigma = (torch.from_numpy(values) for values in inputs.markets(32, 32))
    roots = torch.linalg.cholesky(sigma[0]).mT.expand(32, 50, 50)
    return Contestant(
        name="cvxpylayers, forward",
        run=made_late(
            lambda: references.portfolio_layer(50, RISK_AVERSION), lambda layer: layer(y[0], roots)
        ),
        units=32,
        error=_error,
        at_least=at_least,
        needs=("cvxpylayers",),
    )


def _others() -> list[Contestant]:
    y, sigma = inputs.markets(32, 32)
    one_y, one_sigma = torch.from_numpy(y[0]), torch.from_numpy(sigma[0])

    def cvxpy(solver: str) -> Contestant:
        return Contestant(
            name=f"cvxpy + {solver}",
            run=lambda: references.portfolio_by_cvxpy(y[:1], sigma[:1], RISK_AVERSION, solver),
            units=32,
            error=_error,
            needs=(solver.lower(),),
        )

    moreau = made_late(
        lambda: references.portfolio_by_moreau(50, 32, RISK_AVERSION),
        lambda solve: solve(one_y, one_sigma).detach(),
    )
    return [
        cvxpy("OSQP"),
        cvxpy("CLARABEL"),
        Contestant(name="moreau, active set", run=moreau, units=32, error=_error, needs=("moreau",)),
        Contestant(
            name="qpth, forward",
            run=lambda: references.portfolio_by_qpth(one_y, one_sigma.expand(32, 50, 50), RISK_AVERSION),
            units=32,
            error=_error,
            needs=("qpth",),
        ),
    ]
