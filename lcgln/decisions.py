"""A learned loss that looks at decisions: what each would cost too much, and how a prediction likes it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from .ensemble.batches import batches, take
from .ensemble.layers import MLP
from .ensemble.minimize import minimize
from .pool import Comparison, Pool

_HELD_ROWS = 256  # rows of a pool that are enough to select the state of a few parameters


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionLossConfig:
    """Shape and fit; with `steps` of 0 the loss stays SPO+ on the pool."""

    pieces: int = 4
    hidden: tuple[int, ...] = (8,)
    temperature: float = 0.05  # at the start, in units of the scale
    learning_rate: float = 1e-2
    steps: int = 300
    rows: int = 8  # of a step, each with all its samples
    held_out: float = 1 / 3  # share of the samples that select the state
    every: int = 50
    patience: int = 300


class Shape(nn.Module):
    """How the loss weighs a decision by its regret: a_m = 2 exp(α_m(ρ)) and b_m = ρ exp(β_m(ρ)), M pieces.

    α and β are networks of one number and zero at first: a = 2, b = ρ, which is SPO+.

    Args:
        config: pieces and hidden layers.
        rngs: one stream for each of S members.
    """

    def __init__(self, config: DecisionLossConfig, rngs: Sequence[np.random.Generator]) -> None:
        super().__init__()
        self.network = MLP([1, *config.hidden, 2 * config.pieces], rngs, torch.tanh)
        for parameter in self.network.layers[-1].parameters():
            nn.init.zeros_(parameter)
        shape = (len(rngs), 1, 1)
        self.log_temperature = nn.Parameter(torch.full(shape, math.log(config.temperature)).double())
        self.offset = nn.Parameter(torch.zeros(shape).double())

    def lines(self, regret: Tensor) -> tuple[Tensor, Tensor]:
        """Map regrets (S, m, P) at scale one to slopes and heights, (S, m, M, P) each."""
        flat = self.network(regret.log1p().flatten(1).unsqueeze(-1))
        alpha, beta = flat.unflatten(1, regret.shape[1:]).movedim(-1, 2).chunk(2, 2)
        return 2.0 * alpha.exp(), regret.unsqueeze(2) * beta.exp()

    @property
    def temperature(self) -> Tensor:
        """τ, (S, 1, 1)."""
        return self.log_temperature.exp()


class DecisionLoss(nn.Module):
    """L(ŷ, y) = τ log Σ_v exp( max_m (a_m(ρ_v) d_v(ŷ) + b_m(ρ_v)) / τ ) + const, v in a pool.

    d_v is affine in ŷ and a ≥ 0 times it is too, so L is convex in ŷ for all parameters. The order of the
    decisions changes nothing. SPO+ on the pool is a = 2, b = ρ, τ → 0.

    Args:
        pool: the decisions.
        shape: a, b, τ and the constant.
        scale: the unit of regrets and gaps, (S,); a = 2, b = ρ is the same in every unit.
    """

    def __init__(self, pool: Pool, shape: Shape, scale: Tensor) -> None:
        super().__init__()
        self.pool, self.shape, self.scale = pool, shape, scale
        self.r2 = torch.full_like(scale, torch.nan)  # on held-out samples, filled in by the fit

    def at_scale_one(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return the loss of k predictions of each row in units of the scale, (S, m, k, D) -> (S, m, k)."""
        unit, temperature = self.scale.view(-1, 1, 1), self.shape.temperature
        slopes, heights = self.shape.lines(take(self.pool.regret, rows) / unit)
        real, gaps = take(self.pool.real, rows), self.pool.of(rows).gaps(y_hat)
        # Divided before it is masked: an infinity would make the gradient of the temperature NaN.
        slopes = slopes / (temperature * unit).unsqueeze(-1)
        heights = (heights / temperature.unsqueeze(-1)).masked_fill(~real.unsqueeze(2), -torch.inf)
        lines = torch.addcmul(heights.unsqueeze(2), slopes.unsqueeze(2), gaps.unsqueeze(3))
        return temperature * lines.max(3).values.logsumexp(-1) + self.shape.offset

    def frozen(self) -> "FrozenLoss":
        """Return the loss as it stands, for training a predictor."""
        return FrozenLoss(self)


class FrozenLoss:
    """A fitted loss with slopes and heights known for all rows: a step is one product and one softmax."""

    @torch.no_grad()
    def __init__(self, loss: DecisionLoss) -> None:
        self._pool, unit = loss.pool, loss.scale.view(-1, 1, 1)
        temperature = loss.shape.temperature
        self._temperature = temperature * unit  # in units of the regret
        self._offset = (loss.shape.offset * unit).squeeze(-1)
        slopes, heights = loss.shape.lines(loss.pool.regret / unit)
        heights = (heights / temperature.unsqueeze(-1)).masked_fill(~loss.pool.real.unsqueeze(2), -torch.inf)
        self._lines = torch.stack([slopes / self._temperature.unsqueeze(-1), heights], 2)  # (S, n, 2, M, P)

    def __call__(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return the loss of one prediction for each row in units of the regret, (S, m, D) -> (S, m)."""
        highest, _ = self._highest(self._pool.of(rows), y_hat, rows)
        return self._temperature.squeeze(-1) * highest.logsumexp(-1) + self._offset

    def gradient(self, y_hat: Tensor, rows: Tensor | None) -> Tensor:
        """Return the gradient in ŷ, (S, m, D): a mean of a_m(ρ_v) (φ(z*) − φ(v)) by softmax.

        Args:
            y_hat: predictions (S, m, D).
            rows: which rows these are, (S, m); None for all.
        """
        decisions = self._pool.of(rows)  # fetched once for both products: half the time of a step
        highest, slope = self._highest(decisions, y_hat, rows)
        weights = highest.softmax(-1).mul_(slope).mul_(self._temperature)
        return decisions.gradient(weights)

    def _highest(self, decisions: Comparison, y_hat: Tensor, rows: Tensor | None) -> tuple[Tensor, Tensor]:
        """The highest line of every decision and its slope in units of the temperature, (S, m, P) each."""
        gaps = decisions.gaps(y_hat.unsqueeze(2)).squeeze(2)
        slopes, heights = (values.unbind(2) for values in take(self._lines, rows).unbind(2))
        highest, slope = torch.addcmul(heights[0], slopes[0], gaps), slopes[0]
        for other, height in zip(slopes[1:], heights[1:], strict=True):
            line = torch.addcmul(height, other, gaps)
            slope = torch.where(line > highest, other, slope)
            highest = torch.maximum(line, highest)
        return highest, slope


def fit_decision_loss(
    pool: Pool,
    y_hat: Tensor,
    regret: Tensor,
    *,
    rngs: Sequence[np.random.Generator],
    config: DecisionLossConfig | None = None,
    earlier: DecisionLoss | None = None,
) -> DecisionLoss:
    """Start at SPO+ on the pool and fit the loss to the regrets of sampled predictions.

    Args:
        pool: the decisions, of S members with n rows each.
        y_hat: K predictions of each row, (S, n, K, D).
        regret: their regrets (S, n, K).
        rngs: one stream for each member.
        config: shape and fit.
        earlier: a loss of these members on other samples, to start at in place of SPO+.

    Returns:
        The loss in the state with the lowest error on held-out samples; `r2` is the R² on them.
    """
    config = config or DecisionLossConfig()
    scale = regret.mean((1, 2)).clamp_min(1e-12)
    shape = Shape(config, rngs).to(regret.device)
    if earlier is not None:
        shape.load_state_dict(earlier.shape.state_dict())
    loss = DecisionLoss(pool, shape, scale)
    target = regret / scale.view(-1, 1, 1)
    n, samples = regret.shape[1:]
    order = _shuffled(rngs, samples, regret.device)
    n_held = min(max(1, round(config.held_out * samples)), samples - 1)
    some = _shuffled(rngs, n, regret.device)[:, :_HELD_ROWS]
    held = [take(_samples(values, order[:, :n_held]), some) for values in (y_hat, target)]
    fit = [_samples(values, order[:, n_held:]) for values in (y_hat, target)]

    def error(rows: Tensor | None, points: Tensor, wanted: Tensor) -> Tensor:
        return (loss.at_scale_one(points, rows) - wanted).square().mean((1, 2))

    def fit_error(step: int) -> Tensor:
        rows = pick(step)
        return error(rows, *(take(values, rows) for values in fit))

    pick = batches(rngs, n, config.rows, regret.device)
    result = minimize(
        shape.parameters(),
        fit_error,
        torch.no_grad()(lambda: error(some, *held)),
        steps=config.steps,
        learning_rate=config.learning_rate,
        every=config.every,
        patience=config.patience,
    )
    loss.r2 = 1.0 - result.best / held[1].flatten(1).var(1, correction=0)
    loss.requires_grad_(False)
    return loss


def _shuffled(rngs: Sequence[np.random.Generator], n: int, device: torch.device) -> Tensor:
    return torch.from_numpy(np.stack([rng.permutation(n) for rng in rngs])).to(device)


def _samples(values: Tensor, which: Tensor) -> Tensor:
    """Some samples of every row, (S, n, K, ...) and (S, k) to (S, n, k, ...)."""
    return take(values.transpose(1, 2), which).transpose(1, 2).contiguous()
