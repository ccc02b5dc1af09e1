"""Daily returns and volumes of some stocks."""

from typing import NamedTuple

import numpy as np


class Market(NamedTuple):
    """Simple daily returns and traded volumes, both (days, stocks), days ascending.

    `expected` is the mean of each return given the day before. It is known for generated markets only.
    """

    returns: np.ndarray
    volumes: np.ndarray
    expected: np.ndarray | None = None
