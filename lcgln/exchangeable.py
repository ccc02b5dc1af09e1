"""One loss for exchangeable parts of an instance, for predictors that are shared by the parts."""

import torch
from torch import Tensor, nn

from .ensemble.layers import Streams
from .picnn import PICNN


class Shared(nn.Module):
    """The mean over the parts of one PICNN, which sees its own part and what all outcomes have in common.

        L(ŷ, y) = mean_w f(ŷ_w; y_w, mean_v y_v, max_v y_v)

    A mean of convex functions is convex. Reordering the parts of both arguments changes nothing, so the
    network learns from every part of every instance.

    Args:
        n_targets: entries of ŷ, all parts together.
        n_parts: how many parts they fall into, one after the other.
        hidden: widths of the hidden layers.
        rngs: one stream, or S of them for S members of an ensemble.
        activation: a name in `picnn.ACTIVATIONS`.
        gated: as in `PICNN`.
        constrained: as in `PICNN`.
    """

    def __init__(
        self,
        n_targets: int,
        n_parts: int,
        hidden: tuple[int, ...],
        rngs: Streams,
        activation: str,
        *,
        gated: bool = True,
        constrained: bool = True,
    ) -> None:
        super().__init__()
        if n_targets % n_parts:
            raise ValueError(f"{n_targets} entries do not fall into {n_parts} parts of one size.")
        size = n_targets // n_parts
        self.n_parts = n_parts
        self.network = PICNN(
            size, hidden, rngs, activation, n_outcomes=3 * size, gated=gated, constrained=constrained
        )

    def forward(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Map (*batch, rows, n_targets) twice to (*batch, rows)."""
        parts, outcomes = (v.unflatten(-1, (self.n_parts, -1)) for v in (y_hat, y))
        common = torch.cat([outcomes.mean(-2, keepdim=True), outcomes.amax(-2, keepdim=True)], -1)
        seen = torch.cat([outcomes, common.expand(*outcomes.shape[:-1], -1)], -1)
        each = self.network(parts.flatten(-3, -2), seen.flatten(-3, -2))
        return each.unflatten(-1, parts.shape[-3:-1]).mean(-1)
