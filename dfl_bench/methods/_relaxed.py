"""What the methods share that look at decisions as the vertices of a polytope."""

import numpy as np
from torch import Tensor

from kernels import knapsack
from kernels.polytope import Polytope

from ..contracts import polytope as contract
from ..contracts.linear import LinearProblem
from ..contracts.problem import Problem
from ..training.seed_batch import SeedBatch


def without_polytope(problem: Problem) -> str | None:
    """Return why the decisions of a problem are no vertices of a linear program, or None when they are."""
    if not isinstance(problem, LinearProblem):
        smooth = problem.offers("decision_layer")
        instead = "; `dfl` differentiates it as it is" if smooth else ""
        return f"the cost of {problem.name} is not linear in the decision{instead}"
    if problem.polytope() is None:
        return f"{problem.name} does not give its decisions as linear constraints"
    return None


def without_vertex(problem: Problem) -> str | None:
    """Return why no best vertex of the polytope of a problem is known, or None when it is."""
    if reason := without_polytope(problem):
        return reason
    given = problem.polytope()
    if given is None or given.exact or _is_knapsack(given):
        return None
    return f"no kernel finds the best vertex of the relaxation of {problem.name}: it is not a knapsack"


def constraints(problem: Problem) -> Polytope:
    """Return the polytope of a problem, ready for kernels."""
    given = given_of(problem)
    return Polytope(equal=given.equal, at_most=given.at_most, upper=given.upper)


def sign_of(problem: Problem) -> float:
    """Return what outcomes are multiplied by to be costs."""
    assert isinstance(problem, LinearProblem), "see without_polytope"
    return problem.sign


def best_vertices(problem: Problem, y: Tensor) -> Tensor:
    """Return the best vertices (..., d) for outcomes (..., d): those of the relaxation, where it is one."""
    given = given_of(problem)
    if given.exact:
        return problem.decide(y, {})
    assert given.at_most is not None, "see without_vertex"
    return knapsack.relaxed(-sign_of(problem) * y, *given.at_most)  # type: ignore[return-value]


def labelled(batch: SeedBatch) -> Tensor:
    """Return the best vertices (S, n, d) for the training outcomes; solving them is charged to labels."""
    with batch.ledger.phase("label"):
        y = batch.train.y
        batch.ledger.count(y.shape[0] * y.shape[1])
        return best_vertices(batch.problem.in_training, y)


def sum_of(problem: Problem) -> float | None:
    """Return what the shares sum to where a decision is any shares z of items, 0 ≤ z ≤ upper; else None."""
    if without_polytope(problem):
        return None
    given = given_of(problem)
    if given.equal is None or given.at_most is not None:
        return None
    rows, right = given.equal
    return float(right[0]) if len(rows) == 1 and (rows == 1).all() else None


def given_of(problem: Problem) -> contract.Polytope:
    given = problem.polytope()
    assert given is not None, "see without_polytope"
    return given


def _is_knapsack(given: contract.Polytope) -> bool:
    if given.equal is not None or given.at_most is None:
        return False
    return bool((given.at_most[0] >= 0).all() and np.all(given.upper == 1))
