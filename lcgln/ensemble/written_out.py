"""Layers with their derivatives written out.

A step of a small network takes less time than torch needs to record it and to walk the record back. A layer
here gives values and keeps what their gradients need; gradients belong to its last values. The operations are
those of torch's own backward pass, in the same layout: for one member they are equal to the last bit.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor
from torch.nn import functional

from .layers import Linear, Product, identity

_aten = torch.ops.aten


def softmax(raw: Tensor) -> Tensor:
    """Return positive numbers with sum one along the last axis."""
    return raw.softmax(-1)


def leaky_relu(raw: Tensor) -> Tensor:
    """Return the argument, a tenth of it where it is negative."""
    return functional.leaky_relu(raw, 0.1)


# From the gradient of an activation's value, its argument and its value to the gradient of its argument.
_BACK: Mapping[Callable[[Tensor], Tensor], Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    softmax: lambda g, raw, value: _aten._softmax_backward_data.default(g, value, -1, g.dtype),
    identity: lambda g, raw, value: g,
    leaky_relu: lambda g, raw, value: _aten.leaky_relu_backward.default(g, raw, 0.1, False),
    torch.tanh: lambda g, raw, value: _aten.tanh_backward.default(g, value),
    torch.relu_: lambda g, raw, value: _aten.threshold_backward.grad_input(g, value, 0, grad_input=g),
    functional.relu: lambda g, raw, value: _aten.threshold_backward.default(g, value, 0),
    functional.softplus: lambda g, raw, value: _aten.softplus_backward.default(g, raw, 1.0, 20.0),
    functional.elu: lambda g, raw, value: _aten.elu_backward.default(g, 1.0, 1.0, 1.0, False, raw),
}


class WrittenActivation:
    """A function that `knows` says yes to; `torch.relu_` works in place, on the way back too."""

    @staticmethod
    def knows(function: object) -> bool:
        """Return whether the derivative of a function is written here."""
        return function in _BACK

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        self._function, self._back = function, _BACK[function]

    def __call__(self, raw: Tensor) -> Tensor:
        """Return the value."""
        self._raw, self._value = raw, self._function(raw)
        return self._value

    def back(self, g: Tensor) -> Tensor:
        """Return the gradient of the argument, given that of the value."""
        return self._back(g, self._raw, self._value)


class WrittenLinear:
    """A `Linear`, or a batch of them; a batch of one has no axis here: see `rows_of`.

    Args:
        layer: what is differentiated; its parameters may change in place.
    """

    def __init__(self, layer: Linear) -> None:
        self.gradients = [torch.empty_like(layer.weight), torch.empty_like(layer.bias)]
        self._to_weight, self._to_bias = map(rows_of, self.gradients)
        self._weight, self._bias = rows_of(layer.weight.detach()), rows_of(layer.bias.detach())
        self._batch_of_one = layer.weight.ndim > self._weight.ndim

    def __call__(self, x: Tensor) -> Tensor:
        """Map (*batch, rows, n_in) to (*batch, rows, n_out)."""
        self._x = x
        if self._batch_of_one:
            return torch.addmm(self._bias, x, self._weight.mT)
        return x @ self._weight.mT + self._bias

    def back(self, g: Tensor) -> None:
        """Write the gradients of the parameters, given that of the values."""
        torch.matmul(g.mT, self._x, out=self._to_weight)
        torch.sum(g, -2, keepdim=True, out=self._to_bias)

    def to_input(self, g: Tensor) -> Tensor:
        """Return the gradient of the input, given that of the values."""
        return g @ self._weight


class WrittenProduct:
    """A `Product`, in the same way.

    Args:
        layer: what is differentiated; its parameters may change in place.
    """

    def __init__(self, layer: Product) -> None:
        self.gradients = [torch.empty_like(layer.raw)]
        self._raw, self._to_raw = rows_of(layer.raw.detach()), rows_of(self.gradients[0])
        self._weights = WrittenActivation(layer.weights)
        self._product = _product_of_one if layer.raw.ndim > self._raw.ndim else torch.matmul

    def __call__(self, x: Tensor) -> Tensor:
        """Map (*batch, rows, n_in) to (*batch, rows, n_out)."""
        self._x, self._weight = x, self._weights(self._raw)
        return self._product(x, self._weight)

    def back(self, g: Tensor) -> None:
        """Write the gradient of the parameters, given that of the values."""
        self._to_raw.copy_(self._weights.back(self._product(self._x.mT, g)))

    def to_input(self, g: Tensor) -> Tensor:
        """Return the gradient of the input, given that of the values."""
        return self._product(g, self._weight.mT)


def _product_of_one(a: Tensor, b: Tensor) -> Tensor:
    """The product of a batch of one: torch rounds it otherwise than a plain one where it is small."""
    return torch.bmm(a.unsqueeze(0), b.unsqueeze(0)).squeeze(0)


def rows_of(values: Tensor) -> Tensor:
    """Return (rows, n) for a batch of one (1, rows, n): plain products take half the time of a batch's."""
    return values.squeeze(0) if values.ndim == 3 else values
