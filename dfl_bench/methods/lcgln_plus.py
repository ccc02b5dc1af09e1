"""LCGLN improved: where the predictor starts, where samples are drawn, what is minimised."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from lcgln.decisions import DecisionLoss, DecisionLossConfig, fit_decision_loss
from lcgln.ensemble.minimize import Fit
from lcgln.surrogate import Surrogate, SurrogateConfig

from .. import methods
from ..contracts.checks import require_between, require_counts, require_positive
from ..contracts.method import Predictor
from ..contracts.search_space import Range
from ..contracts.task import Task
from ..errors import NotApplicableError
from ..training.prediction_loss import PredictionLoss
from ..training.samplers import sampler_of
from ..training.seed_batch import Minibatch, SeedBatch, keep_finite
from ..training.surrogates import Samples
from ._lcgln_bent import BentTraining
from ._lcgln_decisions import Labelled, TrainingLoss
from .lcgln import LCGLN, LCGLNConfig


@dataclass(frozen=True, slots=True, kw_only=True)
class LCGLNPlusConfig(LCGLNConfig):
    """Every part can be switched off; K counts all samples, those drawn on the way included."""

    checkpoints: str = "log"
    hidden: tuple[int, ...] = (8,)  # of the form "paper", and of what weighs decisions by their regret
    surrogate_rate: float = 1e-2
    surrogate_steps: int = 1000  # a round
    start: bool = True  # from the predictor that the prediction error alone has trained
    start_rate: float | None = None  # None: what the problem's network says
    form: str = "authors"
    anchored: bool = True
    shared: bool = False  # one loss for all rows of an instance that the predictor is shared over
    rounds: int = 4  # of samples around the predictor, a new fit of the loss, and training on it
    on_policy: float = 0.5  # share of the samples drawn around the predictor
    noise: float = 0.5  # of those, in standard deviations of the prediction's error
    prediction_weight: float = 0.3  # of the prediction error, beside the learned loss in units of its mean
    # Where the cost is linear in the outcome: a loss over decisions, started at SPO+.
    decisions: bool = True
    fitted: bool = True  # to the regrets of samples; else it stays SPO+ on the pool
    fit_steps: int = 100  # a round
    pieces: int = 1  # lines of which a decision counts the highest
    temperature: float = 0.05
    pool_shared: int = 1000  # the most frequent decisions that every row is compared with, at most
    pool_own: bool = True  # whether a row is compared with the decisions of its own samples
    fade: bool = True  # whether the prediction error's weight falls to zero by the last round
    reach: float = 0.5  # share of the samples around the predictor that are solved at 2ŷ − y, as SPO+ does
    # Where decisions also move with the prediction: SPO+ with the curvature it has where it was solved last.
    bent: bool = False
    solve_every: int = 50  # steps between two solves, as long as samples are left

    def __post_init__(self) -> None:
        LCGLNConfig.__post_init__(self)
        require_counts(self, "fit_steps", "pieces", "solve_every")
        require_counts(self, "pool_shared", least=0)
        require_between(self, 0.0, 1.0, "on_policy", "reach")
        require_between(self, 0.0, 1e6, "prediction_weight")
        require_positive(self, "temperature")


@methods.register("lcgln-plus", version=2, family="learned loss")
class LCGLNPlus(LCGLN):
    """LCGLN that starts from a trained predictor, samples around it, and keeps the prediction loss."""

    Config = LCGLNPlusConfig
    paper = {
        "budget": {"rounds": 2, "prediction_weight": 1.0, "trajectories": 4},
        "portfolio-synthetic": {"bent": True, "learning_rate": 3e-4, "prediction_weight": 0.0},
    }
    search = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "start_rate": Range(1e-4, 1e-1),
        "prediction_weight": Range(1e-2, 1e2),
        "noise": Range(1e-1, 3.0),
    }

    def fit_batch(self, tasks: Sequence[Task], rngs: Sequence[np.random.Generator]) -> list[Predictor]:
        """Predict first; then in rounds sample, fit the loss and train on it."""
        config, batch = self.config, SeedBatch(tasks)
        network = batch.new_network()
        if config.start:
            first = dataclasses.replace(config, learning_rate=config.start_rate)
            batch.fit(network, PredictionLoss(batch), first)
        if config.bent:
            return batch.predictors(network, self._bending(batch, network))
        if config.decisions and batch.problem.offers("embed"):
            return batch.predictors(network, self._over_decisions(batch, network, rngs))
        samples = self.sample(batch)
        y_hat, regret = samples.y_hat, samples.regret
        for around in self._shares():
            if around:
                drawn, labels = self._around(batch, network, around, rngs)
                y_hat, regret = torch.cat([y_hat, drawn], 1), torch.cat([regret, labels], 1)
            surrogate = self.fit_loss(batch, y_hat, regret, rngs)
            fit = batch.fit(network, self._loss(batch, surrogate), config)
        return batch.predictors(network, fit)

    def _bending(self, batch: SeedBatch, network: nn.Module) -> Fit:
        """Train on SPO+ as it was at the last solve, bent as it was there."""
        missing = [part for part in ("embed", "decision_layer") if not batch.problem.offers(part)]
        if missing:
            raise NotApplicableError(f"{batch.problem.name} has no {missing[0]}, which bent=true needs.")
        config = self.config
        loss = BentTraining(batch, network, config.samples - 1, config.solve_every, config.prediction_weight)
        return batch.fit(network, loss, config, before=loss.before)

    def _over_decisions(
        self, batch: SeedBatch, network: nn.Module, rngs: Sequence[np.random.Generator]
    ) -> Fit:
        """Train on a loss over a pool of decisions, which grows by those around the predictor."""
        config, shares, loss = self.config, self._shares(), None
        labelled = Labelled(batch, sampler_of(config), config.samples - sum(shares))
        for number, around in enumerate(shares):
            beyond = round(config.reach * around)
            if around > beyond:
                labelled.add(self._near(batch, network, around - beyond, rngs))
            if beyond:
                labelled.add_beyond(self._near(batch, network, beyond, rngs))
            with batch.ledger.phase("surrogate"):
                loss = self._fit_to_decisions(labelled, rngs, loss)
                frozen = loss.frozen()
            left = 1.0 - number / (config.rounds - 1) if config.fade and config.rounds > 1 else 1.0
            weight = left * config.prediction_weight
            fit = batch.fit(network, TrainingLoss(batch, frozen, loss.scale, weight), config)
        return fit

    def _fit_to_decisions(
        self, labelled: Labelled, rngs: Sequence[np.random.Generator], earlier: DecisionLoss | None
    ) -> DecisionLoss:
        config = self.config
        return fit_decision_loss(
            labelled.pool(config.pool_shared, config.pool_own),
            labelled.y_hat.transpose(1, 2).flatten(3),
            labelled.regret.transpose(1, 2),
            rngs=rngs,
            config=DecisionLossConfig(
                pieces=config.pieces,
                hidden=config.hidden,
                temperature=config.temperature,
                learning_rate=config.surrogate_rate,
                steps=config.fit_steps if config.fitted else 0,
            ),
            earlier=earlier,
        )

    def sample(self, batch: SeedBatch) -> Samples:
        """Return the bank, smaller by the samples that are drawn on the way."""
        left = self.config.samples - sum(self._shares())
        return LCGLN(dataclasses.replace(self.config, samples=left)).sample(batch)

    def _shares(self) -> list[int]:
        """How many samples around the predictor each round draws; the bank keeps two or more."""
        config = self.config
        total = min(round(config.on_policy * config.samples), config.samples - 2)
        return [total // config.rounds + (i < total % config.rounds) for i in range(config.rounds)]

    def _around(
        self, batch: SeedBatch, network: nn.Module, samples: int, rngs: Sequence[np.random.Generator]
    ) -> tuple[Tensor, Tensor]:
        """Return predictions near those of the network and their regrets."""
        problem, train = batch.problem.in_training, batch.train
        y_hat = self._near(batch, network, samples, rngs)
        with batch.ledger.phase("label"):
            context = {name: values.unsqueeze(1) for name, values in train.context.items()}
            regret = problem.regret(y_hat, train.y.unsqueeze(1), context)
            batch.ledger.count(regret.numel())
        return y_hat, regret

    def _near(
        self, batch: SeedBatch, network: nn.Module, samples: int, rngs: Sequence[np.random.Generator]
    ) -> Tensor:
        """Return admissible predictions near those of the network, the first its own."""
        train = batch.train
        with torch.no_grad():
            center, _ = keep_finite(network(train.x), train.y)
        spread = self.config.noise * (center - train.y).flatten(1).std(1)
        steps = np.stack([rng.standard_normal((samples, *center.shape[1:])) for rng in rngs])
        steps[:, 0] = 0.0
        noise = torch.as_tensor(steps, device=center.device) * spread.view(-1, *[1] * center.ndim)
        return batch.problem.in_training.project(center.unsqueeze(1) + noise)

    def surrogate_config(self, batch: SeedBatch) -> SurrogateConfig:
        """Return LCGLN's, shared over what the predictor is shared over or not."""
        shared_dims = len(batch.train.x.shape[2:-1]) if self.config.shared else 0
        return dataclasses.replace(super().surrogate_config(batch), shared_dims=shared_dims)

    def _loss(self, batch: SeedBatch, surrogate: Surrogate) -> Callable[[Tensor, Minibatch], Tensor]:
        weight, unit = self.config.prediction_weight, surrogate.scale.unsqueeze(-1)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            value = surrogate(y_hat, rows.y) / unit
            return value + weight * batch.prediction_loss(y_hat, rows.y) if weight else value

        return loss
