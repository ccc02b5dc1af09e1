"""A user's torch module as the predictor of a batch of seeds."""

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..contracts.split import Split


class OwnNetwork(nn.Module):
    """One copy of a module for each seed, with their parameters stacked (S, ...).

    A module maps features (n, ..., F) to numbers of the shape of the outcomes. It is used in evaluation mode:
    no dropout, no statistics of batches. Predictions are its outputs times the label scale, and begin at the
    mean outcome where the problem's network is standardized.
    """

    def __init__(
        self,
        given: nn.Module | Callable[[], nn.Module],
        train: Split,
        scale: Tensor,
        start: Tensor | None,
        rngs: Sequence[np.random.Generator],
    ) -> None:
        """Copy or make the modules.

        Args:
            given: a module, whose copies begin with its weights, or a function that makes one.
            train: the training rows, (S, n, ...).
            scale: the label scale of each seed, (S,).
            start: what is added to the outputs of each seed, (S, *targets), or None.
            rngs: one stream for each seed, for a function that draws weights.
        """
        super().__init__()
        self.scale: Tensor
        self.start: Tensor
        self._skeleton: Any
        device = scale.device
        copies = [made(given, rng).double().to(device).eval() for rng in rngs]
        self._names = [name for name, _ in copies[0].named_parameters()]
        stacked, buffers = torch.func.stack_module_state(copies)
        for i, name in enumerate(self._names):
            self.register_parameter(f"p{i}", nn.Parameter(stacked[name].detach().clone()))
        self._buffers_of = list(buffers)
        for i, name in enumerate(self._buffers_of):
            self.register_buffer(f"b{i}", buffers[name])
        object.__setattr__(self, "_skeleton", copies[0].to("meta"))  # no part of the parameters
        shape = (len(rngs), *[1] * (train.y.ndim - 1))
        self.register_buffer("scale", scale.view(shape))
        self.register_buffer(
            "start",
            torch.zeros(shape, dtype=torch.float64, device=device) if start is None else start[:, None],
        )
        self._check(train)

    def forward(self, x: Tensor) -> Tensor:
        """Map (S, n, ..., F) to predictions (S, n, *targets)."""
        state = {name: getattr(self, f"p{i}") for i, name in enumerate(self._names)}
        state |= {name: getattr(self, f"b{i}") for i, name in enumerate(self._buffers_of)}

        def one(state: Any, x: Tensor) -> Tensor:
            return torch.func.functional_call(self._skeleton, state, (x,))

        raw = torch.vmap(one, randomness="different")(state, x)
        return raw.reshape(*raw.shape[:2], *self.start.shape[2:]) * self.scale + self.start

    @property
    def names(self) -> dict[str, str]:
        """The name of each parameter and buffer of the module, with its name here."""
        return {name: f"p{i}" for i, name in enumerate(self._names)} | {
            name: f"b{i}" for i, name in enumerate(self._buffers_of)
        }

    def _check(self, train: Split) -> None:
        with torch.no_grad():
            state = {n: getattr(self, f"p{i}")[0] for i, n in enumerate(self._names)}
            state |= {n: getattr(self, f"b{i}")[0] for i, n in enumerate(self._buffers_of)}
            try:
                raw = torch.func.functional_call(self._skeleton, state, (train.x[0, :2],))
            except RuntimeError as error:
                raise ValueError(
                    f"the torch module does not take features of shape {tuple(train.x.shape[2:])}: {error}"
                ) from error
        expected, given = tuple(train.y[0, :2].shape), tuple(raw.shape)
        if given not in (expected, (*expected, 1)) and not (expected[1:] == (1,) and given == expected[:1]):
            raise ValueError(
                f"expected the torch module to give {expected} for 2 rows, as outcomes are, got {given}."
            )


def made(given: Any, rng: np.random.Generator) -> nn.Module:
    """Return a copy of a module, or what a function makes with random numbers of a stream."""
    if isinstance(given, nn.Module):
        return copy.deepcopy(given)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(2**63)))
        made = given()
    if not isinstance(made, nn.Module):
        raise TypeError(
            f"expected the function for the predictor to return a torch module, got {type(made).__name__}."
        )
    return made
