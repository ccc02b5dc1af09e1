"""Algorithm 1 of the paper as one call: sample, fit the loss, train the predictor on it."""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from .ensemble.batches import batches, take
from .ensemble.minimize import minimize
from .ensemble.threads import one_thread
from .fit import fit_surrogate
from .sampling import model_based
from .surrogate import Surrogate, SurrogateConfig

SAMPLING_RATES = (0.01, 0.05, 0.1, 0.5, 1.0)  # the paper's grid


class Rows(Protocol):
    """Features x (n, ...) and outcomes y (n, *targets) as tensors; the caller may add fields."""

    x: Tensor
    y: Tensor


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """How Algorithm 1 runs. Defaults are the paper's; where it is silent (steps, every, patience), ours."""

    samples: int = 32
    sampling_rates: tuple[float, ...] = SAMPLING_RATES  # the best on validation regret is kept
    checkpoints: str = "every"
    surrogate: SurrogateConfig = field(default_factory=SurrogateConfig)
    steps: int = 2000
    learning_rate: float = 1e-3
    batch: int | None = None
    every: int = 50
    patience: int = 500


@dataclass(frozen=True, slots=True)
class Trained:
    """The predictor of the best sampling rate, the loss that trained it, and its validation regret."""

    predictor: nn.Module
    surrogate: Surrogate
    sampling_rate: float
    validation_regret: float


def train(
    predictor: nn.Module,
    train: Rows,
    val: Rows,
    *,
    regret: Callable[[Tensor, Any], Tensor],
    config: Config | None = None,
    rng: np.random.Generator | None = None,
) -> Trained:
    """Train a predictor for its decisions. Of the decision problem only `regret` is known.

    Torch runs in one thread until this returns: the networks are small, and more threads are slower.

    Args:
        predictor: maps x to predictions shaped like y. It is not changed; a trained copy is returned.
        train: rows to sample and train on.
        val: rows whose regret selects the predictor's state and the sampling rate.
        regret: called with predictions (n, *targets) or (K, n, *targets) and the `train` or `val` object they
            belong to; returns the regrets, (n,) or (K, n).
        config: sizes, rates and stopping.
        rng: the random stream of the surrogate and of mini-batches; a fixed one by default.
    """
    config = config or Config()
    rng = np.random.default_rng(0) if rng is None else rng
    with one_thread():
        runs = [
            _run(predictor, train, val, regret, config, rate, rng.spawn(1)[0])
            for rate in config.sampling_rates
        ]
    return min(runs, key=lambda run: run.validation_regret)


def _run(
    predictor: nn.Module,
    train: Rows,
    val: Rows,
    regret: Callable[[Tensor, Any], Tensor],
    config: Config,
    sampling_rate: float,
    rng: np.random.Generator,
) -> Trained:
    model = copy.deepcopy(predictor)
    y_hat = model_based(
        [copy.deepcopy(predictor)],
        train.x,
        train.y,
        config.samples,
        learning_rate=sampling_rate,
        checkpoints=config.checkpoints,
    )
    labels = _labels(regret, y_hat, train, (config.samples, len(train.y)))
    surrogate = fit_surrogate(train.y, y_hat, labels, config=config.surrogate, rng=rng)
    pick = batches(rng, len(train.y), config.batch, train.y.device)

    def loss(step: int) -> Tensor:
        rows = pick(step)
        return surrogate(model(take(train.x, rows)), take(train.y, rows)).mean(-1)

    @torch.no_grad()
    def validate() -> Tensor:
        return _labels(regret, model(val.x), val, (len(val.y),)).mean(-1)

    result = minimize(
        model.parameters(),
        loss,
        validate,
        steps=config.steps,
        learning_rate=config.learning_rate,
        every=config.every,
        patience=config.patience,
    )
    return Trained(model, surrogate, sampling_rate, float(result.best))


def _labels(
    regret: Callable[[Tensor, Any], Tensor], y_hat: Tensor, rows: Rows, shape: tuple[int, ...]
) -> Tensor:
    labels = torch.as_tensor(regret(y_hat, rows), dtype=torch.float64, device=rows.y.device)
    if tuple(labels.shape) != shape:
        raise ValueError(f"expected regret to return shape {shape}, got {tuple(labels.shape)}.")
    if torch.isnan(labels).any():
        raise ValueError(
            f"regret returned NaN for {int(torch.isnan(labels).sum())} of {labels.numel()} rows."
        )
    return labels
