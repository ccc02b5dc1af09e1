"""What every public kernel does first and last: recognise NumPy or torch, check, cast, and cast back."""

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..deferred import require

if TYPE_CHECKING:
    import torch

    Array: TypeAlias = np.ndarray | torch.Tensor
else:
    Array: TypeAlias = Any


EACH_ITS_OWN = np.empty(0, np.int64)
"""The empty row map of `broadcast_rows`: every row stands for itself, nothing is repeated."""


def is_tensor(array: object) -> bool:
    """Recognise a torch tensor without importing torch: before that import, no tensor exists."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(array, torch.Tensor)


def wants_torch(*arrays: object) -> bool:
    """Whether the torch implementation must serve: some tensor is off the CPU or part of an autograd graph.

    All kernels choose between Numba and torch here.
    """
    return any(is_tensor(a) and (a.device.type != "cpu" or a.requires_grad) for a in arrays)  # type: ignore[attr-defined]


def to_numpy(array: Array, name: str) -> np.ndarray:
    """Return a C-contiguous float64 view or copy of an array of real numbers; refuse other numbers."""
    if is_tensor(array):
        _require_real(array, name)
        array = array.detach().double().numpy()  # type: ignore[union-attr]  # NumPy has no bfloat16
    values = np.asarray(array)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"expected real numbers for {name}, got dtype {values.dtype}.")
    # Not ascontiguousarray, which would turn a scalar into a vector.
    return np.asarray(values, dtype=np.float64, order="C")


def to_tensor(array: Array, name: str, device: "torch.device") -> "torch.Tensor":
    """Return a float64 tensor on a device. Arrays are copied there; tensors of another device are refused.

    Args:
        array: array or tensor.
        name: what the error calls it.
        device: where the result must be.
    """
    import torch

    if not is_tensor(array):
        return torch.from_numpy(to_numpy(array, name)).to(device)
    _require_real(array, name)
    if array.device != device:
        raise ValueError(f"expected {name} on {device}, got {array.device}; move it there first.")
    return array.to(torch.float64)


def device_of(*arrays: object) -> "torch.device":
    """Return the device of the first tensor, preferring one that is off the CPU."""
    devices = [a.device for a in arrays if is_tensor(a)]  # type: ignore[attr-defined]
    return next((d for d in devices if d.type != "cpu"), devices[0])


def is_single(*arrays: object) -> bool:
    """Whether all arrays are float32, so that the result is float32 too."""
    return all(str(getattr(a, "dtype", "")).endswith("float32") for a in arrays)


def giver(*arrays: Array) -> Callable[[Any], Array]:
    """Return the function that turns a float64 result back into the kind and precision of the inputs.

    Only float32 inputs give float32 back, all others give float64. A tensor among the inputs gives a tensor.
    """
    single = is_single(*arrays)
    narrow = _to_single if single else lambda out: out
    if not any(is_tensor(a) for a in arrays):
        return narrow
    import torch

    def give(out: Any) -> Array:
        if is_tensor(out):
            return _to_single_tensor(out) if single else out
        return torch.from_numpy(np.asarray(narrow(out)))

    return give


def _to_single(out: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        result = np.asarray(out.astype(np.float32))
    if np.isinf(result).any():
        first = float(out[np.isinf(result)].reshape(-1)[0])
        raise ValueError(f"expected a result that float32 can hold, got {first:g}; pass float64 inputs.")
    return result


def _to_single_tensor(out: "torch.Tensor") -> "torch.Tensor":
    result = out.float()
    require(result.isinf().logical_not().all(), lambda: _explain_single(out))
    return result


def _explain_single(out: "torch.Tensor") -> None:
    _to_single(out.detach().cpu().numpy())


def broadcast_rows(**leads: tuple[int, ...]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Broadcast leading shapes. Return the common shape and, for each array, its row for every flat row.

    Rows are mapped, not repeated, so labels that many predictions share are stored once. An empty map means
    that every row stands for itself: at ten nanoseconds per row, even reading a map would show.
    """
    try:
        shape = np.broadcast_shapes(*leads.values())
    except ValueError:
        shown = ", ".join(f"{name} {lead}" for name, lead in leads.items())
        raise ValueError(
            f"expected leading dimensions that broadcast, got {shown}; align or insert axes."
        ) from None
    maps = [
        EACH_ITS_OWN
        if lead == shape
        else np.broadcast_to(np.arange(math.prod(lead)).reshape(lead), shape).flatten()
        for lead in leads.values()
    ]
    return shape, maps


def require_finite(values: np.ndarray, name: str) -> None:
    """Raise with the first bad index when a NaN or an infinity is present."""
    # One pass: a finite sum has finite terms. Only a failing batch, or a sum that overflows, is searched.
    with np.errstate(over="ignore"):
        total = values.sum()
    if not np.isfinite(total) and not (finite := np.isfinite(values)).all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(
            f"expected finite {name}, got {values[where]} at index {where} "
            f"({int((~finite).sum())} such entries); clean or clip {name} first."
        )


def _require_real(array: Any, name: str) -> None:
    if array.is_complex():
        raise TypeError(f"expected real numbers for {name}, got dtype {array.dtype}.")
