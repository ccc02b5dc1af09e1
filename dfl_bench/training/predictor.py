"""The predictor that every trained method shares: one network for each seed of a batch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lcgln.ensemble.layers import Linear
from lcgln.ensemble.written_out import identity, softmax

from ..contracts.problem import Network
from ..errors import DivergedError
from .units import Units

ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "softmax": softmax,
    "softplus": nn.functional.softplus,
    "relu": nn.functional.relu,
    "tanh": torch.tanh,
    "linear": identity,
}


class PredictorNetwork(nn.Module):
    """One hidden ReLU layer or none, shared over the inner rows of an instance (websites, stocks)."""

    def __init__(
        self, shape: Network, n_features: int, scale: Tensor, rngs: Sequence[np.random.Generator]
    ) -> None:
        super().__init__()
        self.hidden = Linear(n_features, shape.hidden, rngs) if shape.hidden else None
        self.output = Linear(shape.hidden or n_features, shape.outputs, rngs)
        self.activation, self.outputs = ACTIVATIONS[shape.activation], shape.outputs
        self.described, self.n_features = shape, n_features
        self.scale: Tensor
        self.register_buffer("scale", scale)

    @torch.no_grad()
    def begin_at(self, outcomes: Tensor) -> None:
        """Set the last bias so that predictions begin around outcomes (S, *targets)."""
        raw = outcomes.reshape(len(outcomes), -1, self.outputs).mean(1) / self.scale[:, None]
        if self.activation is nn.functional.softplus:
            raw = torch.log(torch.expm1(raw.clamp_min(1e-6)))
        elif self.activation is not identity:
            return
        self.output.bias.copy_(raw.view_as(self.output.bias))

    def forward(self, x: Tensor) -> Tensor:
        """Map (S, n, ..., features) to predictions (S, n, ..., outputs), or (S, n, ...) for one output."""
        rows = x.flatten(1, -2)
        raw = self.output(rows if self.hidden is None else torch.relu(self.hidden(rows)))
        prediction = self.activation(raw) * self.scale[:, None, None]
        return prediction.view(self.shape_of(x))

    def shape_of(self, x: Tensor) -> tuple[int, ...]:
        """Return the shape of the predictions for features x."""
        rows = x.shape[:-1]
        # One output for each inner row: y has no axis for it.
        return tuple(rows) if self.outputs == 1 and len(rows) > 2 else (*rows, self.outputs)


@dataclass(frozen=True, slots=True)
class TrainedPredictor:
    """One member of a trained batch, as a function of NumPy features."""

    network: nn.Module
    member: int
    diverged: bool
    device: str
    units: Units | None = None  # of the features, where they come as they were measured

    @torch.no_grad()
    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return predictions (n, ...) for features (n, ...)."""
        if self.diverged:
            raise DivergedError(
                "training lost finite predictions before it improved; lower the learning rate."
            )
        state: Any = {name: value[self.member][None] for name, value in self.network.state_dict().items()}
        features = torch.as_tensor(x, dtype=torch.float64, device=self.device)[None]
        if self.units is not None:
            features = self.units.standard(features)
        return torch.func.functional_call(self.network, state, (features,))[0].cpu().numpy()

    def state(self) -> tuple[str, dict[str, Any], dict[str, np.ndarray]]:
        """Return the kind of network, what describes it, and its numbers: all that makes it again."""
        if self.diverged:
            raise DivergedError("training lost finite predictions: there is nothing to save.")
        arrays = {n: v[self.member][None].cpu().numpy() for n, v in self.network.state_dict().items()}
        if self.units is not None:
            arrays |= {"mean": self.units.mean.cpu().numpy(), "spread": self.units.spread.cpu().numpy()}
        if isinstance(self.network, PredictorNetwork):
            facts = {"network": asdict(self.network.described), "n_features": self.network.n_features}
            return "network", facts, arrays
        return "module", {"names": getattr(self.network, "names", {})}, arrays
