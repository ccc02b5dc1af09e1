"""Features in deviations of the training rows."""

from collections.abc import Sequence

import numpy as np

from ..contracts.split import Split, Splits


class Standardizer:
    """Scales features by their mean and spread over the training rows and their stocks or slots."""

    # Beyond this many training deviations a feature says "extreme" and nothing more.
    LIMIT = 5.0

    def __init__(self, train: np.ndarray, limit: float = LIMIT) -> None:
        self.limit = limit
        axes = tuple(range(train.ndim - 1))
        self.mean = train.mean(axes)
        spread = train.std(axes)
        self.spread = np.where(spread > 0, spread, 1.0)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return x (..., features) in training deviations from the training mean."""
        return ((x - self.mean) / self.spread).clip(-self.limit, self.limit)


def standardized(parts: Sequence[Split], of: np.ndarray | None = None) -> Splits:
    """Return the train, validation and test parts with features in deviations of the training part.

    With features `of` other rows, as in published code: in deviations of these, however many they are.
    """
    scale = Standardizer(parts[0].x) if of is None else Standardizer(of, limit=np.inf)
    return Splits(*(Split(scale(part.x), part.y, part.context) for part in parts))
