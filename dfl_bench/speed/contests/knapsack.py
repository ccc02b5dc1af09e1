"""Knapsacks against HiGHS: two dimensions by branch and bound, one by dynamic programming."""

from kernels import knapsack

from .. import inputs
from ..race import Contestant, Effort, Line, race
from ..references import knapsack as references

FEW = 20  # rows that HiGHS solves


def lines(effort: Effort) -> list[Line]:
    """Return a contest for each of the two methods."""
    rows = effort.rows(2_000)
    return [
        *_contest("knapsack: 32 items × 2, branch and bound", inputs.polynomial(rows), 50, effort),
        *_contest("knapsack: 48 items, capacity 120, dynamic", inputs.electricity(rows), 1_000, effort),
    ]


def _contest(title: str, instance: inputs.Knapsacks, at_least: float, effort: Effort) -> list[Line]:
    values, weights, capacity = instance
    few = values[:FEW]
    best = references.values_by_milp(few, weights, capacity, gap=0.0)
    entries = [
        Contestant(
            name="ours, exact",
            run=lambda: knapsack.best_items(values, weights, capacity),
            units=len(values),
            error=lambda items: float((1 - (items * values).sum(-1)[:FEW] / best).max()),
        ),
        Contestant(
            name="SciPy's milp (HiGHS)",
            run=lambda: references.values_by_milp(few, weights, capacity),
            units=len(few),
            error=lambda reached: float((1 - reached / best).max()),
            at_least=at_least,
        ),
    ]
    return race(title, "row", "share of the best value lost", entries, effort.fewer)
