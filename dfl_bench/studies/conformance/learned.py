"""The learned losses. Those of LODL: each against its definition in loops, by differences, and one by one."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...methods.lodl_dq import LODLDQ
from ...methods.lodl_dwmse import LODLDWMSE
from ...methods.lodl_nn import LODLNN, LODLNNConfig
from ...methods.lodl_quad import LODLQuad, LODLQuadConfig
from ...methods.lodl_wmse import LODLWMSE
from . import _so_ebm, _taskmet
from .check import Check, finite_differences, gradient, relative

ROWS, TARGETS, RANK, HIDDEN = 6, 4, 3, (5, 7)
QUADRATIC = LODLQuadConfig(rank=RANK, mse_weight=0.1)
NETWORK = LODLNNConfig(hidden=HIDDEN)

Slow = Callable[[np.ndarray, np.ndarray], float]  # the parameters of one instance and one point d: its loss


@dataclass(frozen=True, slots=True)
class Family:
    """A loss, its definition, and a size for its parameters that leaves no part of it without effect."""

    method: Any
    slow: Slow
    size: float
    zero_at_outcome: bool = True


def slow_wmse(w: np.ndarray, d: np.ndarray) -> float:
    """(1/D) Σ_i max(w_i, 0.001) d_i²."""
    return sum(max(w[i], 1e-3) * d[i] ** 2 for i in range(len(d))) / len(d)


def slow_dwmse(w: np.ndarray, d: np.ndarray) -> float:
    """The same with the weights w[1] above the outcome and w[0] below."""
    return sum(max(w[1 if d[i] > 0 else 0, i], 1e-3) * d[i] ** 2 for i in range(len(d))) / len(d)


def slow_quad(factor: np.ndarray, d: np.ndarray) -> float:
    """Σ_j (Σ_{i>=j} d_i L_ij)² + a·mean(d²), entries of L within 100."""
    total = 0.1 * float(np.mean(d**2))
    for j in range(factor.shape[1]):
        total += sum(d[i] * min(max(factor[i, j], -100.0), 100.0) for i in range(j, len(d))) ** 2
    return total


def slow_dq(factors: np.ndarray, d: np.ndarray) -> float:
    """The same with L_ij, within 10, from one of four matrices by the signs of d_i and d_j."""
    size = len(d)
    total = 1e-3 * float(np.mean(d**2))
    for j in range(size):
        column = 0.0
        for i in range(j, size):
            entry = factors[i + size * int(d[i] > 0), j + size * int(d[j] > 0)]
            column += d[i] * min(max(entry, -10.0), 10.0)
        total += column**2
    return total


def slow_nn(parameters: np.ndarray, y_hat: np.ndarray) -> float:
    """Layer by layer: v_j = max(0, b_j + Σ_i v_i W_ij)."""
    values, at = list(y_hat), 0
    for n_out in (*HIDDEN, 1):
        n_in = len(values)
        biases = parameters[at + n_in * n_out :]
        values = [
            max(0.0, biases[j] + sum(values[i] * parameters[at + i * n_out + j] for i in range(n_in)))
            for j in range(n_out)
        ]
        at += (n_in + 1) * n_out
    return values[0]


FAMILIES = (
    Family(LODLWMSE(), slow_wmse, 1.0),
    Family(LODLDWMSE(), slow_dwmse, 1.0),
    Family(LODLQuad(QUADRATIC), slow_quad, 70.0),
    Family(LODLDQ(), slow_dq, 7.0),
    Family(LODLNN(NETWORK), slow_nn, 1.0, zero_at_outcome=False),
)


def checks() -> Iterator[Check]:
    """Yield what the learned losses are compared with."""
    for number, family in enumerate(FAMILIES):
        yield from of_family(family, np.random.default_rng(number))
    yield from _taskmet.checks()
    yield from _so_ebm.checks()


def of_family(family: Family, rng: np.random.Generator) -> Iterator[Check]:
    """Yield the checks of one family at random parameters, some of which are out of bounds."""
    method, case = family.method, f"{ROWS} instances, {TARGETS} entries"
    shape = method.start(rng, ROWS, TARGETS).shape
    free = torch.from_numpy(family.size * rng.standard_normal(shape))
    d = torch.from_numpy(rng.standard_normal((ROWS, TARGETS)))
    parameters = method.admit(free).unsqueeze(0)

    def loss(points: Tensor, rows: Tensor | None = None) -> Tensor:
        return method.at_one_point(parameters, rows, points.unsqueeze(0))[0]

    def compared(against: str, value: float | None, slope: float | None, tolerance: float) -> Check:
        return Check(
            method=method.name, case=case, against=against,
            value_error=value, gradient_error=slope, tolerance=tolerance,
        )  # fmt: skip

    slow = np.array([family.slow(free[n].numpy(), d[n].numpy()) for n in range(ROWS)])
    yield compared("definition in loops", relative(loss(d), slow), None, 1e-12)
    yield compared("finite differences", None, relative(gradient(loss, d), finite_differences(loss, d)), 1e-6)
    batched = method.form(parameters[0], d.unsqueeze(1)).squeeze(1)
    several = gradient(lambda points: method.form(parameters[0], points.unsqueeze(1)).squeeze(1), d)
    yield compared(
        "the form that is fitted", relative(loss(d), batched), relative(gradient(loss, d), several), 1e-12
    )
    alone = [loss(d[n : n + 1], torch.tensor([[n]])) for n in range(ROWS)]
    yield compared("batch of one", relative(loss(d), torch.cat(alone)), None, 1e-14)
    if family.zero_at_outcome:
        zero = loss(torch.zeros_like(d))
        yield compared("zero at the outcome", relative(zero, np.zeros(ROWS)), None, 0.0)
