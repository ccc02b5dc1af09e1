"""The learned loss: a network on inputs and outputs of scale one."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .bregman import Divergence
from .exchangeable import Shared
from .picnn import PICNN
from .split import HOLD_OUT

FORMS = ("paper", "authors")
HELD_ERRORS = ("samples", "pairs")


@dataclass(frozen=True, slots=True, kw_only=True)
class SurrogateConfig:
    """Shape and fit of the loss network; the shape and the learning rate are the paper's."""

    form: str = "paper"  # or "authors": the network of the authors' code, every layer as wide as a prediction
    hidden: tuple[int, ...] = (2,)  # of the form "paper"
    activation: str = "softplus"
    shared_dims: int = 0  # leading dimensions of a target that count exchangeable parts, for `Shared`
    convex: bool = True  # False: the weights between hidden layers are free, as in the authors' code
    scaled: bool = True  # predictions and regrets at scale one; False: as they are, as in the authors' code
    anchored: bool = False  # zero at the truth and nowhere less: the Bregman divergence of the network
    learning_rate: float = 1e-3
    steps: int = 3000
    batch: int | None = 512
    hold_out: str = "samples"  # what selects the state: held-out "samples", or "instances" with all of theirs
    held_share: float = 1 / 3
    # What selects the state: the error of held-out "samples"; "pairs": that of every prediction of the loss
    # with the regret of every sample, which the authors' code computes by mistake. A constant has the least.
    held_error: str = "samples"
    every: int = 100
    patience: int = 1000

    def __post_init__(self) -> None:
        for name, known in (("form", FORMS), ("hold_out", HOLD_OUT), ("held_error", HELD_ERRORS)):
            if getattr(self, name) not in known:
                listed = ", ".join(map(repr, known))
                raise ValueError(f"expected {name} to be one of {listed}, got {getattr(self, name)!r}.")
        if not 0.0 < self.held_share < 1.0:
            raise ValueError(f"expected held_share between 0 and 1, got {self.held_share}.")
        if self.anchored and not self.convex:
            raise ValueError("an anchored loss must be convex; leave one of anchored=True, convex=False out.")


class Surrogate(nn.Module):
    """L(ŷ, y) in units of the regret: a PICNN on inputs and outputs of scale one.

    Both scalings are affine with positive slope, so convexity in ŷ is kept.

    Args:
        network: the loss at scale one, (*batch, rows, D) twice to (*batch, rows).
        target_dims: how many dimensions a target has; D is the product of their sizes.
        center: mean of the sampled predictions, (*batch).
        spread: standard deviation of the sampled predictions, (*batch).
        scale: mean regret, (*batch).
    """

    center: Tensor
    spread: Tensor
    scale: Tensor

    def __init__(
        self,
        network: PICNN | Shared | Divergence,
        target_dims: int,
        center: Tensor,
        spread: Tensor,
        scale: Tensor,
    ) -> None:
        super().__init__()
        self.network = network
        self.target_dims = target_dims
        self.register_buffer("center", center)
        self.register_buffer("spread", spread)
        self.register_buffer("scale", scale)
        # Filled in by the fit: which samples were held out, by the numbers of `split`, (*batch, held); the R²
        # on them, and the step of the state that is kept, (*batch) both.
        self.held_out = torch.empty((*scale.shape, 0), dtype=torch.long)
        self.r2 = torch.full(scale.shape, torch.nan)
        self.step = torch.zeros(scale.shape)

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
