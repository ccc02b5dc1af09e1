"""Portfolio: what a DFL step does between the prediction and its gradient, 32 days with a Σ each."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from kernels import portfolio

from .. import inputs
from ..race import Contestant, Effort, Line, made_late, race
from ..references import portfolio as references
from .portfolio import RISK_AVERSION

DAYS = 32
Decide = Callable[[Tensor], Tensor]


def lines(effort: Effort) -> list[Line]:
    """Return one contest."""
    y, sigma = inputs.markets(DAYS, 2)
    exact = np.asarray(portfolio.solve(y[:, 1], sigma, RISK_AVERSION, solver="active-set"))
    expected = -references.gradient_on_support(exact, y[:, 0], sigma, RISK_AVERSION)
    truth, predicted = torch.from_numpy(y[:, 0].copy()), torch.from_numpy(y[:, 1].copy())
    risk = torch.from_numpy(sigma)

    def gradient(decide: Decide) -> Tensor:
        y_hat = predicted.clone().requires_grad_()
        a = decide(y_hat)
        variance = (a * (risk @ a[..., None])[..., 0]).sum(-1)
        (RISK_AVERSION * variance - (truth * a).sum(-1)).sum().backward()
        assert y_hat.grad is not None
        return y_hat.grad

    def error(found: Tensor) -> float:
        return float(abs(found.numpy() - expected).max() / abs(expected).max())

    entries = [
        Contestant(name=name, run=made_late(make, gradient), units=DAYS, error=error, needs=needs)
        for name, make, needs in _ways(risk)
    ]
    title = f"portfolio: gradient of the cost through the solver, {DAYS} days"
    return race(title, "day", "relative, of the gradient", entries, effort.fewer)


def _ways(sigma: Tensor) -> list[tuple[str, Callable[[], Decide], tuple[str, ...]]]:
    """Return a name, what makes the function from predictions to weights, and what it needs, of each."""

    def ours(y_hat: Tensor) -> Tensor:
        return torch.as_tensor(portfolio.solve(y_hat, sigma, RISK_AVERSION, solver="active-set"))

    def layer() -> Decide:
        solve, roots = references.portfolio_layer(50, RISK_AVERSION), torch.linalg.cholesky(sigma).mT
        return lambda y_hat: solve(y_hat, roots)

    def moreau() -> Decide:
        solve = references.portfolio_by_moreau(50, DAYS, RISK_AVERSION)
        return lambda y_hat: solve(y_hat, sigma)

    def qpth() -> Decide:
        return lambda y_hat: references.portfolio_by_qpth(y_hat, sigma, RISK_AVERSION)

    return [
        ("ours, active set", lambda: ours, ()),
        ("cvxpylayers, forward and backward", layer, ("cvxpylayers",)),
        ("moreau, forward and backward", moreau, ("moreau",)),
        ("qpth, forward and backward", qpth, ("qpth",)),
    ]
