"""SO-EBM: its loss in plain loops, and the integral over all orders of the inventory by quadrature."""

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...methods._energy import WIDTHS, energies, energy_loss, mixture_log_density, propose
from ...problems import make_problem
from .check import Check, finite_differences, gradient, relative

ROWS, PROPOSALS = 4, 5
RANGE, TEMPERATURE = 19.0, 5.0
POINTS = 30_000  # of the quadrature, and of the proposals


def checks() -> Iterator[Check]:
    """Yield what SO-EBM is compared with."""
    yield of_the_loss(np.random.default_rng(0))
    yield of_the_density(np.random.default_rng(1))
    yield of_the_integral(np.random.default_rng(2))
    for name in ("inventory", "portfolio-synthetic", "budget", "top-k"):
        settings = {"data": "clicks"} if name == "budget" else {}
        yield of_the_energies(name, np.random.default_rng(3), **settings)


def of_the_loss(rng: np.random.Generator) -> Check:
    """Return the check of E(z*) + log Z + λ (Σ ω E + log Z) with weights, one of them zero."""
    best, predicted, true = rng.standard_normal(ROWS), *rng.standard_normal((2, ROWS, PROPOSALS))
    weights = rng.uniform(0.5, 2.0, (ROWS, PROPOSALS))
    weights[0, 0] = 0.0
    slow = np.empty(ROWS)
    for n in range(ROWS):
        z = sum(weights[n, m] * np.exp(-predicted[n, m]) for m in range(PROPOSALS)) / PROPOSALS
        share = [weights[n, m] * np.exp(-true[n, m]) for m in range(PROPOSALS)]
        mean = sum(share[m] * predicted[n, m] for m in range(PROPOSALS)) / sum(share)
        slow[n] = best[n] + np.log(z) + 0.3 * (mean + np.log(z))
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)

    def loss(e: Tensor) -> Tensor:
        costs, logs = torch.from_numpy(true), torch.from_numpy(log_weights)
        return energy_loss(e[:, -1], e[:, :-1], costs, logs, 0.3)

    point = torch.from_numpy(np.concatenate([predicted, best[:, None]], axis=1))
    slope = relative(gradient(loss, point), finite_differences(loss, point))
    case = f"{ROWS} rows, {PROPOSALS} proposals"
    return compared(case, "definition in loops", relative(loss(point), slow), slope, 1e-8)


def of_the_density(rng: np.random.Generator) -> Check:
    """Return the check of the mixture's density against that of Python's normal distribution."""
    noise = rng.uniform(-0.3, 0.3, 20)
    slow = [np.log(np.mean([NormalDist(0.0, width).pdf(float(v)) for width in WIDTHS])) for v in noise]
    ours = mixture_log_density(torch.from_numpy(noise))
    return compared(
        "density of the proposals", "statistics.NormalDist", relative(ours, np.array(slow)), None, 1e-12
    )


def of_the_integral(rng: np.random.Generator) -> Check:
    """Return the check of log Z and its gradient by ŷ; proposals are the quantiles of the mixture."""
    problem = make_problem("inventory")
    y_hat = torch.from_numpy(rng.dirichlet(np.ones(5), (1, ROWS)))
    y_hat[0, 0] = torch.tensor([0.9, 0.1, 0.0, 0.0, 0.0])  # an order near 0: many proposals are below
    best = problem.decide(y_hat, {})  # an integral is known as far as proposals go
    normal = NormalDist()
    quantiles = np.array([normal.inv_cdf((i + 0.5) / POINTS) for i in range(POINTS)])
    noise = torch.from_numpy(np.outer(WIDTHS, quantiles).ravel()).expand(1, ROWS, -1)
    z, log_weights = propose(problem, best, noise, torch.tensor([RANGE], dtype=torch.float64))

    def log_z(p: Tensor) -> Tensor:
        predicted = energies(problem, z, p.unsqueeze(0), {}) / TEMPERATURE
        nothing = torch.zeros(1, ROWS, dtype=torch.float64)
        return energy_loss(nothing, predicted, predicted.detach(), log_weights, 0.0)[0]

    value, slope = by_quadrature(y_hat[0].numpy())
    return compared(
        f"inventory, {ROWS} rows, log Z over all orders",
        "quadrature",
        relative(log_z(y_hat[0]), value),
        relative(gradient(log_z, y_hat[0]), slope),
        1e-6,
    )


def by_quadrature(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return log ∫ exp(-f(z; p) / T) dz over z >= 0 and its gradient by p; costs as the paper has them."""
    z = np.linspace(0.0, 60.0, POINTS)
    value, slope = np.empty(len(p)), np.empty_like(p)
    for n in range(len(p)):
        short = [np.maximum(d - z, 0.0) for d in (1.0, 2.0, 5.0, 10.0, 20.0)]
        over = [np.maximum(z - d, 0.0) for d in (1.0, 2.0, 5.0, 10.0, 20.0)]
        each = [30.0 * s + 7.0 * s**2 + 10.0 * o + o**2 for s, o in zip(short, over, strict=True)]
        cost = 10.0 * z + z**2 + sum(p[n, k] * each[k] for k in range(5))
        density = np.exp(-cost / TEMPERATURE)
        total = np.trapezoid(density, z)
        value[n] = np.log(total)
        slope[n] = [-np.trapezoid(density * each[k], z) / total / TEMPERATURE for k in range(5)]
    return value, slope


def of_the_energies(name: str, rng: np.random.Generator, **settings: Any) -> Check:
    """Return the check of the energies of projected proposals against the problem's cost, one by one.

    Args:
        name: of the problem.
        rng: draws the proposals.
        **settings: of the problem, beside the number of rows.
    """
    problem = make_problem(name, n_train=ROWS, n_val=1, n_test=1, **settings)
    rows = problem.data(1000).train.to("cpu")
    y, context = rows.y[None], {key: values[None] for key, values in rows.context.items()}
    best = problem.decide(y, context)
    noise = torch.from_numpy(0.1 * rng.standard_normal((1, ROWS, PROPOSALS, *best.shape[2:])))
    z, _ = propose(problem, best, noise, torch.ones(1, dtype=torch.float64))
    slow = np.empty((ROWS, PROPOSALS))
    for n, m in np.ndindex(ROWS, PROPOSALS):
        own = {key: values[0, n] for key, values in context.items()}
        slow[n, m] = problem.cost(z[0, n, m], y[0, n], own)

    def loss(y_hat: Tensor) -> Tensor:
        return energies(problem, z, y_hat[None], context)[0].sum(-1)

    y_hat = 0.5 * y[0] + 0.2  # within what every problem admits
    slope = relative(gradient(loss, y_hat), finite_differences(loss, y_hat, 1e-5))
    value = relative(energies(problem, z, y, context)[0], slow)
    return compared(
        f"{problem.name}, energies of {PROPOSALS} proposals", "costs one by one", value, slope, 1e-7
    )


def compared(case: str, against: str, value: float | None, slope: float | None, tolerance: float) -> Check:
    """Return a check of SO-EBM.

    Args:
        case: what was computed.
        against: what with.
        value: the error of the value, or None.
        slope: the error of the gradient, or None.
        tolerance: the largest error that is allowed.
    """
    return Check(
        method="so-ebm", case=case, against=against,
        value_error=value, gradient_error=slope, tolerance=tolerance,
    )  # fmt: skip
