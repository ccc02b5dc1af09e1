"""The losses of family "upper bound": SPO+ and the perturbation gradient."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from kernels import shortest_path

from ...methods.pg import perturbation_gradient
from ...methods.spo_plus import spo_plus
from ._cases import Case, case, linear_cases
from ._compare import Loss, Maker, with_itself, with_mirror, with_pyepo, with_values
from ._pyepo_model import objective
from .check import Check

SIGMA = 0.1


def of_spo_plus(given: Case) -> Loss:
    """Return SPO+ of a case."""
    return lambda y_hat: spo_plus(given.problem, y_hat, given.y, given.best, given.context)


def of_pg(central: bool, added: float = 0.0) -> Maker:
    """Return the maker of the perturbation gradient, with something added to its divisor."""
    width = 2 * SIGMA if central else SIGMA

    def make(given: Case) -> Loss:
        def loss(y_hat: Tensor) -> Tensor:
            problem, y, context = given.problem, given.y, given.context
            value = perturbation_gradient(problem, y_hat, y, context, sigma=SIGMA, central=central)
            return value * (width / (width + added))

        return loss

    return make


def all_paths(height: int, width: int) -> Tensor:
    """Return every way through a grid as zeros and ones for its arcs, (paths, arcs)."""
    arcs = [tuple(arc) for arc in shortest_path.arcs(height, width).tolist()]
    ways: list[list[int]] = [[0]]
    for _ in range(height + width - 2):
        ways = [[*way, end] for way in ways for start, end in arcs if start == way[-1]]
    taken = [set(pairwise(way)) for way in ways]
    return torch.tensor([[float(arc in steps) for arc in arcs] for steps in taken], dtype=torch.float64)


def checks() -> Iterator[Check]:
    """Yield the checks of both losses."""
    linear = linear_cases()
    known = [case("inventory", "inventory"), case("portfolio-synthetic", "portfolio, 6 stocks", n_stocks=6)]
    yield from _of_spo_plus(linear, known)
    yield from _of_pg(linear, known, central=False)
    yield from _of_pg(list(map(_central, linear)), list(map(_central, known)), central=True)


def _central(given: Case) -> Case:
    return replace(given, label=f"{given.label}, central")


def _of_spo_plus(linear: list[Case], known: list[Case]) -> Iterator[Check]:
    first, paths = linear[0], all_paths(3, 3)
    weights = 2 * first.y_hat - first.y
    expected = (weights.unsqueeze(1) * (first.best.unsqueeze(1) - paths)).sum(-1).amax(-1)
    yield with_values("spo-plus", first, of_spo_plus, "all 6 paths tried", expected)
    beside = lambda rows: (rows.y, rows.best, objective(rows))  # noqa: E731
    for given in linear:
        yield with_mirror("spo-plus", given, of_spo_plus)
        yield with_pyepo("spo-plus", given, of_spo_plus, "SPOPlus", beside)
    for given in [*linear, *known]:
        yield from with_itself("spo-plus", given, of_spo_plus)


def _of_pg(linear: list[Case], known: list[Case], central: bool) -> Iterator[Check]:
    first, paths, make = linear[0], all_paths(3, 3), of_pg(central)
    steps = (first.y_hat + share * first.y for share in (-SIGMA, 0.0, SIGMA))
    low, middle, high = ((costs @ paths.mT).amin(-1) for costs in steps)
    expected = (high - low) / (2 * SIGMA) if central else (middle - low) / SIGMA
    yield with_values("pg", first, make, "all 6 paths tried", expected)
    options: dict[str, Any] = {"sigma": SIGMA, "two_sides": central}
    theirs = of_pg(central, added=1e-8)  # PyEPO adds that
    for given in linear:
        yield with_mirror("pg", given, make)
        yield with_pyepo("pg", given, theirs, "perturbationGradient", lambda rows: (rows.y,), **options)
    for given in [*linear, *known]:
        yield from with_itself("pg", given, make)
