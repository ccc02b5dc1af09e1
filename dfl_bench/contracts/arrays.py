"""Arrays that may be NumPy's or torch's: their types and what is asked of both; torch is never imported."""

import sys
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

if TYPE_CHECKING:
    import torch

    Array: TypeAlias = np.ndarray | torch.Tensor
    Tensor: TypeAlias = torch.Tensor
    # What comes in as NumPy goes out as NumPy, what comes in as torch goes out as torch.
    A = TypeVar("A", np.ndarray, torch.Tensor)
else:
    Array: TypeAlias = Any
    Tensor: TypeAlias = Any
    A = TypeVar("A")


def require_finite(y_hat: Array) -> None:
    """Raise when a prediction, NumPy or torch, holds a NaN or an infinity."""

    def explain() -> None:
        raise ValueError(
            f"expected finite predictions, got NaN or infinity in y_hat of shape {tuple(y_hat.shape)}; "
            "the fit that made them has diverged."
        )

    finite = namespace(y_hat).isfinite(y_hat).all()
    if namespace(y_hat) is not np:
        from kernels.deferred import require

        require(finite, explain)
    elif not finite:
        explain()


def namespace(array: Array) -> Any:
    """Return torch for a tensor, numpy for anything else; never imports torch."""
    torch = sys.modules.get("torch")
    return torch if torch is not None and isinstance(array, torch.Tensor) else np
