"""What the fitted surrogates share: their banks, and a regression on them."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from lcgln.ensemble.batches import take
from lcgln.ensemble.minimize import minimize
from lcgln.split import split

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


def fit_to_samples(
    network: nn.Module,
    predict: Callable[[Tensor], Tensor],
    samples: Samples,
    rngs: Sequence[np.random.Generator],
    *,
    steps: int,
    learning_rate: float,
    patience: int,
    hold_out: str = "samples",
    held_share: float = 1 / 3,
) -> None:
    """Fit a global surrogate by full-batch Adam; what is held out selects the state.

    Args:
        network: what is trained.
        predict: instance indices (S, m) to regrets in units of the scale, (S, m, K).
        samples: the labelled samples.
        rngs: one stream a seed, for the split.
        steps: at most this many.
        learning_rate: of Adam.
        patience: steps without held-out improvement.
        hold_out: "samples", or "instances" with all their samples; see `lcgln.split`.
        held_share: how much is held out.
    """
    _, n, k = samples.target.shape
    everything = torch.arange(n).expand(len(rngs), n)

    def error_of(part: Tensor) -> Callable[[], Tensor]:
        """Return the error on a part of the samples, (S,), from the regrets of the instances it needs."""
        device = samples.target.device
        instances, chosen = (part[:, ::k] // k, None) if hold_out == "instances" else (everything, part)
        instances, chosen = instances.to(device), None if chosen is None else chosen.to(device)
        target = take(take(samples.target, instances).flatten(1), chosen)

        def error() -> Tensor:
            predicted = predict(instances)
            assert predicted.shape[1:] == (instances.shape[1], k), "one number for each sample"
            return (take(predicted.flatten(1), chosen) - target).square().mean(1)

        return error

    fitted, held = map(error_of, split(rngs, n, k, held_share, hold_out))
    minimize(
        network.parameters(),
        lambda step: fitted(),
        torch.no_grad()(held),
        steps=steps,
        learning_rate=learning_rate,
        every=10,
        patience=patience,
    )
    network.requires_grad_(False)
