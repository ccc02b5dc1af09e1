"""Inventory: order and regret against cvxpy, NumPy and the copying of memory."""

import numpy as np

from kernels import inventory

from .. import inputs
from ..race import Contestant, Effort, Line, race
from ..references import inventory as references


def lines(effort: Effort) -> list[Line]:
    """Return one contest."""
    p, y = inputs.probabilities(effort.rows(100_000))
    costs, demand = inventory.COSTS, np.array(inventory.DEMAND)
    truth = references.regret_by_bisection(p, y, costs, demand)
    scale = truth.mean()
    # Buffers that exist already: fresh pages would make the copy look several times slower.
    copies = [np.empty_like(p), np.empty_like(y), np.empty_like(truth)]

    def copy() -> None:
        for target, source in zip(copies, (p, y, truth), strict=True):
            np.copyto(target, source)

    def error(regret: np.ndarray) -> float:
        return float(abs(regret - truth[: len(regret)]).max() / scale)

    parametrized = references.parametrized_cvxpy(costs, demand)
    return race(
        f"inventory: decide + regret, {len(p):,} rows",
        "row",
        "of the regret, in units of its mean",
        [
            Contestant(name="ours", run=lambda: inventory.regret(p, y), units=len(p), error=error),
            Contestant(
                name="cvxpy, one model per row",
                run=lambda: references.regret_by_cvxpy(p[:5], y[:5], costs, demand),
                units=5,
                error=error,
                at_least=100_000,
            ),
            Contestant(
                name="cvxpy, one parametrized model",
                run=lambda: parametrized(p[:5], y[:5]),
                units=5,
                error=error,
            ),
            Contestant(
                name="vectorised NumPy",
                run=lambda: references.regret_by_numpy(p, y, costs, demand),
                units=len(p),
                error=error,
                at_least=15,
            ),
            Contestant(name="copying inputs and outputs", run=copy, units=len(p), at_most=20),
        ],
        effort.repeats,
    )
