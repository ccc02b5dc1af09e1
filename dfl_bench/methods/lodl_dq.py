"""LODL-DQ: one directed quadratic for every training instance, all fitted as one batched tensor program."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from kernels.directed import directed_quadratics
from lcgln.ensemble.batches import take
from lcgln.ensemble.layers import uniform
from lcgln.ensemble.minimize import minimize

from .. import methods
from ..contracts.method import Method, Predictor
from ..contracts.search_space import Range
from ..contracts.task import Task
from ..training.config import SampledConfig
from ..training.samplers import sampler_of
from ..training.seed_batch import Minibatch, SeedBatch
from ..training.surrogates import Samples


@dataclass(frozen=True, slots=True, kw_only=True)
class LODLConfig(SampledConfig):
    """Two-entry perturbations, and the published fit: full-batch Adam, at most a hundred steps."""

    sampler: str = "perturbed"
    surrogate_rate: float = 1e-2
    surrogate_steps: int = 100
    mse_weight: float = 1e-3


@methods.register("lodl-dq", version=2, family="learned loss")
class LODLDQ(Method):
    """Locally optimized decision losses, directed quadratic: one loss per instance (Shah et al. 2022).

    Its instances are a batch already; with several seeds their factors outgrow the cache and nothing is won.
    """

    Config = LODLConfig
    paper = {"budget": {"surrogate_rate": 0.1}}
    search = {
        "learning_rate": Range(1e-4, 1e-1),
        "weight_decay": Range(1e-6, 1e-1),
        "width": Range(0.1, 10.0),
        "surrogate_rate": Range(1e-3, 3e-1),
        "mse_weight": Range(1e-4, 10.0),
    }

    def fit(self, task: Task, rng: np.random.Generator) -> Predictor:
        """Fit every instance's factors, then train the predictor on the mean of the losses."""
        config, batch = self.config, SeedBatch([task])
        samples = Samples(batch, sampler_of(config), config.samples)
        with batch.ledger.phase("surrogate"):
            factors = self._fit_factors(samples, rng)

        def loss(y_hat: Tensor, rows: Minibatch) -> Tensor:
            return at_one_point(factors, rows.index, samples.scaled(y_hat, rows.y), config.mse_weight)

        network = batch.new_network()
        fit = batch.fit(network, loss, config)
        return batch.predictors(network, fit)[0]

    def _fit_factors(self, samples: Samples, rng: np.random.Generator) -> Tensor:
        d, target = samples.difference, samples.target  # (S, n, K, D), (S, n, K)
        n, n_samples, n_targets = d.shape[1:]
        # A third of each instance's samples selects the state; below eight there is nothing to split.
        n_held = n_samples // 3 if n_samples >= 8 else 0
        held, fit = slice(n_samples - n_held, None), slice(0, n_samples - n_held)
        free = uniform([rng], (n, 2 * n_targets, 2 * n_targets), 0.0, 1.0 / n_targets**2).to(d.device)
        free = nn.Parameter(free)
        lower = torch.ones(n_targets, n_targets, dtype=d.dtype, device=d.device).tril().tile(2, 2)

        def factors() -> Tensor:
            return free.clamp(-10.0, 10.0) * lower

        def error(part: slice) -> Tensor:
            predicted = directed_quadratic(factors(), d[:, :, part], self.config.mse_weight)
            return (predicted - target[:, :, part]).square().mean(-1)  # an instance is its own fit

        @torch.no_grad()
        def validate() -> Tensor:
            return error(held if n_held else fit)

        minimize(
            [free],
            lambda step: error(fit),
            validate,
            steps=self.config.surrogate_steps,
            learning_rate=self.config.surrogate_rate,
            every=5,
            patience=25,
        )
        return factors().detach()


def directed_quadratic(factors: Tensor, d: Tensor, mse_weight: float) -> Tensor:
    """Return Σ_j (Σ_i d_i L_ij)² + a·mean(d²) with L_ij chosen by the signs of d_i and d_j.

    The factors (..., 2D, 2D) hold four matrices: rows 0…D−1 serve negative d_i, the rest positive ones, and
    columns likewise for d_j. Splitting d by sign turns the choice by i into a sum, so that one matrix product
    gives both candidates of every column, of which the sign of d_j takes one.

    Args:
        factors: (..., 2D, 2D).
        d: differences between prediction and outcome (..., k, D), in units of their spread.
        mse_weight: a, the weight of the mean squared difference.
    """
    signed = torch.cat([d.clamp_max(0.0), d.clamp_min(0.0)], dim=-1)
    negative, positive = (signed @ factors).chunk(2, dim=-1)
    chosen = torch.where(d > 0.0, positive, negative)
    return chosen.square().sum(-1) + mse_weight * d.square().mean(-1)


def at_one_point(factors: Tensor, rows: Tensor | None, d: Tensor, mse_weight: float) -> Tensor:
    """Return the quadratics of some instances, rows (1, n), at one d each, (1, n, D): what a step asks for.

    The factors are constants by now, so on a CPU a kernel reads only what the signs choose.

    Args:
        factors: (1, N, 2D, 2D), one for each instance.
        rows: instances (1, n), or None for all of them.
        d: differences between prediction and outcome (1, n, D), in units of their spread.
        mse_weight: a, the weight of the mean squared difference.
    """
    if d.device.type != "cpu":
        return directed_quadratic(take(factors, rows), d.unsqueeze(2), mse_weight).squeeze(2)
    index = torch.arange(d.shape[1]) if rows is None else rows[0]
    return _AtOnePoint.apply(d, factors, index) + mse_weight * d.square().mean(-1)


class _AtOnePoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, d: Tensor, factors: Tensor, index: Tensor) -> Tensor:
        value, slope = directed_quadratics(factors[0].numpy(), index.numpy(), d[0].detach().numpy())
        ctx.save_for_backward(torch.from_numpy(slope)[None])
        return torch.from_numpy(value)[None]

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, weight: Tensor) -> tuple[Tensor, None, None]:
        (slope,) = ctx.saved_tensors
        return weight.unsqueeze(-1) * slope, None, None
