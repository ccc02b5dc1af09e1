"""The predictor's derivative, written out.

A step of a small network takes less time than torch needs to record it and to walk the record back. The
operations are those of torch's own backward pass, in the same layout: gradients are equal to the last bit.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Self

import torch
from torch import Tensor, nn

from lcgln.ensemble.layers import Linear

from .predictor import ACTIVATIONS, PredictorNetwork

_PARAMETERS = ["hidden.weight", "hidden.bias", "output.weight", "output.bias"]
_aten = torch.ops.aten
_relu_back = _aten.threshold_backward.grad_input
# From the gradient of an activation's value, its input and its value to the gradient of its input.
_BACK: Mapping[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    ACTIVATIONS["softmax"]: lambda g, raw, value: _aten._softmax_backward_data.default(g, value, -1, g.dtype),
    ACTIVATIONS["softplus"]: lambda g, raw, value: _aten.softplus_backward.default(g, raw, 1.0, 20.0),
    ACTIVATIONS["tanh"]: lambda g, raw, value: _aten.tanh_backward.default(g, value),
    ACTIVATIONS["linear"]: lambda g, raw, value: g,
}


class Derivative:
    """Predictions of a network, and then the gradients of its parameters from that of the predictions."""

    @classmethod
    def of(cls, network: nn.Module) -> Self | None:
        """Return the derivative of a predictor, or None where torch has to differentiate it."""
        if isinstance(network, PredictorNetwork) and _is_plain(network):
            return cls(network)
        return None

    def __init__(self, network: PredictorNetwork) -> None:
        self.parameters = list(network.parameters())  # in the order of _PARAMETERS
        self._network, self._back = network, _BACK[network.activation]
        self._gradients = [torch.empty_like(p) for p in self.parameters]
        # A single seed has no axis here: a plain product is twice as fast as a batch of one.
        self._alone = len(network.scale) == 1
        self._scale = self._rows(network.scale[:, None, None])
        self._layers = _pairs(self._rows(p.detach()) for p in self.parameters)
        self._into = _pairs(self._rows(g) for g in self._gradients)

    def predict(self, x: Tensor) -> Tensor:
        """Map (S, n, ..., features) to predictions as the network does, and keep what `gradients` needs."""
        self._inputs = [self._rows(x.flatten(1, -2))]
        for weight, bias in self._layers[:-1]:
            self._inputs.append(_affine(self._inputs[-1], weight, bias).relu_())
        self._raw = _affine(self._inputs[-1], *self._layers[-1])
        self._value = self._network.activation(self._raw)
        return (self._value * self._scale).view(self._network.shape_of(x))

    def gradients(self, slope: Tensor) -> list[Tensor]:
        """Return the gradients of all parameters from that of the last predictions, in memory used again."""
        g = self._back(slope.reshape(self._raw.shape) * self._scale, self._raw, self._value)
        for i in reversed(range(len(self._layers))):
            inputs, (to_weight, to_bias) = self._inputs[i], self._into[i]
            torch.matmul(g.mT, inputs, out=to_weight)
            torch.sum(g, -2, keepdim=True, out=to_bias)
            if i:
                g = g @ self._layers[i][0]
                _relu_back(g, inputs, 0, grad_input=g)
        return self._gradients

    def _rows(self, values: Tensor) -> Tensor:
        return values.squeeze(0) if self._alone else values


def _is_plain(network: PredictorNetwork) -> bool:
    """Whether the network does what its class does: nothing replaced, frozen or hooked."""
    modules, parameters = list(network.modules()), dict(network.named_parameters())
    hooks = [
        *(m._forward_hooks or m._forward_pre_hooks or m._backward_hooks for m in modules),
        *(p._backward_hooks or p._post_accumulate_grad_hooks for p in parameters.values()),
    ]
    return (
        {type(module) for module in modules} == {PredictorNetwork, Linear}
        and list(parameters) in (_PARAMETERS, _PARAMETERS[2:])
        and network.activation in _BACK
        and all(p.requires_grad for p in parameters.values())
        and not any(hooks)
    )


def _pairs(values: Iterable[Tensor]) -> list[tuple[Tensor, Tensor]]:
    every = list(values)
    return list(zip(every[::2], every[1::2], strict=True))


def _affine(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    return torch.addmm(bias, x, weight.mT) if x.ndim == 2 else x @ weight.mT + bias
