"""The shared part of every trained method: one predictor, one loop, seeds as a batch dimension.

Small networks are dominated by the overhead of a step, so the seeds of one configuration train as one batched
model. All tensors are (S, n, ...) with S seeds; a single seed is S = 1. Seeds never influence each other.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from kernels.deferred import deferred
from lcgln.ensemble.batches import batches, take
from lcgln.ensemble.minimize import Fit, minimize

from ..contracts.method import Predictor
from ..contracts.problem import Problem
from ..contracts.split import Split, stack
from ..contracts.task import Task
from .config import TrainingConfig
from .malloc import keep_freed_memory
from .minibatch import Minibatch, Taken
from .own_network import OwnNetwork
from .predictor import PredictorNetwork, TrainedPredictor
from .step import Loss, objective
from .units import Units


class SeedBatch:
    """The tasks of one configuration, stacked along a leading seed dimension."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        keep_freed_memory()
        self.tasks = list(tasks)
        first = self.tasks[0]
        self.problem: Problem = first.problem
        self.device, self.ledger = first.device, first.ledger
        self.train = stack([task.train for task in tasks]).to(self.device)
        self.val = stack([task.val for task in tasks]).to(self.device)
        self.units: Units | None = None
        if self.problem.network.standardize:
            self.units = Units.of(self.train.x)
            self.train, self.val = (
                Split(self.units.standard(s.x), s.y, s.context) for s in (self.train, self.val)
            )
        scales = [self.problem.label_scale(task.train) for task in tasks]
        self.scale = torch.tensor(scales, dtype=torch.float64, device=self.device)

    def __len__(self) -> int:
        return len(self.tasks)

    def rngs(self, purpose: str) -> list[np.random.Generator]:
        """Return the shared stream of a purpose for every seed."""
        return [task.rng(purpose) for task in self.tasks]

    def new_network(self, purpose: str = "predictor") -> nn.Module:
        """Return an untrained predictor; the same for every method of these seeds."""
        start = self.train.y.mean(1) if self.problem.network.standardize else None  # (S, *targets)
        if self.problem.predictor is not None:
            return OwnNetwork(self.problem.predictor, self.train, self.scale, start, self.rngs(purpose))
        n_features = self.train.x.shape[-1]
        network = PredictorNetwork(self.problem.network, n_features, self.scale, self.rngs(purpose))
        if start is not None:
            network.begin_at(start)
        return network.to(self.device)

    def prediction_loss(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Return the problem's prediction error per instance, (S, n)."""
        return self.problem.prediction_loss(y_hat, y, self.scale_like(y))

    def scale_like(self, y: Tensor) -> Tensor:
        """Return the label scale of every seed, with as many axes as y."""
        return self.scale.view(-1, *[1] * (y.ndim - 1))

    def rows(self, index: Tensor | None) -> Minibatch:
        """Return training rows by index (S, n)."""
        train = self.train
        context = train.context if index is None else Taken(train.context, index)
        return Minibatch(take(train.x, index), take(train.y, index), context, index)

    def asked(self, rows: Minibatch, cycle: int | None) -> Minibatch:
        """Return the training rows whose learned losses judge some rows: they themselves.

        Published code numbers rows within a batch that it does not shuffle, and takes the number for that of
        an instance. So row r is judged by the loss, and by the outcome, of instance r mod `cycle`.

        Args:
            rows: the rows of a step.
            cycle: how many instances judge all rows; None for no mistake.
        """
        if cycle is None:
            return rows
        n = rows.y.shape[1]
        index = torch.arange(n, device=self.device).expand(len(self), n) if rows.index is None else rows.index
        return self.rows(index % cycle)

    def batch_size(self, config: TrainingConfig) -> int | None:
        """Return the instances a step: the method's wish, or the problem's default."""
        return self.problem.network.batch if config.batch is None else config.batch

    @torch.no_grad()
    def validation_regret(self, network: nn.Module) -> Tensor:
        """Return the mean regret on the validation rows, (S,); infinite for a seed that diverged."""
        y_hat, finite = keep_finite(network(self.val.x), self.val.y)
        regret = self.problem.in_training.regret(y_hat, self.val.y, self.val.context)
        self.ledger.count(regret.numel())
        return torch.where(finite, regret.mean(-1), torch.inf)

    def fit(
        self,
        network: nn.Module,
        loss: Loss,
        config: TrainingConfig,
        *,
        steps: int | None = None,
        before: Callable[[int], None] | None = None,
    ) -> Fit:
        """Train a predictor on a loss (y_hat, rows) -> (S, n), keeping each seed's best validated state.

        `before` is called with the step number ahead of each step, for losses that are refreshed on the way.

        Args:
            network: the predictor of all seeds, trained in place.
            loss: takes predictions (S, n, *targets) and their rows; returns (S, n).
            config: how the predictor is trained.
            steps: how many steps; None for those of config, or of the problem.
            before: called with the step number before each step; None for nothing.
        """
        pick = batches(
            self.rngs("batches"),
            self.train.y.shape[1],
            self.batch_size(config),
            self.device,
            passes=self.problem.network.passes,
        )
        everything = self.rows(None)

        def rows_at(step: int) -> Minibatch:
            if before is not None:
                before(step)
            index = pick(step)
            return everything if index is None else self.rows(index)

        def observe(value: Tensor) -> None:
            self.ledger.observe(value.tolist())

        with self.ledger.phase("train"), deferred() as checks:

            def validate() -> Tensor:
                regret = self.validation_regret(network)
                checks.settle()  # what the steps since the last validation did not stop to ask
                return regret

            return minimize(
                network.parameters(),
                objective(network, loss, rows_at),
                validate,
                steps=steps or config.steps or self.problem.network.steps,  # a count is never zero
                learning_rate=config.learning_rate or self.problem.network.learning_rate,
                every=config.validate_every,
                patience=config.patience,
                weight_decay=config.weight_decay,
                observe=observe,
                keep=config.select,
            )

    def predictors(self, network: nn.Module, fit: Fit) -> list[Predictor]:
        """Split a trained batch into one predictor a seed; that of a diverged seed raises when asked."""
        return [
            TrainedPredictor(
                network,
                i,
                bool(fit.diverged[i]),
                self.device,
                None if self.units is None else self.units.of_member(i),
            )
            for i in range(len(self))
        ]


def keep_finite(y_hat: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    """Return predictions a kernel admits, and which seeds (S,) they are of: a diverged one gets outcomes.

    So one lost seed does not stop the solver for the others; it is found out at the next validation.
    """
    finite = torch.isfinite(y_hat).flatten(1).all(1)
    return torch.where(finite.view(-1, *[1] * (y_hat.ndim - 1)), y_hat, y), finite
