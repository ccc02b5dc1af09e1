"""The derivative of the partially input-convex network, written out."""

from collections.abc import Callable, Mapping
from functools import reduce
from operator import add
from typing import Any

import torch
from torch import Tensor, nn

from .bregman import Divergence
from .ensemble.layers import Linear, Product
from .ensemble.written_out import WrittenActivation, WrittenLinear, WrittenProduct, rows_of
from .picnn import PICNN


class Derivative:
    """The values of a PICNN, then the gradients of its parameters, or that of the prediction.

    Args:
        network: what is differentiated; its parameters may change in place.
    """

    def __init__(self, network: PICNN) -> None:
        written: dict[nn.Module, WrittenLinear | WrittenProduct] = {}
        for module in network.modules():
            if isinstance(module, Linear):
                written[module] = WrittenLinear(module)
            elif isinstance(module, Product):
                written[module] = WrittenProduct(module)
        self._gradients = [g for layer in written.values() for g in layer.gradients]
        self._layers = [_Layer(network, i, written) for i in range(len(network.prediction))]

    def value(self, y_hat: Tensor, y: Tensor) -> Tensor:
        """Map (*batch, rows, n_targets) and (*batch, rows, n_outcomes) to (*batch, rows)."""
        u: Any = rows_of(y)
        z: Any = None
        for layer in self._layers:
            u, z = layer.values(rows_of(y_hat), u, z)
        return z.view(y_hat.shape[:-1])

    def of_parameters(self, slope: Tensor) -> list[Tensor]:
        """Return the gradients of all parameters from that of the values (*batch, rows)."""
        slope_u: Any = None
        slope_z = rows_of(slope.unsqueeze(-1))
        for layer in reversed(self._layers):
            slope_u, slope_z = layer.back(slope_u, slope_z)
        return self._gradients

    def of_prediction(self, slope: Tensor) -> Tensor:
        """Return the gradient of y_hat (*batch, rows, n_targets) from that of the values (*batch, rows)."""
        slope_z, parts = rows_of(slope.unsqueeze(-1)), []
        for layer in reversed(self._layers):
            part, slope_z = layer.back_to_prediction(slope_z)
            parts.append(part)
        return reduce(add, parts).view(*slope.shape, -1)


def gradient_of_prediction(network: nn.Module) -> Callable[[Tensor, Tensor, Tensor], Tensor] | None:
    """Return the function from y_hat, y and the gradient of a loss network's values to the gradient of y_hat.

    None for a network whose derivative is not written out; torch has it.
    """
    if isinstance(network, PICNN):
        derivative = Derivative(network)

        def gradient(y_hat: Tensor, y: Tensor, slope: Tensor) -> Tensor:
            derivative.value(y_hat, y)
            return derivative.of_prediction(slope)

        return gradient
    if isinstance(network, Divergence) and isinstance(network.network, PICNN):
        of_network = gradient_of_prediction(network.network)
        assert of_network is not None
        # ∇D(ŷ, y) = ∇f(ŷ, y) − ∇f(y, y)
        return lambda y_hat, y, slope: of_network(y_hat, y, slope) - of_network(y, y, slope)
    return None


class _Layer:
    """One layer, from u and z to the next u and z; the notation is that of `PICNN`."""

    def __init__(self, network: PICNN, i: int, written: Mapping[nn.Module, Any]) -> None:
        self.prediction, self.shift = written[network.prediction[i]], written[network.shift[i]]
        self.gated = i >= network.ungated
        if self.gated:
            self.gate_prediction = written[network.gate_prediction[i - network.ungated]]
        self.activation, self.activation_u = (WrittenActivation(network.activation) for _ in range(2))
        self.first, self.last = i == 0, i == len(network.outcome)
        if not self.first:
            self.convex = written[network.convex[i - 1]]
            self.gate_convex = written[network.gate_convex[i - 1]]
            self.relu = WrittenActivation(torch.relu_)
        if not self.last:
            self.outcome = written[network.outcome[i]]

    def values(self, y_hat: Tensor, u: Tensor, z: Tensor | None) -> tuple[Tensor | None, Tensor]:
        self.y_hat, self.z = y_hat, z
        seen = y_hat
        if self.gated:
            self.gate = self.gate_prediction(u)
            seen = y_hat * self.gate
        total = self.prediction(seen) + self.shift(u)
        if z is not None:
            self.open = self.relu(self.gate_convex(u))
            total = total + self.convex(z * self.open)
        return None if self.last else self.activation_u(self.outcome(u)), self.activation(total)

    def back(self, slope_u: Tensor | None, slope_z: Tensor) -> tuple[Tensor | None, Tensor]:
        """Write the gradients of the layer's parameters; return those of u and z, None for the first u."""
        total = self.activation.back(slope_z)
        # All that reads u, with the gradient of its value, in the order in which torch adds them up.
        readers = [] if slope_u is None else [(self.outcome, self.activation_u.back(slope_u))]
        if not self.first:
            self.convex.back(total)
            passed = self.convex.to_input(total)
            readers.append((self.gate_convex, self.relu.back(passed * self.z)))
            slope_z = passed * self.open
        self.prediction.back(total)
        readers.append((self.shift, total))
        if self.gated:
            readers.append((self.gate_prediction, self.prediction.to_input(total) * self.y_hat))
        for layer, slope in readers:
            layer.back(slope)
        if self.first:
            return None, slope_z
        return reduce(add, [layer.to_input(slope) for layer, slope in readers]), slope_z

    def back_to_prediction(self, slope_z: Tensor) -> tuple[Tensor, Tensor]:
        """Return what this layer adds to the gradient of y_hat, and the gradient of z."""
        total = self.activation.back(slope_z)
        part = self.prediction.to_input(total)
        part = part * self.gate if self.gated else part
        return part, slope_z if self.first else self.convex.to_input(total) * self.open
