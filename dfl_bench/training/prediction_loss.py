"""The prediction error as a loss of the shared loop."""

from torch import Tensor

from .minibatch import Minibatch
from .seed_batch import SeedBatch

_NAMES = ("prediction_loss", "prediction_gradient")


class PredictionLoss:
    """What PFL minimizes, with its gradient, so that a step needs no record of torch.

    The gradient is None where a problem replaces the loss and not its gradient: torch differentiates it.
    """

    def __init__(self, batch: SeedBatch) -> None:
        self._batch = batch
        owner = next(cls for cls in type(batch.problem).__mro__ if any(name in vars(cls) for name in _NAMES))
        self.gradient = self._gradient if "prediction_gradient" in vars(owner) else None

    def __call__(self, y_hat: Tensor, rows: Minibatch) -> Tensor:
        """Return the prediction error of each row, (S, n)."""
        return self._batch.prediction_loss(y_hat, rows.y)

    def _gradient(self, y_hat: Tensor, rows: Minibatch, weight: float) -> Tensor:
        return self._batch.problem.prediction_gradient(y_hat, rows.y, self._batch.scale_like(rows.y), weight)
