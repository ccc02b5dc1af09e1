"""What `lcgln-plus` does where decisions move with the prediction: solve at the predictor as it trains."""

from torch import Tensor, nn

from lcgln.bent import BentLoss

from ..training.minibatch import Minibatch
from ..training.prediction_loss import PredictionLoss
from ..training.seed_batch import SeedBatch, keep_finite
from ..training.solutions import Solutions


class BentTraining:
    """The bent loss, solved anew at the predictor every so many steps, beside the prediction error.

    Args:
        batch: the tasks; their problem has `embed` and a decision layer.
        network: the predictor, which this only reads.
        labels: how often the rows are solved, the truth not counted.
        every: steps between.
        weight: of the prediction error, beside the loss in units of its mean at the first solve.
    """

    def __init__(self, batch: SeedBatch, network: nn.Module, labels: int, every: int, weight: float) -> None:
        self._batch, self._network, self._problem = batch, network, batch.problem.in_training
        self._left, self._every, self._weight = labels, every, weight
        self._best = Solutions(batch)
        self._prediction = PredictionLoss(batch)
        self._unit: Tensor | None = None
        self._loss: BentLoss | None = None
        self.gradient = self._gradient if self._prediction.gradient or not weight else None

    def before(self, step: int) -> None:
        """Solve the rows again where it is time and labels are left."""
        if step % self._every == 0 and self._left:
            self._left -= 1
            with self._batch.ledger.phase("label"):
                self._solve()

    def _solve(self) -> None:
        train, problem = self._batch.train, self._problem
        y_hat, _ = keep_finite(self._network(train.x).detach(), train.y)
        self._batch.ledger.count(train.y.shape[0] * train.y.shape[1])

        def decide(c: Tensor) -> tuple[Tensor, Tensor]:
            decisions = problem.decision_layer(c.view(train.y.shape), train.context)
            assert decisions is not None, "asked only where there is one"
            return self._embed(decisions)

        at = 2.0 * y_hat - train.y
        self._loss = BentLoss(train.y.flatten(2), self._embed(self._best.decisions), at.flatten(2), decide)
        if self._unit is None:  # no later solve changes it, so that the prediction error keeps its weight
            self._unit = self._loss(y_hat.flatten(2), None).mean(1, keepdim=True).clamp_min(1e-12)

    def _embed(self, decisions: Tensor) -> tuple[Tensor, Tensor]:
        context = self._batch.train.context
        embedded, known = self._problem.embed(decisions, context), self._problem.known(decisions, context)
        assert embedded is not None, "asked only where the cost is linear"
        flat = embedded.flatten(2)
        return flat, known if isinstance(known, Tensor) else flat.new_full(flat.shape[:2], float(known))

    def __call__(self, y_hat: Tensor, rows: Minibatch) -> Tensor:
        """Return the loss of each row, (S, n)."""
        assert self._loss is not None and self._unit is not None, "the first step solves"
        value = self._loss(y_hat.flatten(2), rows.index) / self._unit
        return value + self._weight * self._prediction(y_hat, rows) if self._weight else value

    def _gradient(self, y_hat: Tensor, rows: Minibatch, weight: float) -> Tensor:
        assert self._loss is not None and self._unit is not None, "the first step solves"
        own = self._loss.gradient(y_hat.flatten(2), rows.index) * (weight / self._unit.unsqueeze(-1))
        own = own.view(y_hat.shape)
        if self._prediction.gradient is None or not self._weight:
            return own
        return own + self._prediction.gradient(y_hat, rows, self._weight * weight)
