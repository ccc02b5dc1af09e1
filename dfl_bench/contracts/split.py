"""Rows of a data set: features, outcomes, and what belongs to each instance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


@dataclass(frozen=True, slots=True)
class Split:
    """Instances along the first axis of x, of y and of every array in `context`.

    The arrays are NumPy; `to` gives the same rows as torch tensors on a device.
    """

    x: Any
    y: Any
    context: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, rows: Any) -> "Split":
        return self._map(lambda a: a[rows])

    def to(self, device: str) -> "Split":
        """Return the rows as float64 tensors on a device."""
        import torch

        return self._map(lambda a: torch.as_tensor(a, dtype=torch.float64, device=device))

    def arrays(self) -> list[Any]:
        """Return x, y and the context's arrays in a fixed order."""
        return [self.x, self.y, *(self.context[k] for k in sorted(self.context))]

    def _map(self, change: Any) -> "Split":
        return Split(change(self.x), change(self.y), {k: change(v) for k, v in self.context.items()})


class Splits(NamedTuple):
    """Train, validation and test rows; no instance is in two of them."""

    train: Split
    val: Split
    test: Split


def stack(splits: Sequence[Split]) -> Split:
    """Join the splits of several seeds along a new leading axis, so that they train as one batch."""
    first = splits[0]
    return Split(
        np.stack([s.x for s in splits]),
        np.stack([s.y for s in splits]),
        {k: np.stack([s.context[k] for s in splits]) for k in first.context},
    )
