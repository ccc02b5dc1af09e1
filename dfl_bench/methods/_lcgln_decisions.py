"""What `lcgln-plus` does where the cost is linear in the outcome: label samples, pool their decisions."""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from lcgln.decisions import FrozenLoss
from lcgln.pool import Decisions, Pool

from ..contracts.bank import Sampler
from ..contracts.problem import Context
from ..training.minibatch import Minibatch
from ..training.prediction_loss import PredictionLoss
from ..training.seed_batch import SeedBatch


class Labelled:
    """Predictions, the decisions for them and their regrets: (S, K, n, ...), the truth first.

    One solve gives the decision and the regret; a bank keeps regrets alone, and would be solved twice.
    """

    def __init__(self, batch: SeedBatch, sampler: Sampler, samples: int) -> None:
        self._batch, self._problem = batch, batch.problem.in_training
        self._context: Context = {name: v.unsqueeze(1) for name, v in batch.train.context.items()}
        self.y_hat = self._y = batch.train.y.unsqueeze(1)
        with batch.ledger.phase("label"):
            drawn = np.stack([sampler.draw(task, samples)[1:] for task in batch.tasks])  # without the truth
            self.decisions = self._problem.decide(self._y, self._context)
            self._least = self._problem.cost(self.decisions, self._y, self._context)
            self.regret = torch.zeros_like(self._least)
            batch.ledger.count(self.regret.numel())
        self.add(torch.as_tensor(drawn, device=batch.device))

    def add(self, y_hat: Tensor) -> None:
        """Label predictions (S, k, n, *targets)."""
        self._add(self._problem.project(y_hat), self._problem.decide)

    def add_beyond(self, y_hat: Tensor) -> None:
        """Label 2ŷ − y, whose decisions SPO+ compares with, for predictions (S, k, n, *targets)."""
        self._add(2 * y_hat - self._y, self._problem.lowest)

    @torch.no_grad()
    def _add(self, y_hat: Tensor, decide: Callable[[Tensor, Context], Tensor]) -> None:
        with self._batch.ledger.phase("label"):
            decisions = decide(y_hat, self._context)
            # Rounding may find a decision better than the best one.
            regret = (self._problem.cost(decisions, self._y, self._context) - self._least).clamp_min(0.0)
            self._batch.ledger.count(regret.numel())
        self.y_hat = torch.cat([self.y_hat, y_hat], 1)
        self.decisions = torch.cat([self.decisions, decisions], 1)
        self.regret = torch.cat([self.regret, regret], 1)

    def pool(self, shared: int, own: bool) -> Pool:
        """Return the best decisions beside those of all samples.

        Args:
            shared: how many of the decisions that came more than once are compared with every row, at most;
                the most frequent ones.
            own: whether a row is compared with all decisions of its own samples, too; it always is where no
                decision came more than once.
        """
        kinds, frequent, real = self._frequent(shared)
        embedded, known = (v.transpose(1, 2) for v in self._embed(self.decisions, self._context))
        best = Decisions(embedded[:, :, :1], known[:, :, :1], torch.ones_like(known[:, :, :1]).bool())
        same = kinds.unsqueeze(-1) == kinds.unsqueeze(-2)  # (S, n, K, K)
        new = (kinds >= real.sum(1).view(-1, 1, 1)) & ~same.tril(-1).any(-1)
        parts = [self._common(frequent, real)] if real.any() else []
        if (own and bool(new.any())) or not parts:
            parts.append(Decisions(embedded, known, new))
        return Pool(best, parts, self._batch.train.y.flatten(2))

    def _embed(self, decisions: Tensor, context: Context) -> tuple[Tensor, Tensor]:
        embedded = self._problem.embed(decisions, context)
        assert embedded is not None, "asked only where the cost is linear"
        embedded = embedded.flatten(embedded.ndim - self._problem.target_dims).double()
        known = self._problem.known(decisions, context)
        shape = embedded.shape[:-1]
        if not isinstance(known, Tensor):
            return embedded, embedded.new_full(shape, float(known))
        return embedded, known.double()

    def _common(self, decisions: Tensor, real: Tensor) -> Decisions:
        """Decisions (S, P, ...) against the rows of each seed."""
        parts = []
        for seed, each in enumerate(decisions):
            context = {name: values[seed] for name, values in self._batch.train.context.items()}
            embedded, known = self._embed(each.unsqueeze(1), context)  # (P, 1 or n, D), (P, 1 or n)
            parts.append((embedded.transpose(0, 1), known.transpose(0, 1)))
        embedded, known = (torch.stack(values) for values in zip(*parts, strict=True))
        return Decisions(embedded, known, real.unsqueeze(1))

    def _frequent(self, limit: int) -> tuple[Tensor, Tensor, Tensor]:
        """The kind of every decision (S, n, K), frequent ones first; those (S, P, ...); which are real."""
        kinds, places = [], []
        for each in self.decisions.cpu().numpy() + 0:  # -0.0 and 0.0 are one decision
            rows = np.ascontiguousarray(each.reshape(each.shape[0] * each.shape[1], -1))
            content = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).reshape(-1)
            _, first, kind, counts = np.unique(
                content, return_index=True, return_inverse=True, return_counts=True
            )
            order = np.lexsort((first, -counts))
            kinds.append(np.argsort(order)[kind].reshape(each.shape[:2]).T)
            places.append(first[order[: min(limit, int((counts > 1).sum()))]])
        size = max(map(len, places))
        real = np.stack([np.arange(size) < len(place) for place in places])
        padded = [np.pad(place, (0, size - len(place))) for place in places]
        frequent = [d[place] for d, place in zip(self.decisions.flatten(1, 2), padded, strict=True)]
        device = self.decisions.device
        return (
            torch.from_numpy(np.stack(kinds)).to(device),
            torch.stack(frequent),
            torch.from_numpy(real).to(device),
        )


class TrainingLoss:
    """A fitted loss over decisions beside the prediction error, as the shared loop takes it."""

    def __init__(self, batch: SeedBatch, loss: FrozenLoss, unit: Tensor, weight: float) -> None:
        self._loss, self._unit, self._weight = loss, unit.unsqueeze(-1), weight
        self._prediction = PredictionLoss(batch)
        self.gradient = self._gradient if self._prediction.gradient or not weight else None

    def __call__(self, y_hat: Tensor, rows: Minibatch) -> Tensor:
        """Return the loss of each row, (S, n)."""
        value = self._loss(y_hat.flatten(2), rows.index) / self._unit
        return value + self._weight * self._prediction(y_hat, rows) if self._weight else value

    def _gradient(self, y_hat: Tensor, rows: Minibatch, weight: float) -> Tensor:
        own = self._loss.gradient(y_hat.flatten(2), rows.index).mul_(weight / self._unit.unsqueeze(-1))
        own = own.view(y_hat.shape)
        if self._prediction.gradient is None or not self._weight:
            return own
        return own + self._prediction.gradient(y_hat, rows, self._weight * weight)
