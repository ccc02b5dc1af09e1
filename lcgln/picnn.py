"""The partially input-convex network: convex in the prediction, free in the outcome."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from .ensemble.layers import FreeLinear, Linear, PositiveLinear, Streams
from .ensemble.written_out import leaky_relu

# Convex and non-decreasing, or convexity in the prediction is lost.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "softplus": functional.softplus,
    "relu": functional.relu,
    "leaky-relu": leaky_relu,
    "elu": functional.elu,
}


class PICNN(nn.Module):
    """A partially input-convex network (Amos et al. 2017).

    With u₀ = y, z₀ = 0 and, for every layer i,

        u_{i+1} = g(W̃ᵢ uᵢ + b̃ᵢ)
        z_{i+1} = g(Wᵢᶻ (zᵢ ∘ [Wᵢᶻᵘ uᵢ + bᵢᶻ]₊) + Wᵢʸ (ŷ ∘ (Wᵢʸᵘ uᵢ + bᵢʸ)) + Wᵢᵘ uᵢ + bᵢ),   Wᵢᶻ ≥ 0,

    the output is the last z, one number for each row. It is convex in ŷ for all parameters, because Wᶻ is the
    softplus of free parameters and g is convex and non-decreasing.

    Args:
        n_targets: entries of ŷ.
        hidden: width of every hidden layer, e.g. (2,) as in the paper.
        rngs: one stream, or S of them for S members of an ensemble.
        activation: a name in `ACTIVATIONS`.
        n_outcomes: entries of y, where they are not those of ŷ.
        gated: whether the first layer has the gate of ŷ. Without it, and with one hidden layer as wide as ŷ,
            this is the network of the authors' code, whose first layer is g(B ŷ + C y + b).
        constrained: whether Wᶻ ≥ 0. Without that, as in the authors' code, nothing is convex.
    """

    def __init__(
        self,
        n_targets: int,
        hidden: Sequence[int],
        rngs: Streams,
        activation: str = "softplus",
        n_outcomes: int | None = None,
        *,
        gated: bool = True,
        constrained: bool = True,
    ) -> None:
        super().__init__()
        if activation not in ACTIVATIONS:
            raise ValueError(f"expected an activation among {', '.join(ACTIVATIONS)}, got {activation!r}.")
        if not hidden or min(hidden) < 1:
            raise ValueError(f"expected at least one hidden layer of positive width, got {tuple(hidden)}.")
        self.activation = ACTIVATIONS[activation]
        widths = [n_outcomes or n_targets, *hidden]
        outputs = [*hidden, 1]
        layers = range(len(outputs))
        self.outcome = nn.ModuleList(Linear(widths[i], outputs[i], rngs) for i in layers[:-1])
        self.ungated = 0 if gated else 1  # layers before the first that has a gate of ŷ
        self.gate_prediction = nn.ModuleList(
            Linear(widths[i], n_targets, rngs) for i in layers[self.ungated :]
        )
        self.prediction = nn.ModuleList(Linear(n_targets, outputs[i], rngs) for i in layers)
        self.shift = nn.ModuleList(Linear(widths[i], outputs[i], rngs) for i in layers)
        self.gate_convex = nn.ModuleList(Linear(widths[i], widths[i], rngs) for i in layers[1:])
        between = PositiveLinear if constrained else FreeLinear
        self.convex = nn.ModuleList(between(widths[i], outputs[i], rngs) for i in layers[1:])

    def forward(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Map (*batch, rows, n_targets) and (*batch, rows, n_outcomes) to (*batch, rows)."""
        u, z = y, None
        for i in range(len(self.prediction)):
            seen = y_hat if i < self.ungated else y_hat * self.gate_prediction[i - self.ungated](u)
            total = self.prediction[i](seen) + self.shift[i](u)
            if z is not None:
                total = total + self.convex[i - 1](z * torch.relu(self.gate_convex[i - 1](u)))
            z = self.activation(total)
            if i < len(self.outcome):
                u = self.activation(self.outcome[i](u))
        assert z is not None
        return z.squeeze(-1)
