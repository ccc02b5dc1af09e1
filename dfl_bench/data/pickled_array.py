"""A NumPy array as a pickle describes it: plain values, checked before an array is made of them.

NumPy's own functions for this trust their arguments, and a bad dtype ends the process. So none of them is
called: the names in a file stand for the classes and functions below, which only take notes.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

CODES = tuple("b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split())
_MAX_DIMENSIONS = 32
_MAX_LENGTH = 2**40


class PickledDtype:
    """The code of a dtype, such as "f8", and its state: version, byte order, then what only others need."""

    def __init__(self, code: Any, *_: Any) -> None:
        self.code = code
        self.state: Any = None

    def set_state(self, state: Any) -> None:
        """Note the state; it is checked when the dtype is used."""
        self.state = state

    def numbers(self) -> np.dtype:
        """Return the dtype of plain numbers; raise ValueError for text, objects, fields and the rest."""
        if not isinstance(self.code, str) or self.code not in CODES:
            raise ValueError(f"expected an array of a dtype in {', '.join(CODES)}, got {describe(self.code)}")
        if self.state not in [(3, order, None, None, None, -1, -1, 0) for order in "<>|"]:
            raise ValueError(f"expected the dtype {self.code} with a byte order only, got more or less")
        return np.dtype(self.state[1] + self.code)


class PickledArray:
    """The bytes, the dtype, the shape and the order of an array, or of one number of NumPy."""

    def __init__(
        self, raw: Any = None, dtype: Any = None, shape: Any = None, order: Any = "C", axes: Any = None
    ) -> None:
        self.raw, self.dtype, self.stored_shape, self.order, self.axes = raw, dtype, shape, order, axes

    def set_state(self, state: Any) -> None:
        """Note a state of five values: version, shape, dtype, whether in Fortran order, bytes."""
        if not isinstance(state, tuple) or len(state) != 5:
            raise ValueError(f"expected five values for an array, got {describe(state)}")
        _, self.stored_shape, self.dtype, fortran, self.raw = state
        self.order = "F" if fortran else "C"

    def shape(self) -> tuple[int, ...]:
        """Return the shape; raise ValueError unless shape, dtype and bytes fit each other."""
        shape = _checked_shape(self.stored_shape)
        if not isinstance(self.dtype, PickledDtype):
            raise ValueError(f"expected the dtype of an array, got {describe(self.dtype)}")
        size = math.prod(shape) * self.dtype.numbers().itemsize
        raw = _as_bytes(self.raw)
        if size != len(raw):
            raise ValueError(f"expected {size} bytes for an array of shape {shape}, got {len(raw)}")
        if self.order == "K" and self.axes is not None:
            return tuple(shape[axis] for axis in self._checked_axes())
        if self.order not in ("C", "F"):
            raise ValueError(f"expected an array in the order C, F or K, got {describe(self.order)}")
        return shape

    def build(self) -> np.ndarray:
        """Return the array as float64; raise ValueError as `shape` does."""
        self.shape()
        flat = np.frombuffer(_as_bytes(self.raw), self.dtype.numbers()).astype(np.float64)
        if self.order == "K":
            return flat.reshape(self.stored_shape).transpose(self.axes)
        return flat.reshape(self.stored_shape, order=self.order)

    def _checked_axes(self) -> tuple[int, ...]:
        axes = self.axes
        if not isinstance(axes, tuple) or not all(type(axis) is int for axis in axes):
            raise ValueError(f"expected the axes of an array, got {describe(axes)}")
        if sorted(axes) != list(range(len(self.stored_shape))):
            raise ValueError("expected every axis of an array once")
        return axes


def describe(value: Any) -> str:
    """Return a few words for an error. The whole of a hostile value could be endless."""
    return repr(value[:40]) if isinstance(value, str) else type(value).__name__


def _checked_shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, tuple) or len(shape) > _MAX_DIMENSIONS:
        raise ValueError(f"expected the shape of an array, got {describe(shape)}")
    if not all(type(length) is int and 0 < length < _MAX_LENGTH for length in shape):
        raise ValueError("expected an array with at least one number and with lengths that a file can hold")
    return shape


def _as_bytes(raw: Any) -> bytes | bytearray:
    if isinstance(raw, str):  # pickles of Python 2 hold bytes as text, one character for each byte
        return _encode(raw, "latin1")
    if not isinstance(raw, bytes | bytearray):
        raise ValueError(f"expected the bytes of an array, got {describe(raw)}")
    return raw


def _encode(text: Any, encoding: Any) -> bytes:
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1"):
        raise ValueError(f"expected text in latin1, got {describe(text)} in {describe(encoding)}")
    return text.encode("latin-1")


def _empty_array(*_: Any) -> PickledArray:
    return PickledArray()


def _number(dtype: Any, raw: Any) -> PickledArray:
    return PickledArray(raw, dtype, ())


def _no_bytes() -> bytes:
    return b""


# What a pickled array is made of, under the names of old and new NumPy. None: a name that is never called.
STAND_INS: dict[tuple[str, str], Callable[..., Any] | None] = {
    ("numpy", "ndarray"): None,
    ("numpy", "dtype"): PickledDtype,
    ("_codecs", "encode"): _encode,
    ("__builtin__", "bytes"): _no_bytes,
    ("builtins", "bytes"): _no_bytes,
}
for _package in ("numpy.core", "numpy._core"):
    STAND_INS[f"{_package}.multiarray", "_reconstruct"] = _empty_array
    STAND_INS[f"{_package}.multiarray", "scalar"] = _number
    STAND_INS[f"{_package}.numeric", "_frombuffer"] = PickledArray
