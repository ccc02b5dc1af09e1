"""The derivative of the partially input-convex network, written out."""

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import Any

import torch
from torch import Tensor, nn

from .ensemble.layers import Linear, PositiveLinear
from .ensemble.written_out import WrittenActivation, WrittenLinear, WrittenPositiveLinear, rows_of
from .picnn import PICNN


class Derivative:
    """The values of a PICNN, then the gradients of its parameters, or that of the prediction.

    Args:
        network: what is differentiated; its parameters may change in place.
    """

    def __init__(self, network: PICNN) -> None:
        written: dict[nn.Module, WrittenLinear | WrittenPositiveLinear] = {}
        for module in network.modules():
            if isinstance(module, Linear):
                written[module] = WrittenLinear(module)
            elif isinstance(module, PositiveLinear):
                written[module] = WrittenPositiveLinear(module)
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


class _Layer:
    """One layer, from u and z to the next u and z; the notation is that of `PICNN`."""

    def __init__(self, network: PICNN, i: int, written: Mapping[nn.Module, Any]) -> None:
        groups = network.prediction, network.gate_prediction, network.shift
        self.prediction, self.gate_prediction, self.shift = (written[group[i]] for group in groups)
        self.activation, self.activation_u = (WrittenActivation(network.activation) for _ in range(2))
        self.first, self.last = i == 0, i == len(network.outcome)
        if not self.first:
            self.convex = written[network.convex[i - 1]]
            self.gate_convex = written[network.gate_convex[i - 1]]
            self.relu = WrittenActivation(torch.relu_)
        if not self.last:
            self.outcome = written[network.outcome[i]]

    def values(self, y_hat: Tensor, u: Tensor, z: Tensor | None) -> tuple[Tensor | None, Tensor]:
        self.y_hat, self.z, self.gate = y_hat, z, self.gate_prediction(u)
        total = self.prediction(y_hat * self.gate) + self.shift(u)
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
        gate = self.prediction.to_input(total) * self.y_hat
        readers += [(self.shift, total), (self.gate_prediction, gate)]
        for layer, slope in readers:
            layer.back(slope)
        if self.first:
            return None, slope_z
        return reduce(add, [layer.to_input(slope) for layer, slope in readers]), slope_z

    def back_to_prediction(self, slope_z: Tensor) -> tuple[Tensor, Tensor]:
        """Return what this layer adds to the gradient of y_hat, and the gradient of z."""
        total = self.activation.back(slope_z)
        part = self.prediction.to_input(total) * self.gate
        return part, slope_z if self.first else self.convex.to_input(total) * self.open
