"""The noise that losses are compared under: numbers that PyEPO draws, too."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from ._cases import ROWS, Case

DRAWS, SIGMA = 4, 0.5


def first_numbers(size: tuple[int, ...]) -> Tensor:
    """Return the first standard normal numbers (n, draws, D) that a module of PyEPO draws."""
    return torch.randn(size, dtype=torch.float64, generator=torch.Generator().manual_seed(135))


class Copied:
    """A law of noise for PyEPO's I-MLE: the same numbers at every call."""

    def sample(self, size: tuple[int, ...]) -> np.ndarray:
        """Return the first numbers."""
        return first_numbers(size).numpy()


def noise_of(given: Case, turned: bool = True) -> Tensor:
    """Return the noise of some rows (draws, n, D), turned by the sense of the problem or not."""
    noise = first_numbers((ROWS, DRAWS, *given.y.shape[1:])).movedim(1, 0)
    rows = noise if given.index is None else noise[:, given.index]
    return getattr(given.problem, "sign", 1.0) * rows if turned else rows


def perturbed(given: Case, y_hat: Tensor, turned: bool = True) -> Tensor:
    """Return predictions with noise, (draws, n, D)."""
    return y_hat + SIGMA * given.scale * noise_of(given, turned)


def called(given: Case, words: str) -> Case:
    """Return a case with words added to its label."""
    return replace(given, label=f"{given.label}, {words}")
