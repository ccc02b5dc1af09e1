"""What every public kernel does first: tell NumPy from torch, check, cast, and remember what to give back."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import torch

    Array: TypeAlias = np.ndarray | torch.Tensor
else:
    Array: TypeAlias = Any


def is_tensor(array: object) -> bool:
    """Tell a torch tensor without importing torch: nobody holds a tensor before torch was imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def wants_torch(*arrays: object) -> bool:
    """Whether the torch implementation must serve: some tensor is off the CPU or part of an autograd graph.

    This is the only place of the project that branches on device.
    """
    return any(is_tensor(a) and (a.device.type != "cpu" or a.requires_grad) for a in arrays)  # type: ignore[attr-defined]


def to_numpy(array: Array, name: str) -> np.ndarray:
    """Return a C-contiguous float64 view or copy of a real array; refuse other kinds by name."""
    values = array.detach().numpy() if is_tensor(array) else np.asarray(array)  # type: ignore[union-attr]
    if values.dtype.kind not in "fiub":
        raise TypeError(f"expected real numbers for {name}, got dtype {values.dtype}.")
    return np.ascontiguousarray(values, dtype=np.float64)


def giver(*arrays: Array) -> Callable[[np.ndarray], Array]:
    """Return the function that turns a float64 result back into the kind and precision of the inputs.

    float32 inputs give float32 back, anything else float64; a tensor among the inputs gives a tensor.
    """
    single = all(str(getattr(a, "dtype", "")).endswith("float32") for a in arrays)
    dtype = np.float32 if single else np.float64
    if not any(is_tensor(a) for a in arrays):
        return lambda out: out.astype(dtype, copy=False)
    import torch

    return lambda out: torch.from_numpy(np.asarray(out.astype(dtype, copy=False)))


def require_finite(values: np.ndarray, name: str) -> None:
    """Raise with the first offending row when a NaN or an infinity is present."""
    # One pass: the sum of finite numbers this size is finite, so only a failing batch pays for the search.
    if not np.isfinite(values.sum()) and not (finite := np.isfinite(values)).all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(
            f"expected finite {name}, got {values[where]} at index {where} "
            f"({int((~finite).sum())} such entries); clean or clip {name} first."
        )
