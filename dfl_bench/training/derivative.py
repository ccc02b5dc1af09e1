"""The predictor's derivative, written out; `lcgln.ensemble.written_out` says why and how."""

from typing import Self

import torch
from torch import Tensor, nn

from lcgln.ensemble.layers import Linear
from lcgln.ensemble.written_out import WrittenActivation, WrittenLinear, rows_of

from .predictor import PredictorNetwork

_PARAMETERS = ["hidden.weight", "hidden.bias", "output.weight", "output.bias"]


class Derivative:
    """Predictions of a network, then the gradients of its parameters from that of the last predictions."""

    @classmethod
    def of(cls, network: nn.Module) -> Self | None:
        """Return the derivative of a predictor, or None where torch has to differentiate it."""
        if isinstance(network, PredictorNetwork) and _is_plain(network):
            return cls(network)
        return None

    def __init__(self, network: PredictorNetwork) -> None:
        self.parameters = list(network.parameters())  # in the order of _PARAMETERS
        self._network, self._scale = network, rows_of(network.scale[:, None, None])
        self._hidden = None if network.hidden is None else WrittenLinear(network.hidden)
        self._output = WrittenLinear(network.output)
        self._relu, self._activation = WrittenActivation(torch.relu_), WrittenActivation(network.activation)
        layers = [self._output] if self._hidden is None else [self._hidden, self._output]
        self._gradients = [g for layer in layers for g in layer.gradients]

    def predict(self, x: Tensor) -> Tensor:
        """Map (S, n, ..., features) to predictions, as the network does."""
        rows = rows_of(x.flatten(1, -2))
        raw = self._output(rows if self._hidden is None else self._relu(self._hidden(rows)))
        self._raw_shape = raw.shape
        return (self._activation(raw) * self._scale).view(self._network.shape_of(x))

    def gradients(self, slope: Tensor) -> list[Tensor]:
        """Return the gradients of all parameters from that of the predictions, in memory used again."""
        raw = self._activation.back(slope.reshape(self._raw_shape) * self._scale)
        self._output.back(raw)
        if self._hidden is not None:
            self._hidden.back(self._relu.back(self._output.to_input(raw)))
        return self._gradients


def _is_plain(network: PredictorNetwork) -> bool:
    """Whether the network does what its class does: nothing replaced, added, frozen or hooked."""
    modules, parameters = list(network.modules()), dict(network.named_parameters())
    hooks = [
        *(m._forward_hooks or m._forward_pre_hooks or m._backward_hooks for m in modules),
        *(p._backward_hooks or p._post_accumulate_grad_hooks for p in parameters.values()),
    ]
    return (
        {type(module) for module in modules} == {PredictorNetwork, Linear}
        and list(parameters) in (_PARAMETERS, _PARAMETERS[2:])
        and WrittenActivation.knows(network.activation)
        and all(p.requires_grad for p in parameters.values())
        and not any(hooks)
    )
