"""Regress the network on labelled samples: the loss that stands in for the regret."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from .batches import batches, take
from .divergence import Divergence
from .layers import Streams
from .network import PICNN
from .training import minimize


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogateConfig:
    """Shape and fit of the loss network; the shape and the learning rate are the paper's."""

    hidden: tuple[int, ...] = (2,)
    activation: str = "softplus"
    anchored: bool = False  # zero at the truth and nowhere less: the Bregman divergence of the network
    learning_rate: float = 1e-3
    steps: int = 3000
    batch: int | None = 512
    held_out: float = 1 / 3  # share of the instances that select the state
    every: int = 100
    patience: int = 1000

    def __post_init__(self) -> None:
        if not 0.0 < self.held_out < 1.0:
            raise ValueError(f"expected held_out between 0 and 1, got {self.held_out}.")


class Surrogate(nn.Module):
    """L(ŷ, y) in units of the regret: a PICNN on inputs and outputs of scale one.

    Both scalings are affine with positive slope, so convexity in ŷ is kept.
    """

    center: Tensor
    spread: Tensor
    scale: Tensor

    def __init__(
        self, network: PICNN | Divergence, target_dims: int, center: Tensor, spread: Tensor, scale: Tensor
    ) -> None:
        super().__init__()
        self.network = network
        self.target_dims = target_dims
        self.register_buffer("center", center)
        self.register_buffer("spread", spread)
        self.register_buffer("scale", scale)
        # Filled in by the fit: which instances were held out, (*batch, held), and the R² on them, (*batch).
        self.held_out = torch.empty((*scale.shape, 0), dtype=torch.long)
        self.r2 = torch.full(scale.shape, torch.nan)

    def forward(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Map (*batch, n, *targets) twice to (*batch, n)."""
        if y_hat.device != self.scale.device:
            raise ValueError(
                f"this surrogate is on {self.scale.device}, the prediction on {y_hat.device}; "
                "move one of them with .to(device)."
            )
        y_hat, y = torch.broadcast_tensors(y_hat, y)
        return self.scaled(self.standardize(y_hat), self.standardize(y)) * self.scale.unsqueeze(-1)

    def standardize(self, values: Tensor) -> Tensor:
        """Flatten the targets of each row and bring them to scale one."""
        flat = values.flatten(-self.target_dims)
        wide = self.scale.shape + (1,) * (flat.ndim - self.scale.ndim)
        return (flat - self.center.view(wide)) / self.spread.view(wide)

    def scaled(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Return the network's own output for standardized inputs (*batch, rows, D)."""
        if y_hat.ndim - 2 > self.scale.ndim:  # more leading dimensions than members: they are rows
            lead = y_hat.shape[:-1]
            return self.network(y_hat.flatten(0, -2), y.flatten(0, -2)).reshape(lead)
        return self.network(y_hat, y)


def fit_surrogate(
    y: Tensor | np.ndarray,
    y_hat: Tensor | np.ndarray,
    regret: Tensor | np.ndarray,
    *,
    config: SurrogateConfig | None = None,
    rng: Streams | None = None,
) -> Surrogate:
    """Fit L(ŷ, y) to the regrets of sampled predictions; the result is convex in ŷ by construction.

    Args:
        y: outcomes, (n, *targets); for an ensemble (S, n, *targets).
        y_hat: predictions, K for each outcome, (K, n, *targets) or (S, K, n, *targets).
        regret: their regrets, (K, n) or (S, K, n).
        config: shape and fit.
        rng: one stream, or S of them to fit S surrogates as one batch; a fixed stream by default.

    Instances are held out with all their samples: the state with the lowest held-out error is kept, and its
    R² is the `r2` of the result.
    """
    config = config or SurrogateConfig()
    rng = np.random.default_rng(0) if rng is None else rng
    y, y_hat, regret = (torch.as_tensor(a, dtype=torch.float64) for a in (y, y_hat, regret))
    members = () if isinstance(rng, np.random.Generator) else (len(rng),)
    _check(y, y_hat, regret, members)
    lead = len(members)
    target_dims = y.ndim - lead - 1
    n = y.shape[lead]

    inner = tuple(range(lead, y_hat.ndim))
    center, spread = y_hat.mean(inner), y_hat.std(inner).clamp_min(1e-12)
    scale = regret.mean((-2, -1))
    network = PICNN(y.flatten(lead + 1).shape[-1], config.hidden, rng, config.activation).to(y.device)
    loss_network = Divergence(network) if config.anchored else network
    surrogate = Surrogate(loss_network, target_dims, center, spread, scale)

    # Rows are (sample, instance) pairs; the split is by instance, so no instance is on both sides.
    n_held = min(max(1, round(config.held_out * n)), n - 1)
    order = _permutations(rng, n).to(y.device)
    fit, held = order[..., n_held:], order[..., :n_held]
    inputs, outcomes = surrogate.standardize(y_hat), surrogate.standardize(y)
    targets = regret / scale[..., None, None]

    def part(instances: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows = take(inputs.transpose(lead, lead + 1), instances)  # (*batch, instances, K, D)
        truth = take(outcomes, instances).unsqueeze(-2).expand_as(rows)
        return (
            rows.flatten(lead, lead + 1),
            truth.flatten(lead, lead + 1),
            take(targets.mT, instances).flatten(lead),
        )

    fit_rows, held_rows = part(fit), part(held)
    pick = batches(rng, fit_rows[0].shape[lead], config.batch, y.device)

    def error(rows: tuple[Tensor, Tensor, Tensor]) -> Tensor:
        predicted = surrogate.scaled(rows[0], rows[1])
        assert predicted.shape == rows[2].shape, "a broadcast here would average over all pairs of rows"
        return (predicted - rows[2]).square().mean(-1)

    def loss(step: int) -> Tensor:
        chosen = pick(step)
        return error((take(fit_rows[0], chosen), take(fit_rows[1], chosen), take(fit_rows[2], chosen)))

    @torch.no_grad()
    def validate() -> Tensor:
        return error(held_rows)

    result = minimize(
        network.parameters(),
        loss,
        validate,
        steps=config.steps,
        learning_rate=config.learning_rate,
        every=config.every,
        patience=config.patience,
    )
    surrogate.held_out = held
    surrogate.r2 = 1.0 - result.best / held_rows[2].var(-1, correction=0)
    return surrogate.requires_grad_(False)


def _check(y: Tensor, y_hat: Tensor, regret: Tensor, members: tuple[int, ...]) -> None:
    lead = len(members)
    expected = (*members, y_hat.shape[lead], *y.shape[lead:])
    if tuple(y_hat.shape) != expected or tuple(regret.shape) != expected[: lead + 2]:
        raise ValueError(
            f"expected y_hat of shape (K, *{tuple(y.shape[lead:])}) and regret (K, {y.shape[lead]}) for y "
            f"of shape {tuple(y.shape)}, got y_hat {tuple(y_hat.shape)} and regret {tuple(regret.shape)}."
        )
    if y_hat.shape[lead] < 2:
        raise ValueError(f"expected K ≥ 2 samples an instance, got {y_hat.shape[lead]}.")
    if y.shape[lead] < 2:
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


def _permutations(rng: Streams, n: int) -> Tensor:
    if isinstance(rng, np.random.Generator):
        return torch.from_numpy(rng.permutation(n))
    return torch.stack([_permutations(r, n) for r in rng])
