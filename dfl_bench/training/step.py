"""What one step of the shared loop computes: the gradients of the mean loss of its rows."""

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor, nn

from lcgln.ensemble.adam import gradients_of
from lcgln.ensemble.minimize import Gradients

from .derivative import Derivative
from .minibatch import Minibatch

Loss = Callable[[Tensor, Minibatch], Tensor]  # predictions (S, n, *targets) and their rows to (S, n)


def objective(
    network: nn.Module, loss: Loss, rows_at: Callable[[int], Minibatch]
) -> Callable[[int], Tensor] | Gradients:
    """Return what `minimize` lowers: the mean loss of each seed, or its gradients where we can write them.

    Args:
        network: the predictor of all seeds.
        loss: takes predictions and their rows; it may have a `gradient`, see `PredictionLoss`.
        rows_at: step number to the rows of the step.
    """
    derivative = Derivative.of(network)
    if derivative is None:
        return lambda step: _mean_loss(network, loss, rows_at(step))
    gradients = _by_torch if getattr(loss, "gradient", None) is None else _as_given
    return Gradients(lambda step: gradients(derivative, loss, rows_at(step)))


def _mean_loss(network: nn.Module, loss: Loss, rows: Minibatch) -> Tensor:
    """The loss of a network that torch differentiates as a whole, (S,)."""
    return _losses(loss, _predictions(network, rows), rows).mean(-1)


def _as_given(derivative: Derivative, loss: Any, rows: Minibatch) -> Sequence[Tensor]:
    """The gradients of a loss that has a gradient of its own."""
    y_hat = _predictions(derivative.predict, rows)
    return derivative.gradients(loss.gradient(y_hat, rows, 1.0 / y_hat.shape[1]))


def _by_torch(derivative: Derivative, loss: Loss, rows: Minibatch) -> Sequence[Tensor | None]:
    """The gradients of any other loss: torch differentiates it as a function of the predictions."""
    y_hat = _predictions(derivative.predict, rows).requires_grad_()
    value = _losses(loss, y_hat, rows)
    # A loss may also reach parameters by itself, for example with a penalty on weights.
    slope, *direct = gradients_of(value, [y_hat, *derivative.parameters], 1.0 / value.shape[1])
    if slope is None:
        return direct
    through = derivative.gradients(slope)
    return [g if own is None else g + own for g, own in zip(through, direct, strict=True)]


def _predictions(predict: Callable[[Tensor], Tensor], rows: Minibatch) -> Tensor:
    y_hat = predict(rows.x)
    assert y_hat.shape == rows.y.shape, f"prediction {y_hat.shape} against outcome {rows.y.shape}"
    return y_hat


def _losses(loss: Loss, y_hat: Tensor, rows: Minibatch) -> Tensor:
    value = loss(y_hat, rows)
    assert value.shape == rows.y.shape[:2], f"expected one loss an instance, got {tuple(value.shape)}"
    return value
