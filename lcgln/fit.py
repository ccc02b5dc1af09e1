"""Regress a loss network on labelled samples: the loss that stands in for the regret."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from .bregman import Divergence
from .derivative import Derivative
from .ensemble.batches import batches, take
from .ensemble.layers import Streams
from .ensemble.minimize import Gradients, minimize
from .exchangeable import Shared
from .picnn import PICNN
from .split import split
from .surrogate import Surrogate, SurrogateConfig


def fit_surrogate(
    y: Tensor | np.ndarray,
    y_hat: Tensor | np.ndarray,
    regret: Tensor | np.ndarray,
    *,
    config: SurrogateConfig | None = None,
    rng: Streams | None = None,
) -> Surrogate:
    """Fit L(ŷ, y) to the regrets of sampled predictions; the result is convex in ŷ unless config says no.

    Args:
        y: outcomes, (n, *targets); for an ensemble (S, n, *targets).
        y_hat: predictions, K for each outcome, (K, n, *targets) or (S, K, n, *targets).
        regret: their regrets, (K, n) or (S, K, n).
        config: shape and fit.
        rng: one random stream, or S of them to fit S surrogates as one batch; a fixed stream by default.

    Returns:
        The surrogate with the lowest error on held-out samples, or on held-out instances with all their
        samples, as `config.hold_out` says. Its `r2` is the R² on them.
    """
    config = config or SurrogateConfig()
    rng = np.random.default_rng(0) if rng is None else rng
    y, y_hat, regret = (torch.as_tensor(a, dtype=torch.float64) for a in (y, y_hat, regret))
    members = () if isinstance(rng, np.random.Generator) else (len(rng),)
    _check(y, y_hat, regret, members, config.hold_out)
    lead = len(members)
    target_dims = y.ndim - lead - 1

    center, spread, scale = _units(y_hat, regret, lead, config.scaled)
    network = _network(y.shape[lead + 1 :], config, rng).to(y.device)
    loss_network = Divergence(network) if config.anchored else network
    surrogate = Surrogate(loss_network, target_dims, center, spread, scale)

    # One row for each sample, those of an instance one after the other.
    inputs = surrogate.standardize(y_hat).transpose(lead, lead + 1)  # (*batch, n, K, D)
    outcomes = surrogate.standardize(y).unsqueeze(-2).expand_as(inputs)
    targets = (regret / scale[..., None, None]).mT
    everything = [values.flatten(lead, lead + 1) for values in (inputs, outcomes, targets)]
    parts = split(rng, y.shape[lead], y_hat.shape[lead], config.held_share, config.hold_out)
    fit, held = (part.to(y.device) for part in parts)
    fit_rows, held_rows = ([take(values, part) for values in everything] for part in (fit, held))
    pick = batches(rng, fit_rows[0].shape[lead], config.batch, y.device)

    def rows_at(step: int) -> tuple[Tensor, Tensor, Tensor]:
        chosen = pick(step)
        y_hat, y, target = (take(values, chosen) for values in fit_rows)
        return y_hat, y, target

    held_error = _error_of_pairs if config.held_error == "pairs" else _error

    @torch.no_grad()
    def validate() -> Tensor:
        return held_error(surrogate.scaled, *held_rows)

    result = minimize(
        network.parameters(),
        _objective(surrogate, rows_at),
        validate,
        steps=config.steps,
        learning_rate=config.learning_rate,
        every=config.every,
        patience=config.patience,
    )
    surrogate.held_out, surrogate.step = held, result.best_step
    surrogate.requires_grad_(False)
    error = result.best if held_error is _error else _error(surrogate.scaled, *held_rows)
    surrogate.r2 = 1.0 - error / held_rows[2].var(-1, correction=0)
    return surrogate


def _units(y_hat: Tensor, regret: Tensor, lead: int, scaled: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The mean and the deviation of the predictions, and the mean regret, (*batch) each; or 0, 1 and 1."""
    scale = regret.mean((-2, -1))
    if not scaled:
        return torch.zeros_like(scale), torch.ones_like(scale), torch.ones_like(scale)
    inner = tuple(range(lead, y_hat.ndim))
    return y_hat.mean(inner), y_hat.std(inner).clamp_min(1e-12), scale


def _objective(
    surrogate: Surrogate, rows_at: Callable[[int], tuple[Tensor, Tensor, Tensor]]
) -> Callable[[int], Tensor] | Gradients:
    """The mean squared error of a step's rows, or its gradients where they are written out."""
    if not isinstance(surrogate.network, PICNN):
        return lambda step: _error(surrogate.scaled, *rows_at(step))
    derivative = Derivative(surrogate.network)

    def gradients(step: int) -> Sequence[Tensor]:
        y_hat, y, target = rows_at(step)
        difference = _difference(derivative.value, y_hat, y, target)
        return derivative.of_parameters(difference.mul_(2.0 / target.shape[-1]))

    return Gradients(gradients)


def _error(predict: Callable[[Tensor, Tensor], Tensor], y_hat: Tensor, y: Tensor, target: Tensor) -> Tensor:
    return _difference(predict, y_hat, y, target).square().mean(-1)


def _error_of_pairs(
    predict: Callable[[Tensor, Tensor], Tensor], y_hat: Tensor, y: Tensor, target: Tensor
) -> Tensor:
    """The mean of (prediction of row i − target of row j)² over all i and j."""
    predicted = predict(y_hat, y)
    apart = (predicted.mean(-1) - target.mean(-1)).square()
    return predicted.var(-1, correction=0) + target.var(-1, correction=0) + apart


def _difference(
    predict: Callable[[Tensor, Tensor], Tensor], y_hat: Tensor, y: Tensor, target: Tensor
) -> Tensor:
    predicted = predict(y_hat, y)
    assert predicted.shape == target.shape, "a broadcast here would average over all pairs of rows"
    return predicted - target


def _network(shape: tuple[int, ...], config: SurrogateConfig, rng: Streams) -> PICNN | Shared:
    if not 0 <= config.shared_dims <= len(shape):
        raise ValueError(f"expected shared_dims from 0 to {len(shape)}, got {config.shared_dims}.")
    n_targets, n_parts = math.prod(shape), math.prod(shape[: config.shared_dims])
    published = config.form == "authors"
    hidden = (n_targets // n_parts,) if published else config.hidden
    shape_of = {"gated": not published, "constrained": config.convex}
    if config.shared_dims:
        return Shared(n_targets, n_parts, hidden, rng, config.activation, **shape_of)
    return PICNN(n_targets, hidden, rng, config.activation, **shape_of)


def _check(y: Tensor, y_hat: Tensor, regret: Tensor, members: tuple[int, ...], hold_out: str) -> None:
    lead = len(members)
    expected = (*members, y_hat.shape[lead], *y.shape[lead:])
    if tuple(y_hat.shape) != expected or tuple(regret.shape) != expected[: lead + 2]:
        raise ValueError(
            f"expected y_hat of shape (K, *{tuple(y.shape[lead:])}) and regret (K, {y.shape[lead]}) for y "
            f"of shape {tuple(y.shape)}, got y_hat {tuple(y_hat.shape)} and regret {tuple(regret.shape)}."
        )
    if y_hat.shape[lead] < 2:
        raise ValueError(f"expected K ≥ 2 samples for each instance, got {y_hat.shape[lead]}.")
    if hold_out == "instances" and y.shape[lead] < 2:
        raise ValueError(
            f"expected at least 2 instances, one to fit and one to hold out, got {y.shape[lead]}."
        )
    if not torch.isfinite(regret).all():
        raise ValueError(f"expected finite regrets, got {int((~torch.isfinite(regret)).sum())} that are not.")
    flat = regret.flatten(lead)
    if (flat.amax(-1) <= flat.amin(-1)).any():
        raise ValueError(
            f"all regrets equal {float(flat.flatten()[0]):g}: there is nothing to learn; "
            "sample predictions more widely."
        )
