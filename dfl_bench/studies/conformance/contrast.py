"""The losses that compare the decisions of a pool: MAP, NCE and learning to rank."""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from ... import methods
from ...methods._pool import Offer
from ...training.pools import Pool
from ._cases import Case, case, linear_cases
from ._compare import Loss, Maker, with_itself, with_mirror, with_pyepo, with_values
from .check import Check

SETTINGS: dict[str, dict[str, float]] = {
    "map": {}, "map-c": {}, "nce": {}, "nce-c": {},
    "ltr-point": {}, "ltr-pair": {"margin": 0.3}, "ltr-diff": {}, "ltr-list": {"temperature": 2.0},
}  # fmt: skip
# What PyEPO has, with its default settings, and what it takes beside predictions.
IN_PYEPO = {
    "map": ("contrastiveMAP", "best"),
    "nce": ("noiseContrastiveEstimation", "best"),
    "ltr-point": ("pointwiseLearningToRank", "y"),
    "ltr-pair": ("pairwiseLearningToRank", "y"),
    "ltr-list": ("listwiseLearningToRank", "y"),
}


def maker(name: str, whole: Case, settings: dict[str, float]) -> Maker:
    """Return the function from a case to a method's loss, over the pool of the best decisions of all rows.

    Args:
        name: of the method.
        whole: the rows that the pool is of.
        settings: of the method.
    """
    cls = methods.get(name)
    method: Any = cls(cls.Config(**settings))

    def make(given: Case) -> Loss:
        source = whole if given.index is not None else given
        pool = Pool(source.problem, source.context, source.best)
        best = pool.best if given.index is None else pool.best[given.index]
        return lambda y_hat: method.loss(Offer(pool, y_hat, given.y, best, given.index, given.scale))

    return make


def by_definition(name: str, hat: list[float], true: list[float], best: int, **settings: float) -> float:
    """Return the loss of one row from what each decision costs.

    Args:
        name: of the method.
        hat: costs of all decisions under the prediction.
        true: their costs under the outcome.
        best: the place of the best decision.
        **settings: of the method, in units of costs.
    """
    pool = range(len(hat))
    others = [v for v in pool if v != best]
    error = [hat[v] - true[v] for v in pool]
    match name:
        case "map":
            return max(hat[best] - hat[v] for v in pool)
        case "map-c":
            return max(error[best] - error[v] for v in pool)
        case "nce":
            return sum(hat[best] - hat[v] for v in pool) / len(pool)
        case "nce-c":
            return sum(error[best] - error[v] for v in pool) / len(pool)
        case "ltr-point":
            return sum(error[v] ** 2 for v in pool) / len(pool)
        case "ltr-pair":
            return sum(max(settings["margin"] + hat[best] - hat[v], 0) for v in others) / len(others)
        case "ltr-diff":
            return sum((error[best] - error[v]) ** 2 for v in others) / len(others)
        case "ltr-list":
            weights = [[math.exp(-c / settings["temperature"]) for c in costs] for costs in (hat, true)]
            shares = [[w / sum(ws) for w in ws] for ws in weights]
            return -sum(p * math.log(q) for q, p in zip(*shares, strict=True))
    raise ValueError(f"no definition of {name}.")


def by_loops(name: str, given: Case, settings: dict[str, float]) -> Tensor:
    """Return the definition row by row, (n,), every cost a sum over entries.

    Args:
        name: of the method.
        given: rows of a linear problem.
        settings: of the method, in label scales.
    """
    sign: float = given.problem.sign  # type: ignore[attr-defined]
    units = {key: value * float(given.scale) for key, value in settings.items()}
    pool = given.best.unique(dim=0).tolist()
    rows = []
    for hat, true, z in zip(given.y_hat.tolist(), given.y.tolist(), given.best.tolist(), strict=True):
        of_hat, of_true = (
            [sign * sum(a * b for a, b in zip(y, v, strict=True)) for v in pool] for y in (hat, true)
        )
        rows.append(by_definition(name, of_hat, of_true, pool.index(z), **units))
    return torch.tensor(rows, dtype=torch.float64)


def checks() -> Iterator[Check]:
    """Yield the checks of every loss over a pool."""
    linear = linear_cases()
    others = [
        case("inventory", "inventory"),
        case("budget", "budget", data="clicks", fake_targets=0),
        case("portfolio-synthetic", "portfolio, 6 stocks", n_stocks=6),
    ]
    for name, settings in SETTINGS.items():
        for given in linear:
            make, expected = maker(name, given, settings), by_loops(name, given, settings)
            yield with_values(name, given, make, "the definition, by loops", expected)
            yield with_mirror(name, given, make)
            if name in IN_PYEPO:
                module, second = IN_PYEPO[name]
                plain = maker(name, given, {})
                beside = lambda rows, second=second: (getattr(rows, second),)  # noqa: E731
                yield with_pyepo(name, given, plain, module, beside, solve_ratio=0.0)
        for given in [*linear, *others]:
            yield from with_itself(name, given, maker(name, given, settings))
