"""The score of predictions, and the reasons to refuse one: what cannot be is a failure, not a number."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..contracts.fingerprint import array_digest
from ..contracts.ledger import Ledger
from ..contracts.problem import Problem
from ..contracts.split import Split
from ..errors import DivergedError

if TYPE_CHECKING:
    from .fitted import FittedPredictor

TOLERANCE = 1e-6  # of the mean cost: how far rounding may put a decision below the optimum


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result:
    """The score of one seed, with all it was computed from."""

    regret: np.ndarray  # per instance
    worst_regret: np.ndarray  # of the problem's reference decision, per instance
    predicted_worst_regret: np.ndarray  # of what the prediction calls that decision
    optimal_cost: np.ndarray  # of the best decision, per instance
    predictions: np.ndarray
    decisions: np.ndarray
    ledger: Ledger
    data_digest: str
    predictor: "FittedPredictor | None" = None  # None where none was trained here
    title: str = "predictions"  # what was scored, for people

    def __repr__(self) -> str:
        return (
            f"<result of {self.title}: normalized regret {self.normalized_regret:.4f} on "
            f"{len(self.regret)} test rows, "
            f"{sum(self.ledger.solves.values())} solver calls, {self.seconds:.2f} s>"
        )

    @property
    def normalized_regret(self) -> float:
        """Sum of regrets over sum of worst regrets; the mean of ratios would be another number."""
        return float(self.regret.sum() / self.worst_regret.sum())

    @property
    def seconds(self) -> float:
        """Seconds of all phases; for a batch of seeds, the seed's share."""
        return self.ledger.total_seconds


def score(problem: Problem, split: Split, y_hat: np.ndarray, ledger: Ledger) -> Result:
    """Return the score of predictions for the rows of a split; one that cannot be is an error.

    Args:
        problem: whose decisions and costs.
        split: the rows.
        y_hat: a prediction for each row.
        ledger: what the fit cost.
    """
    _require_predictions(y_hat, split)
    _require_ledger(ledger)
    y, context = split.y, split.context
    admissible = problem.project(y_hat)
    decisions = problem.decide(admissible, context)
    optimum = problem.optimal_cost(y, context)
    result = Result(
        regret=np.asarray(problem.cost(decisions, y, context) - optimum),
        worst_regret=np.asarray(problem.cost(problem.worst(y, context), y, context) - optimum),
        predicted_worst_regret=problem.cost(problem.worst(admissible, context), y, context) - optimum,
        optimal_cost=optimum,
        predictions=y_hat,
        decisions=decisions,
        ledger=ledger,
        data_digest=array_digest(*split.arrays()),
    )
    _require_possible(result, len(split))
    return result


def _require_predictions(y_hat: np.ndarray, split: Split) -> None:
    if y_hat.dtype.kind not in "fiub":
        raise ValueError(f"expected predictions that are real numbers, got dtype {y_hat.dtype}.")
    if y_hat.shape != split.y.shape:
        # Fewer rows would be broadcast over all outcomes and look like a score.
        raise ValueError(f"expected predictions of shape {split.y.shape}, got {y_hat.shape}.")
    if not np.isfinite(y_hat).all():
        bad = int((~np.isfinite(y_hat)).sum())
        raise DivergedError(f"{bad} of {y_hat.size} predictions are not finite.")


def _require_ledger(ledger: Ledger) -> None:
    charged = [*ledger.seconds.items(), *ledger.solves.items()]
    charged += [("curve", seconds) for seconds, _ in ledger.curve]
    for phase, amount in charged:
        if not np.isfinite(amount) or amount < 0:
            raise ValueError(f"expected numbers of at least 0 in the ledger, got {amount} for {phase}.")


def _require_possible(result: Result, rows: int) -> None:
    for label, regret in (("regret", result.regret), ("reference regret", result.worst_regret)):
        if regret.shape != (rows,):
            raise ValueError(f"expected one {label} for each of {rows} test rows, got shape {regret.shape}.")
        if not np.isfinite(regret).all():
            bad = np.flatnonzero(~np.isfinite(regret))
            raise ValueError(
                f"{len(bad)} of {rows} test rows have a {label} that is not finite (first: row {bad[0]}); "
                "see `cost` and `decide` of the problem."
            )
    scale = float(np.mean(np.abs(result.optimal_cost) + np.abs(result.worst_regret)))
    for label, regret in (("decision", result.regret), ("reference decision", result.worst_regret)):
        if regret.min() < -TOLERANCE * scale:
            raise ValueError(
                f"the {label} of row {int(regret.argmin())} costs {-float(regret.min()):.6g} less than the "
                "optimal one: solver and scorer disagree; see `decide` and `cost` of the problem."
            )
    if not result.worst_regret.sum() > 0:
        raise ValueError(
            "expected a sum of reference regrets above 0, which scores are divided by, got "
            f"{float(result.worst_regret.sum()):g}; see `worst` of the problem."
        )
    for label, values in (("predicted", result.predicted_worst_regret), ("optimal", result.optimal_cost)):
        if not np.isfinite(values).all():
            raise ValueError(
                f"the {label} costs of some test rows are not finite; see `cost` of the problem."
            )
