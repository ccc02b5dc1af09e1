"""What `lcgln-plus` does where the cost is linear in the outcome: label samples, pool their decisions."""

from collections.abc import Sequence

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

    One solve gives both the decision and the regret: a bank, which keeps regrets alone, would be solved twice.
    """

    def __init__(self, batch: SeedBatch, sampler: Sampler, samples: int) -> None:
        self._batch, self._problem = batch, batch.problem.in_training
        train = batch.train
        self._context: Context = {name: values.unsqueeze(1) for name, values in train.context.items()}
        with batch.ledger.phase("label"):
            drawn = np.stack([sampler.draw(task, samples) for task in batch.tasks])
        self.y_hat = train.y.unsqueeze(1)[:, :0]
        self.add(torch.as_tensor(drawn, device=batch.device))

    @torch.no_grad()
    def add(self, y_hat: Tensor, *, admissible: bool = True) -> None:
        """Label predictions (S, k, n, *targets), or numbers that need not be admissible, as 2ŷ − y."""
        problem, y = self._problem, self._batch.train.y.unsqueeze(1)
        with self._batch.ledger.phase("label"):
            if admissible:
                first = not self.y_hat.shape[1]  # labels are never projected
                y_hat = torch.cat([y_hat[:, :first], problem.project(y_hat[:, first:])], 1)
                decisions = problem.decide(y_hat, self._context)
            else:
                decisions = problem.lowest(y_hat, self._context)
            self._batch.ledger.count(y_hat.shape[0] * y_hat.shape[1] * y_hat.shape[2])
            cost = problem.cost(decisions, y, self._context)
        if not self.y_hat.shape[1]:
            self._best_cost = cost[:, :1]
            self.decisions, self.regret = decisions[:, :0], cost[:, :0]
        self.y_hat = torch.cat([self.y_hat, y_hat], 1)
        self.decisions = torch.cat([self.decisions, decisions], 1)
        # Rounding may find a decision better than the best one.
        self.regret = torch.cat([self.regret, (cost - self._best_cost).clamp_min(0.0)], 1)

    def pool(self, shared: int, own: bool) -> Pool:
        """Return the best decisions beside those of all samples.

        Args:
            shared: how many of the decisions that came more than once are compared with every row, at most;
                the most frequent ones.
            own: whether a row is compared with all decisions of its own samples.
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
        """The kind of every decision (S, n, K), the frequent kinds first; those (S, P, ...); which are real."""
        kinds, places = [], []
        for each in self.decisions.cpu().numpy() + 0:  # -0.0 and 0.0 are one decision
            flat = np.ascontiguousarray(each.reshape(each.shape[0] * each.shape[1], -1))
            rows = flat.view(np.dtype((np.void, flat.itemsize * flat.shape[1]))).reshape(-1)
            _, first, kind, counts = np.unique(rows, return_index=True, return_inverse=True, return_counts=True)
            order = np.lexsort((first, -counts))
            kinds.append(np.argsort(order)[kind].reshape(each.shape[:2]).T)
            places.append(first[order[: min(limit, int((counts > 1).sum()))]])
        size = max(map(len, places))
        real = np.stack([np.arange(size) < len(place) for place in places])
        flat = self.decisions.flatten(1, 2)
        frequent = [d[np.pad(place, (0, size - len(place)))] for d, place in zip(flat, places, strict=True)]
        tensor = lambda array: torch.from_numpy(array).to(self.decisions.device)  # noqa: E731
        return tensor(np.stack(kinds)), torch.stack(frequent), tensor(real)


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
        if not self._weight:
            return own
        return own + self._prediction.gradient(y_hat, rows, self._weight * weight)
