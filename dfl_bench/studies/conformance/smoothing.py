"""The losses of family "smoothing", and the layers that they go through."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain, combinations
from typing import Any

import torch
from scipy.optimize import brentq
from torch import Tensor

from kernels import portfolio

from ... import methods
from ...methods._relaxed import constraints, given_of, sign_of
from ...methods.csoftmax import constrained_softmax
from ...methods.cvxpylayers import checked_layer, compiled_layer
from ...methods.qptl_spo import smoothed_spo_plus
from ._cases import SEED, Case, case
from ._compare import Loss, Maker, with_itself, with_mirror, with_reference, with_rows, with_values
from .bound import all_paths
from .check import Check, finite_differences, gradient, relative

MU = 0.1


def through(name: str, **settings: Any) -> Maker:
    """Return the maker of the regret of a method's smooth decision."""
    cls = methods.get(name)
    method: Any = cls(cls.Config(**settings))
    layers: dict[float, Callable[[Tensor], Tensor]] = {}  # by the sign of the problem, made once

    def make(given: Case) -> Loss:
        problem = given.problem
        sign = getattr(problem, "sign", 0.0)
        layer = layers[sign] = layers.get(sign) or method.layer(problem)
        return lambda y_hat: regret_of(layer(y_hat / given.scale), given)

    return make


def regret_of(z: Tensor, given: Case) -> Tensor:
    """Return what decisions (n, ...) cost more than the best ones, (n,)."""
    cost, y, context = given.problem.cost, given.y, given.context
    return cost(z, y, context) - cost(given.best, y, context)


def of_bound(given: Case) -> Loss:
    """Return SPO+ over smoothed decisions of a case."""
    polytope, sign = constraints(given.problem), sign_of(given.problem)

    def loss(y_hat: Tensor) -> Tensor:
        hat, true = (sign * y / given.scale for y in (y_hat, given.y))
        return given.scale * smoothed_spo_plus(hat, true, given.best, polytope, MU)

    return loss


def over_paths(costs: Tensor, mu: float) -> Tensor:
    """Return the z of least c·z + (μ/2)‖z‖² (n, d) over mixtures of the 6 paths: every support is tried.

    On a support the shares α of its paths meet linear equations; of all that are not negative the best is it.
    """
    paths = all_paths(3, 3)
    best, least = torch.zeros_like(costs), torch.full(costs.shape[:1], torch.inf, dtype=costs.dtype)
    for support in chain.from_iterable(combinations(range(6), size) for size in range(1, 7)):
        p = paths[list(support)]
        ones = p.new_ones(len(p), 1)
        system = torch.cat([torch.cat([mu * p @ p.mT, ones], 1), torch.cat([ones.mT, p.new_zeros(1, 1)], 1)])
        right = torch.cat([-p @ costs.mT, costs.new_ones(1, len(costs))])
        shares = torch.linalg.lstsq(system, right, driver="gelsd").solution[:-1].mT
        z = shares @ p
        value = (costs * z).sum(-1) + mu / 2 * z.square().sum(-1)
        ok = (shares >= -1e-12).all(-1) & ((shares.sum(-1) - 1).abs() < 1e-12) & (value < least)
        best, least = torch.where(ok[:, None], z, best), torch.where(ok, value, least)
    return best


def lml_by_brent(x: list[float], k: int) -> list[float]:
    """Return σ(x + ν) of one row, with the ν that Brent's method finds."""
    row = torch.tensor(x, dtype=torch.float64)
    shift = brentq(lambda nu: float(torch.sigmoid(row + nu).sum()) - k, -100.0, 100.0, xtol=1e-14)
    return torch.sigmoid(row + shift).tolist()


def capped_by_search(x: Tensor, caps: Tensor) -> Tensor:
    """Return the constrained softmax of one row (n,): every set of entries at their caps is tried."""
    best, least = x, torch.inf
    for size in range(len(x)):
        for full in combinations(range(len(x)), size):
            others = [i for i in range(len(x)) if i not in full]
            z = caps.clone()
            z[others] = (1 - caps[list(full)].sum()) * x[others].softmax(0)
            value = float(torch.special.xlogy(z, z).sum() - x @ z)
            if (z <= caps).all() and (z >= 0).all() and value < least:
                best, least = z, value
    return best


def checks() -> Iterator[Check]:
    """Yield the checks of every smooth decision."""
    path = case("shortest-path", "shortest path 3 × 3", side=3, degree=4)
    sack = case("knapsack", "knapsack, 8 items, relaxed", items=8, capacity=15.0, degree=2)
    one, three = (case("top-k", f"{k} of 8 items", items=8, k=k) for k in (1, 3))
    yield from _of_qptl(path, sack, one)
    yield from _of_bound(path, sack)
    yield from _of_intopt(path, sack)
    yield from _of_lml(three)
    yield from _of_csoftmax(one)


def _of_qptl(path: Case, sack: Case, one: Case) -> Iterator[Check]:
    make = through("qptl", mu=MU)
    expected = regret_of(over_paths(path.y_hat, MU), path)
    yield with_values("qptl", path, make, "all mixtures of 6 paths tried", expected, 1e-9)
    for given in (path, sack):
        make = through("qptl", mu=MU)
        yield with_mirror("qptl", given, make)
        yield from with_itself("qptl", given, make)
        yield from _with_cvxpylayers(given, make)
    yield from _with_sparsemax(one)


def _with_cvxpylayers(given: Case, make: Maker) -> Iterator[Check]:
    """Compare with cvxpylayers at a tight tolerance, and cvxpylayers as a method with ours."""
    against, ours = "cvxpylayers", make(given)
    if find_spec("cvxpylayers") is None:
        yield _absent("qptl", given.label, against)
        return
    layer, sign = compiled_layer(given_of(given.problem), MU, 1e-12), sign_of(given.problem)
    theirs: Loss = lambda y_hat: regret_of(layer(sign * y_hat / given.scale), given)  # noqa: E731
    in_use = checked_layer(given.problem, MU)
    reference = theirs(given.y_hat), gradient(theirs, given.y_hat)
    yield with_reference("qptl", given, against, ours, reference, 1e-5)
    exact = ours(given.y_hat), gradient(ours, given.y_hat)
    method: Loss = lambda y_hat: regret_of(in_use(y_hat / given.scale), given)  # noqa: E731
    yield with_reference("cvxpylayers", given, "qptl", method, exact, 1e-4)


def _with_sparsemax(one: Case) -> Iterator[Check]:
    """A choice of one, smoothed by a square, is sparsemax; so is a portfolio whose risk is the square."""
    against, label = "entmax.sparsemax", "portfolio of 8, Σ = I"
    if find_spec("entmax") is None:
        yield _absent("qptl", one.label, against)
        return
    from entmax import sparsemax

    chosen: Loss = lambda y_hat: regret_of(sparsemax(y_hat / MU, dim=-1), one)  # noqa: E731
    theirs = chosen(one.y_hat), gradient(chosen, one.y_hat)
    yield with_reference("qptl", one, against, through("qptl", mu=MU)(one), theirs, 1e-9)
    weights = torch.rand(8, dtype=torch.float64, generator=torch.Generator().manual_seed(SEED))
    risk = torch.eye(8, dtype=torch.float64)
    layers: list[Loss] = [
        lambda y_hat: (portfolio.solve(y_hat, risk, MU) * weights).sum(-1),
        lambda y_hat: (sparsemax(y_hat / (2 * MU), dim=-1) * weights).sum(-1),
    ]
    ours, theirs = ((layer(one.y), gradient(layer, one.y)) for layer in layers)
    yield Check(
        method="dfl", case=label, against=against, value_error=relative(ours[0], theirs[0]),
        gradient_error=relative(ours[1], theirs[1]), tolerance=1e-9,
    )  # fmt: skip


def _of_bound(path: Case, sack: Case) -> Iterator[Check]:
    q = 2 * path.y_hat - path.y
    of = lambda z: (q * z).sum(-1) + MU / 2 * z.square().sum(-1)  # noqa: E731
    expected = of(path.best) - of(over_paths(q, MU))
    yield with_values("qptl-spo", path, of_bound, "all mixtures of 6 paths tried", expected, 1e-9)
    for given in (path, sack):
        yield with_mirror("qptl-spo", given, of_bound)
        yield from with_itself("qptl-spo", given, of_bound)


def _of_intopt(path: Case, sack: Case) -> Iterator[Check]:
    """Its derivative is that of damped conditions, not of the path: see the tests of the kernel."""
    end = through("intopt", stop=1e-9)
    expected = path.problem.regret(path.y_hat, path.y, path.context)
    at_end = replace(path, label=f"{path.label}, stop at 1e-9")
    yield with_values("intopt", at_end, end, "the best path", expected, 1e-6)
    for given in (path, sack):
        make = through("intopt")
        yield with_mirror("intopt", given, make)
        yield with_rows("intopt", given, make)


def _of_lml(three: Case) -> Iterator[Check]:
    make, values = through("lml"), three.y_hat / three.scale  # of items to choose: their sign is that of x
    rows = torch.tensor([lml_by_brent(x, 3) for x in values.tolist()], dtype=torch.float64)
    yield with_values("lml", three, make, "ν by Brent's method", regret_of(rows, three))
    yield with_mirror("lml", three, make)
    yield from with_itself("lml", three, make)
    websites = case("budget", "budget", data="clicks", fake_targets=0)
    yield from with_itself("lml", websites, through("lml"))


def _of_csoftmax(one: Case) -> Iterator[Check]:
    make = through("csoftmax")
    soft: Loss = lambda y_hat: regret_of((y_hat / one.scale).softmax(-1), one)  # noqa: E731
    theirs = soft(one.y_hat), gradient(soft, one.y_hat)
    yield with_reference("csoftmax", one, "torch.softmax", make(one), theirs)
    yield with_mirror("csoftmax", one, make)
    yield from with_itself("csoftmax", one, make)
    yield from _of_caps()


def _of_caps() -> Iterator[Check]:
    """The layer with caps below one, which no problem here has: both of its arguments."""
    rng = torch.Generator().manual_seed(SEED)
    x, weights = (torch.randn(64, 5, dtype=torch.float64, generator=rng) for _ in range(2))
    caps = 0.2 + 0.4 * torch.rand(64, 5, dtype=torch.float64, generator=rng)
    expected = torch.stack([capped_by_search(*row) for row in zip(x, caps, strict=True)])
    both = torch.cat([x, caps], -1)
    loss: Loss = lambda both: (constrained_softmax(*both.split(5, -1)) * weights).sum(-1)  # noqa: E731
    yield Check(
        method="csoftmax", case="5 shares with caps, 64 rows", against="all sets at their caps tried",
        value_error=relative(constrained_softmax(x, caps), expected), gradient_error=None, tolerance=1e-12,
    )  # fmt: skip
    yield Check(
        method="csoftmax", case="5 shares with caps, 64 rows", against="finite differences",
        value_error=None, gradient_error=relative(gradient(loss, both), finite_differences(loss, both)),
        tolerance=1e-6,
    )  # fmt: skip


def _absent(method: str, label: str, package: str) -> Check:
    return Check(
        method=method, case=label, against=package, value_error=None, gradient_error=None, tolerance=1e-9,
        absent=package.split(".")[0],
    )  # fmt: skip
