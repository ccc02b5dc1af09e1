"""What the fitted surrogates share: their banks, and a regression on them by instance."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from lcgln.ensemble.batches import take
from lcgln.ensemble.minimize import minimize

from ..contracts.bank import Sampler
from .seed_batch import SeedBatch


class Samples:
    """The banks of a batch as tensors: differences d = ŷ − y in units of their spread, regrets in theirs."""

    def __init__(self, batch: SeedBatch, sampler: Sampler, samples: int) -> None:
        banks = [task.bank(sampler, samples) for task in batch.tasks]
        tensor = lambda arrays: torch.as_tensor(np.stack(arrays), device=batch.device)  # noqa: E731
        self.y_hat = tensor([bank.y_hat for bank in banks])  # (S, K, n, *targets)
        self.regret = tensor([bank.regret for bank in banks])  # (S, K, n)
        difference = (self.y_hat - batch.train.y.unsqueeze(1)).flatten(3)  # (S, K, n, D)
        self.spread = difference.flatten(1).std(1).clamp_min(1e-12)
        self.difference = (difference / self.spread.view(-1, 1, 1, 1)).transpose(1, 2)  # (S, n, K, D)
        self.scale = self.regret.flatten(1).mean(1).clamp_min(1e-12)
        self.target = (self.regret / self.scale.view(-1, 1, 1)).transpose(1, 2)  # (S, n, K)

    def scaled(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Return (ŷ − y) of some rows (S, n, *targets) in the units of `difference`, (S, n, D)."""
        return (y_hat - y).flatten(2) / self.spread.view(-1, 1, 1)


def fit_by_instance(
    network: nn.Module,
    predict: Callable[[Tensor], Tensor],
    samples: Samples,
    rngs: Sequence[np.random.Generator],
    *,
    steps: int,
    learning_rate: float,
    patience: int,
    held_out: float = 1 / 3,
) -> None:
    """Fit a global surrogate by full-batch Adam; whole instances are held out and select the state.

    Args:
        network: what is trained.
        predict: instance indices (S, n) to regrets in units of the scale, (S, n, K).
        samples: the labelled samples.
        rngs: one stream a seed, for the split.
        steps: at most this many.
        learning_rate: of Adam.
        patience: steps without held-out improvement.
        held_out: share of the instances.
    """
    n = samples.target.shape[1]
    order = torch.as_tensor(np.stack([rng.permutation(n) for rng in rngs]), device=samples.target.device)
    n_held = max(1, round(held_out * n))
    held, fit = order[:, :n_held], order[:, n_held:]
    targets = {id(part): take(samples.target, part) for part in (held, fit)}

    def error(part: Tensor) -> Tensor:
        predicted, target = predict(part), targets[id(part)]
        assert predicted.shape == target.shape, "a broadcast here would average over all pairs of rows"
        return (predicted - target).square().flatten(1).mean(1)

    minimize(
        network.parameters(),
        lambda step: error(fit),
        torch.no_grad()(lambda: error(held)),
        steps=steps,
        learning_rate=learning_rate,
        every=10,
        patience=patience,
    )
    network.requires_grad_(False)
