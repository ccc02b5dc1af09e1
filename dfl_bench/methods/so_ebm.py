"""SO-EBM: make the decision that is best under the outcome likely under an energy of the prediction."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from .. import methods
from ..contracts.checks import require_between, require_counts, require_positive
from ..contracts.method import Predictor, SeedBatched
from ..contracts.problem import Problem
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import TrainingConfig
from ..training.prediction_loss import PredictionLoss
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ..training.solutions import Solutions
from ._energy import energies, energy_loss, mixture_noise, propose

BLOCK = 16  # steps whose noise is drawn at once: one copy to the device serves them all


@dataclass(frozen=True, slots=True, kw_only=True)
class SOEBMConfig(TrainingConfig):
    """The published settings; `steps` and `start_rate` are of the prediction error that it starts from."""

    learning_rate: float = 1e-4
    start_rate: float | None = None  # None: what the problem's network says
    epochs: int = 10
    proposals: int = 128
    kl_weight: float = 0.01
    temperature: float = 1.0  # in standard deviations of the costs of one instance's proposals

    def __post_init__(self) -> None:
        TrainingConfig.__post_init__(self)
        require_counts(self, "epochs")
        require_counts(self, "proposals", least=8)
        require_between(self, 0.0, 1e6, "kl_weight")
        require_positive(self, "temperature")


@methods.register("so-ebm", version=1, family="learned loss")
class SOEBM(SeedBatched):
    """SO-EBM (Kong et al. 2022): a distribution of decisions whose energy is their cost by the prediction."""

    Config = SOEBMConfig
    search = {
        "learning_rate": Range(1e-5, 1e-2),
        "start_rate": Range(1e-4, 1e-1),
        "epochs": Choice((10, 30, 100)),
        "kl_weight": Range(1e-3, 10.0),
        "temperature": Range(0.1, 10.0),
    }

    @classmethod
    def not_applicable(cls, problem: Problem) -> str | None:
        """Refuse a problem without an exact projection onto its relaxed decisions."""
        if not problem.offers("nearest_decision"):
            return f"{problem.name} has no exact projection onto its decisions"
        return None

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Predict first; then raise the likelihood of the best decisions."""
        config, batch = self.config, SeedBatch(tasks)
        network = batch.new_network()
        start = replace(config, learning_rate=config.start_rate)
        batch.fit(network, PredictionLoss(batch), start)
        n = batch.train.y.shape[1]
        steps = config.epochs * -(-n // (batch.batch_size(config) or n))
        fit = batch.fit(network, _EnergyLoss(batch, config, rngs), config, steps=steps)
        return batch.predictors(network, fit)


class _EnergyLoss:
    """The loss of a batch of seeds: proposals around the best decisions, and what they cost."""

    def __init__(self, batch: SeedBatch, config: SOEBMConfig, rngs: Sequence[np.random.Generator]) -> None:
        self.problem, self.config, self.rngs = batch.problem.in_training, config, rngs
        self.solutions, self.block = Solutions(batch), list[Tensor]()
        values = self.solutions.decisions.flatten(1)
        spread = values.amax(1) - values.amin(1)
        self.range = torch.where(spread > 0.0, spread, 1.0)
        rows = batch.rows(None)
        z, _ = self._propose(rows, 1)
        deviation = energies(self.problem, z, rows.y, rows.context).var(-1).mean(1).sqrt()
        self.unit = (config.temperature * deviation.clamp_min(1e-12)).view(-1, 1, 1)

    def __call__(self, y_hat: Tensor, rows: Minibatch) -> Tensor:
        """Return the loss of predictions, (S, n)."""
        y_hat, _ = keep_finite(y_hat, rows.y)
        best = self.solutions.decisions_of(rows)
        z, log_weights = self._propose(rows)
        of_best, predicted, true = (
            energies(self.problem, decisions, y, rows.context) / self.unit
            for decisions, y in ((best.unsqueeze(2), y_hat), (z, y_hat), (z, rows.y))
        )
        return energy_loss(of_best.squeeze(2), predicted, true, log_weights, self.config.kl_weight)

    def _propose(self, rows: Minibatch, steps: int = BLOCK) -> tuple[Tensor, Tensor]:
        best = self.solutions.decisions_of(rows)
        if not self.block:
            shape = (steps, best.shape[1], self.config.proposals, *best.shape[2:])
            self.block = list(mixture_noise(self.rngs, shape).to(best.device).unbind(1))
        return propose(self.problem, best, self.block.pop(), self.range)
