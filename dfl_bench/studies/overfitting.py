"""Losses over decisions overfit on `inventory`: what helps of weight decay, an ensemble, the likelihood?

Run as ``python -m dfl_bench.studies.overfitting``. Prints normalized regret on tuning seeds and the paired
difference to `pfl`.
"""

import argparse
import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lcgln.decisions import DecisionLoss, FrozenLoss

from .. import methods
from ..contracts.seeding import FIRST_TUNING_SEED
from ..experiment.protocols import configure
from ..methods._lcgln_decisions import Labelled
from ..methods.lcgln_plus import LCGLNPlus
from ..problems import make_problem
from ..run.evaluate import evaluate_batch
from .decisions_as_features import scores, with_error

MEMBERS = 5
ALONE = {"start": False, "prediction_weight": 0.0}  # nothing of the prediction error
CASES: Sequence[tuple[str, bool, Mapping[str, Any]]] = (
    ("defaults", False, {}),
    ("the loss alone", False, ALONE),
    ("the loss alone, not fitted", False, {**ALONE, "fitted": False}),
    ("the loss alone, weight decay 0.001", False, {**ALONE, "weight_decay": 1e-3}),
    ("the loss alone, weight decay 0.01", False, {**ALONE, "weight_decay": 1e-2}),
    ("the loss alone, weight decay 0.1", False, {**ALONE, "weight_decay": 1e-1}),
    (f"the mean of {MEMBERS} losses alone", True, ALONE),
    ("beside the likelihood, weight 0.3", False, {"start": False, "fade": False}),
    ("beside the likelihood, weight 3", False, {"start": False, "fade": False, "prediction_weight": 3.0}),
    ("beside the likelihood, weight 30", False, {"start": False, "fade": False, "prediction_weight": 30.0}),
    ("from the trained start, no likelihood after it", False, {"prediction_weight": 0.0}),
    (f"the mean of {MEMBERS} losses, from the trained start", True, {"prediction_weight": 0.0}),
)


class MeanLoss:
    """The mean of several losses, each fitted to half of the samples with the decisions of that half."""

    def __init__(self, members: Sequence[DecisionLoss]) -> None:
        self.members = members
        self.scale = torch.stack([member.scale for member in members]).mean(0)

    def frozen(self) -> "FrozenMean":
        """Return it as it stands, for training a predictor."""
        return FrozenMean([member.frozen() for member in self.members])


class FrozenMean:
    """The mean of losses whose slopes and heights are known."""

    def __init__(self, members: Sequence[FrozenLoss]) -> None:
        self._members = members

    def __call__(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return the loss of one prediction for each row, (S, m, D) -> (S, m)."""
        return torch.stack([member(y_hat, rows) for member in self._members]).mean(0)

    def gradient(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return the gradient in the prediction, (S, m, D)."""
        return torch.stack([member.gradient(y_hat, rows) for member in self._members]).mean(0)


class Bagged(LCGLNPlus):
    """`lcgln-plus` with a mean of losses in place of one; it fits them anew in every round."""

    def _fit_to_decisions(  # type: ignore[override]
        self, labelled: Labelled, rngs: Sequence[np.random.Generator], earlier: MeanLoss | None
    ) -> MeanLoss:
        fitted = []
        for _ in range(MEMBERS):
            some = half_of(labelled, rngs[0])
            fitted.append(super()._fit_to_decisions(some, rngs, None))
        return MeanLoss(fitted)


def half_of(labelled: Labelled, rng: np.random.Generator) -> Labelled:
    """Return half of the samples, the truth among them.

    Args:
        labelled: samples with their decisions, the truth first.
        rng: draws which.
    """
    samples = labelled.regret.shape[1]
    drawn = 1 + rng.permutation(samples - 1)[: (samples - 1) // 2]
    which = torch.as_tensor(np.sort(np.append(drawn, 0)), device=labelled.regret.device)
    some = copy.copy(labelled)
    some.y_hat, some.decisions, some.regret = (
        values[:, which] for values in (labelled.y_hat, labelled.decisions, labelled.regret)
    )
    return some


def main() -> None:
    """Print one row for each case."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--seeds", type=int, default=8)
    seeds = range(FIRST_TUNING_SEED, FIRST_TUNING_SEED + parser.parse_args().seeds)
    problem = make_problem("inventory")
    pfl = scores(problem, "pfl", {}, seeds)
    print("| `inventory` | normalized regret | difference to `pfl` |\n|---|---|---|")
    print(f"| pfl | {with_error(pfl)} | |", flush=True)
    for rival in ("spo-plus", "dfl"):
        values = scores(problem, rival, {}, seeds)
        print(f"| {rival} | {with_error(values)} | {with_error(values - pfl)} |", flush=True)
    for name, bagged, settings in CASES:
        cls = Bagged if bagged else methods.get("lcgln-plus")
        results = evaluate_batch(cls(configure(cls, problem, "paper", settings)), problem, seeds)
        values = np.array([getattr(result, "normalized_regret", np.nan) for result in results])
        print(f"| lcgln-plus: {name} | {with_error(values)} | {with_error(values - pfl)} |", flush=True)


if __name__ == "__main__":
    main()
