"""Locally optimized decision losses (Shah et al. 2022): one small loss for every training instance.

All instances are fitted as one batched tensor program. A family says which parameters its loss has and how it
reads them; the samples, the fit and the training of the predictor are here.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from lcgln.ensemble.batches import take

from ..contracts.checks import require_between, require_counts
from ..contracts.method import Method, Predictor
from ..contracts.search_space import Choice, Range
from ..contracts.task import Task
from ..training.config import SampledConfig
from ..training.instances import fit_each
from ..training.samplers import sampler_of
from ..training.seed_batch import Minibatch, SeedBatch
from ..training.surrogates import Samples


@dataclass(frozen=True, slots=True, kw_only=True)
class LODLConfig(SampledConfig):
    """Two-entry perturbations, and the published fit: full-batch Adam, at most a hundred steps."""

    sampler: str = "perturbed"
    surrogate_rate: float = 1e-2
    surrogate_steps: int = 100
    cycle: int | None = None  # row r is judged by instance r mod cycle, as in published code; None: by itself

    def __post_init__(self) -> None:
        SampledConfig.__post_init__(self)
        require_counts(self, "cycle")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuadraticConfig(LODLConfig):
    """A quadratic has the mean squared error beside it, with a weight."""

    mse_weight: float = 0.0

    def __post_init__(self) -> None:
        LODLConfig.__post_init__(self)
        require_between(self, 0.0, 1e6, "mse_weight")


class LODL(Method):
    """What all families share.

    The instances of one seed are a batch already; with several seeds nothing is won.
    """

    Config = LODLConfig
    paper: ClassVar[Mapping[str, Mapping[str, Any]]] = {"budget": {"surrogate_rate": 0.1}}
    search: ClassVar[Mapping[str, Range | Choice]] = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "width": Range(0.1, 10.0),
        "surrogate_rate": Range(1e-3, 3e-1),
    }
    reads_error: ClassVar[bool] = True  # the loss is given d = ŷ − y; otherwise ŷ itself, in the same units

    @abstractmethod
    def start(self, rng: np.random.Generator, n: int, n_targets: int) -> Tensor:
        """Draw the parameters of n instances before they are fitted, (n, ...).

        Args:
            rng: the stream of the method.
            n: how many instances.
            n_targets: D, entries of an outcome.
        """

    def admit(self, parameters: Tensor) -> Tensor:
        """Return the nearest parameters that the form allows; differentiable."""
        return parameters

    @abstractmethod
    def form(self, parameters: Tensor, d: Tensor) -> Tensor:
        """Return the losses of instances at points d (..., n, k, D), shape (..., n, k)."""

    def at_one_point(self, parameters: Tensor, rows: Tensor | None, d: Tensor) -> Tensor:
        """Return the losses (1, n) of some instances at one point each: what a step of the predictor asks.

        Args:
            parameters: fitted, (1, N, ...), of all instances.
            rows: instances (1, n), or None for all of them.
            d: (1, n, D).
        """
        return self.form(take(parameters, rows), d.unsqueeze(2)).squeeze(2)

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Fit the loss of every instance, then train the predictor on their mean."""
        config, batch = self.config, SeedBatch([task])
        samples = Samples(batch, sampler_of(config), config.samples)
        with batch.ledger.phase("surrogate"):
            points = samples.difference  # (1, n, K, D)
            if not self.reads_error:
                points = points + samples.scaled(batch.train.y, torch.zeros_like(batch.train.y)).unsqueeze(2)
            parameters = self._fit_instances(points[0], samples.target[0], rng).unsqueeze(0)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            judge = batch.asked(rows, config.cycle)
            origin = judge.y if self.reads_error else torch.zeros_like(judge.y)
            return self.at_one_point(parameters, judge.index, samples.scaled(y_hat, origin))

        network = batch.new_network()
        fit = batch.fit(network, loss, config)
        return batch.predictors(network, fit)[0]

    def _fit_instances(self, points: Tensor, target: Tensor, rng: np.random.Generator) -> Tensor:
        n, n_samples, n_targets = points.shape
        # A third of each instance's samples selects the state; below eight there is nothing to split.
        n_held = n_samples // 3 if n_samples >= 8 else 0
        fit = slice(0, n_samples - n_held)
        held = slice(n_samples - n_held, None) if n_held else fit

        def error_on(part: slice) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
            def error(free: Tensor, points: Tensor, target: Tensor) -> Tensor:
                return (self.form(self.admit(free), points[:, part]) - target[:, part]).square().mean(-1)

            return error

        start = self.start(rng, n, n_targets).to(points.device)
        fitted = fit_each(
            start,
            (points, target),
            error_on(fit),
            error_on(held),
            steps=self.config.surrogate_steps,
            learning_rate=self.config.surrogate_rate,
            patience=25,
        )
        return self.admit(fitted)


def by_kernel(kernel: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]], points: Tensor) -> Tensor:
    """Return what a kernel says of points (1, n, D), shape (1, n); it gives values (n,) and slopes (n, D)."""
    value: Tensor = _ByKernel.apply(points, kernel)
    return value


class _ByKernel(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, points: Tensor, kernel: Callable[..., tuple[np.ndarray, np.ndarray]]) -> Tensor:
        value, slope = kernel(points[0].detach().numpy())
        ctx.save_for_backward(torch.from_numpy(slope)[None])
        return torch.from_numpy(value)[None]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, weight: Tensor) -> tuple[Tensor, None]:
        (slope,) = ctx.saved_tensors
        return weight.unsqueeze(-1) * slope, None
