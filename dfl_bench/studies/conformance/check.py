"""One comparison of a loss with something outside it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules

import numpy as np
import torch
from torch import Tensor

from . import __path__ as _folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """How far a loss is from a reference, in value and gradient, relative to the size of the reference."""

    method: str  # as registered
    case: str  # "shortest path 3 x 3, 64 rows"
    against: str  # "brute force", "finite differences", "PyEPO 2.2.7", "batch of one", "maximise", ...
    value_error: float | None  # None: not compared
    gradient_error: float | None
    tolerance: float
    absent: str = ""  # the package that is missing, where nothing could be compared

    @property
    def passed(self) -> bool:
        """Whether all that was compared is within the tolerance; NaN is not."""
        errors = [e for e in (self.value_error, self.gradient_error) if e is not None]
        return bool(errors) and all(e <= self.tolerance for e in errors)


def relative(ours: Tensor | np.ndarray, theirs: Tensor | np.ndarray) -> float:
    """Return the largest difference, relative to the largest entry of the reference (or to one)."""
    a, b = (np.asarray(v.detach() if isinstance(v, Tensor) else v, dtype=np.float64) for v in (ours, theirs))
    if a.shape != b.shape:
        raise ValueError(f"expected two arrays of one shape, got {a.shape} and {b.shape}.")
    return float(np.abs(a - b).max() / max(1.0, float(np.abs(b).max())))


def gradient(loss: Callable[[Tensor], Tensor], y_hat: Tensor) -> Tensor:
    """Return the gradient of the sum of a loss (n,) at predictions (n, ...)."""
    point = y_hat.detach().clone().requires_grad_()
    loss(point).sum().backward()
    assert point.grad is not None, "the loss does not depend on the prediction"
    return point.grad


def finite_differences(loss: Callable[[Tensor], Tensor], y_hat: Tensor, step: float = 1e-6) -> Tensor:
    """Return the same by central differences, one entry of all instances at a time.

    Args:
        loss: predictions (n, ...) to (n,); the loss of an instance depends on its own prediction alone.
        y_hat: predictions (n, ...).
        step: half the width of a difference.
    """
    flat = y_hat.detach().flatten(1)
    out = torch.empty_like(flat)
    for i in range(flat.shape[1]):
        move = torch.zeros_like(flat)
        move[:, i] = step
        up, down = (loss((flat + sign * move).view_as(y_hat)).detach() for sign in (1.0, -1.0))
        out[:, i] = (up - down) / (2 * step)
    return out.view_as(y_hat)


def families() -> list[str]:
    """Return the families of losses: the modules here that have a function `checks`."""
    return sorted(m.name for m in iter_modules(_folder) if not m.name.startswith("_") and m.name != "check")


def checks(family: str | None = None) -> Iterator[Check]:
    """Yield the checks of a family, or of all."""
    for name in families() if family is None else [family]:
        yield from import_module(f"{__package__}.{name}").checks()
