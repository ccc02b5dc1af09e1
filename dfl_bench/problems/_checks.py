"""What every problem checks of its configuration and of a prediction."""

import sys
from typing import Any

import numpy as np

from kernels.deferred import require


def require_counts(config: Any, *names: str, least: int = 1) -> None:
    """Raise unless these fields of a configuration are whole numbers of at least `least`."""
    for name in names:
        value = getattr(config, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"expected {name} to be an integer of at least {least}, got {value!r}.")


def require_between(config: Any, low: float, high: float, *names: str) -> None:
    """Raise unless these fields of a configuration are numbers in [low, high]."""
    for name in names:
        value = getattr(config, name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise ValueError(f"expected {name} to be a number in [{low}, {high}], got {value!r}.")


def require_choice(config: Any, name: str, *choices: str) -> None:
    """Raise unless this field of a configuration is one of the choices."""
    value = getattr(config, name)
    if value not in choices:
        raise ValueError(f"expected {name} to be one of {', '.join(map(repr, choices))}, got {value!r}.")


def require_finite(y_hat: Any) -> None:
    """Raise when a prediction, NumPy or torch, holds a NaN or an infinity."""

    def explain() -> None:
        raise ValueError(
            f"expected finite predictions, got NaN or infinity in y_hat of shape {tuple(y_hat.shape)}; "
            "the fit that made them has diverged."
        )

    finite = namespace(y_hat).isfinite(y_hat).all()
    if namespace(y_hat) is not np:
        require(finite, explain)
    elif not finite:
        explain()


def namespace(array: Any) -> Any:
    """Return torch for a tensor, numpy for anything else; never imports torch."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else np
