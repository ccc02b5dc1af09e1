"""Budget: the best subset of websites against gradient steps on its relaxation."""

import torch

from kernels import budget

from .. import inputs
from ..race import Contestant, Effort, Line, race
from ..references import budget as references


def lines(effort: Effort) -> list[Line]:
    """Return one contest."""
    rates = inputs.click_rates(effort.rows(10_000))
    ctr = torch.from_numpy(rates)
    best = references.subset_by_enumeration(rates, 2)

    def error(z: torch.Tensor) -> float:
        value = references.clicks(z, ctr[: len(z)]).numpy()
        return float(((best[: len(z)] - value) / best[: len(z)]).max())

    return race(
        "budget: W=5, B=2, U=10",
        "instance",
        "share of the clicks lost",
        [
            Contestant(
                name="ours, exact", run=lambda: budget.best_subset(ctr, 2), units=len(ctr), error=error
            ),
            Contestant(
                name="torch, 100 projected steps",
                run=lambda: torch.stack([references.relax_by_torch(row, 2) for row in ctr[:3]]),
                units=3,
                error=error,
                at_least=50_000,
            ),
            Contestant(
                name=f"the same, {len(ctr):,} at a time",
                run=lambda: references.relax_by_torch(ctr, 2),
                units=len(ctr),
                error=error,
            ),
            Contestant(
                name="ours, the same steps in Numba",
                run=lambda: budget.relax(ctr[:1000], 2),
                units=len(ctr[:1000]),
                error=error,
            ),
        ],
        effort.fewer,
    )
