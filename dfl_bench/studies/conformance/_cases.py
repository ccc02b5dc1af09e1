"""Small instances on which losses are compared, with predictions that a network would make."""

import copy
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ...contracts.linear import LinearProblem
from ...contracts.problem import Context, Problem
from ...contracts.task import Task
from ...problems import make_problem
from ...training.seed_batch import SeedBatch

SEED = 1000  # of tuning: no score uses it
ROWS = 64


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Rows of a problem: outcomes, their best decisions, and predictions."""

    label: str
    problem: Problem
    y: Tensor  # (n, *targets)
    y_hat: Tensor  # (n, *targets), of an untrained network
    best: Tensor  # (n, ...)
    context: Context
    scale: Tensor  # (), the label scale
    index: Tensor | None = None  # which rows of a larger case these are, (n,); None: all


def case(name: str, label: str, **settings: Any) -> Case:
    """Return rows of a problem.

    Args:
        name: of the problem.
        label: what the table calls the case.
        **settings: of the problem, beside the number of rows.
    """
    problem = make_problem(name, n_train=ROWS, n_val=2, n_test=2, **settings)
    data = problem.data(SEED)
    batch = SeedBatch([Task(problem, data.train, data.val, SEED)])
    y, context = batch.train.y[0], {key: values[0] for key, values in batch.train.context.items()}
    if isinstance(problem, LinearProblem):  # no two decisions of one cost: a reference may take either
        noise = torch.rand(y.shape, dtype=y.dtype, generator=torch.Generator().manual_seed(SEED))
        y = y + 0.1 * batch.scale * noise
    y_hat = batch.new_network()(batch.train.x)[0].detach()
    best = problem.decide(y, context)
    return Case(f"{label}, {ROWS} rows", problem, y, y_hat, best, context, batch.scale[0])


def linear_cases() -> list[Case]:
    """Return a problem that pays costs and one that earns values."""
    return [
        case("shortest-path", "shortest path 3 × 3", side=3, degree=4),
        case("knapsack", "knapsack, 8 items", items=8, capacity=15.0, degree=2),
    ]


def mirrored(given: Case) -> Case:
    """Return the same rows as a problem of the other sign: what was a cost is a value."""
    twin = copy.copy(given.problem)
    twin.sign = -given.problem.sign  # type: ignore[attr-defined]
    return replace(given, problem=twin, y=-given.y, y_hat=-given.y_hat)


def one_row(given: Case, row: int) -> Case:
    """Return one row of a case."""
    index = torch.tensor([row])
    context = {name: values[index] for name, values in given.context.items()}
    parts = {name: getattr(given, name)[index] for name in ("y", "y_hat", "best")}
    return replace(given, context=context, index=index, **parts)


def in_label_scales(given: Case) -> Case:
    """Return a linear case in its label scales: PyEPO's temperature and floors are for such numbers."""
    return replace(
        given, y=given.y / given.scale, y_hat=given.y_hat / given.scale, scale=torch.ones_like(given.scale)
    )
