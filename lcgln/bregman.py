"""A loss that is zero at the truth and nowhere below: the Bregman divergence of a network."""

import torch
from torch import Tensor, nn

from .exchangeable import Shared
from .picnn import PICNN


class Divergence(nn.Module):
    """The Bregman divergence of a PICNN f in its prediction.

        D(ŷ, y) = f(ŷ, y) − f(y, y) − ⟨∇f(y, y), ŷ − y⟩,   the gradient taken in the first argument.

    Convex in ŷ, never negative and zero at ŷ = y, for all parameters: the fit needs no samples to learn where
    the minimum is, and cannot get it wrong.
    """

    def __init__(self, network: PICNN | Shared) -> None:
        super().__init__()
        self.network = network

    def forward(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Map (*batch, rows, n_targets) twice to (*batch, rows)."""
        with torch.enable_grad():
            truth = y.detach().requires_grad_()
            value = self.network(truth, y)
            learning = next(self.network.parameters()).requires_grad
            (slope,) = torch.autograd.grad(value.sum(), truth, create_graph=learning)
        if not learning:  # a fitted loss: what belongs to the truth is constant
            value = value.detach()
        return self.network(y_hat, y) - value - (slope * (y_hat - y)).sum(-1)
