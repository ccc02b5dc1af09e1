"""Features as they were measured, in standard units of the training rows."""

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Units:
    """The mean and the spread of each feature over the training rows of each seed, (S, 1, ..., F)."""

    mean: Tensor
    spread: Tensor

    @classmethod
    def of(cls, x: Tensor) -> "Units":
        """Return the units of training features (S, n, ..., F)."""
        axes = tuple(range(1, x.ndim - 1))
        mean = x.mean(axes, keepdim=True)
        spread = (x - mean).square().mean(axes, keepdim=True).sqrt()
        return cls(mean, torch.where(spread > 0, spread, 1.0))

    def standard(self, x: Tensor) -> Tensor:
        """Return features in standard units."""
        return (x - self.mean) / self.spread

    def of_member(self, member: int) -> "Units":
        """Return the units of one seed, with an axis for it."""
        return Units(self.mean[member : member + 1], self.spread[member : member + 1])
