"""What every public kernel does first: tell NumPy from torch, check, cast, and remember what to give back."""

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    import torch

    Array: TypeAlias = np.ndarray | torch.Tensor
else:
    Array: TypeAlias = Any


EACH_ITS_OWN = np.empty(0, np.int64)
"""The row map that `broadcast_rows` gives to what needs no repetition."""


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
    if is_tensor(array):
        _require_real(array, name)
        array = array.detach().double().numpy()  # type: ignore[union-attr]  # NumPy has no bfloat16
    values = np.asarray(array)
    if values.dtype.kind not in "fiub":
        raise TypeError(f"expected real numbers for {name}, got dtype {values.dtype}.")
    # Not ascontiguousarray, which would turn a scalar into a vector.
    return np.asarray(values, dtype=np.float64, order="C")


def to_tensor(array: Array, name: str, device: "torch.device") -> "torch.Tensor":
    """Return a float64 tensor on a device; host arrays are uploaded, tensors of another device refused."""
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

    float32 inputs give float32 back, anything else float64; a tensor among the inputs gives a tensor.
    """
    single = is_single(*arrays)
    dtype = np.float32 if single else np.float64
    if not any(is_tensor(a) for a in arrays):
        return lambda out: out.astype(dtype, copy=False)
    import torch

    def give(out: Any) -> Array:
        if is_tensor(out):
            return out.to(torch.float32 if single else torch.float64)
        return torch.from_numpy(np.asarray(out.astype(dtype, copy=False)))

    return give


def broadcast_rows(**leads: tuple[int, ...]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Broadcast leading shapes; return the common shape and, for each, the row it gives to every flat row.

    Rows are mapped instead of repeated, so that labels shared by many predictions are stored once. An empty
    map means that every row is its own: at ten nanoseconds a row, even reading a map would show.
    """
    try:
        shape = np.broadcast_shapes(*leads.values())
    except ValueError:
        shown = ", ".join(f"{name} {lead}" for name, lead in leads.items())
        raise ValueError(f"expected leading dimensions that broadcast, got {shown}.") from None
    maps = [
        EACH_ITS_OWN
        if lead == shape
        else np.broadcast_to(np.arange(math.prod(lead)).reshape(lead), shape).flatten()
        for lead in leads.values()
    ]
    return shape, maps


def require_finite(values: np.ndarray, name: str) -> None:
    """Raise with the first offending row when a NaN or an infinity is present."""
    # One pass: the sum of finite numbers this size is finite, so only a failing batch pays for the search.
    if not np.isfinite(values.sum()) and not (finite := np.isfinite(values)).all():
        where = tuple(int(i) for i in np.argwhere(~finite)[0])
        raise ValueError(
            f"expected finite {name}, got {values[where]} at index {where} "
            f"({int((~finite).sum())} such entries); clean or clip {name} first."
        )


def _require_real(array: Any, name: str) -> None:
    if array.is_complex():
        raise TypeError(f"expected real numbers for {name}, got dtype {array.dtype}.")
