"""How a batch of portfolios is laid out: the predictions that share a matrix are brought together."""

import math
from typing import Any

import numpy as np

from .._shared.arrays import Array, device_of, giver, is_tensor, require_finite, to_numpy, to_tensor


class Fold:
    """Vectors (..., N) and matrices (..., N, N) seen as (G, K, N) and (G, N, N), and the way back."""

    def __init__(self, sigma: Array, *vectors: Array):
        matrices: Any = sigma if is_tensor(sigma) else np.asarray(sigma)
        arrays: list[Any] = [v if is_tensor(v) else np.asarray(v) for v in vectors]
        check_shapes(matrices, *arrays)
        self._inputs = [*arrays, matrices]
        self.lead = np.broadcast_shapes(*(v.shape[:-1] for v in arrays), matrices.shape[:-2])
        strides = matrices.stride() if is_tensor(matrices) else matrices.strides
        # A broadcast view repeats a matrix with stride zero: keep one of each.
        own = [min(s, 1) if step == 0 else s for s, step in zip(matrices.shape, strides, strict=True)][:-2]
        matrices = matrices[tuple(slice(0, size) for size in own)]
        own = [1] * (len(self.lead) - len(own)) + own
        shared = [axis for axis, size in enumerate(own) if size == 1]
        self._axes = [axis for axis, size in enumerate(own) if size != 1] + shared
        n, groups = matrices.shape[-1], math.prod(own)
        self._shape = (groups, math.prod(self.lead[axis] for axis in shared), n)
        self._folded = [*(self._fold(v) for v in arrays), matrices.reshape(groups, n, n)]
        # How far from symmetric and semi-definite rounding may leave a matrix, relative to its size.
        self.tolerance = 1e-5 if str(matrices.dtype).endswith("float32") else 1e-8

    def _fold(self, vector: Any) -> Any:
        full = (*self.lead, vector.shape[-1])
        wide = vector.expand(full) if is_tensor(vector) else np.broadcast_to(vector, full)
        return _permute(wide, [*self._axes, len(self._axes)]).reshape(self._shape)

    def arrays(self, *names: str) -> list[np.ndarray]:
        """Return the vectors, named in order, and the matrices as finite float64 arrays."""
        arrays = []
        for values, name in zip(self._folded, (*names, "sigma"), strict=True):
            # Numba would compile every kernel once more for an array that cannot be written to.
            arrays.append(np.require(to_numpy(values, name), requirements="W"))
            require_finite(arrays[-1], name)
        return arrays

    def tensors(self, *names: str) -> Any:
        """Return the vectors, named in order, and the matrices as float64 tensors on one device.

        Arrays are copied to the device of the tensors; tensors on different devices are refused.
        """
        device = device_of(*self._inputs)
        return [
            to_tensor(values if is_tensor(values) else np.require(values, requirements="W"), name, device)
            for values, name in zip(self._folded, (*names, "sigma"), strict=True)
        ]

    def rows(self, folded: Any, *trailing: int) -> Any:
        """Return (G, K, ...) in the order and shape of the inputs' leading dimensions."""
        sizes = [self.lead[axis] for axis in self._axes]
        back = [*np.argsort(self._axes).tolist(), *range(len(sizes), len(sizes) + len(trailing))]
        return _permute(folded.reshape((*sizes, *trailing)), back)

    def give(self, folded: Any, *, scalar: bool = False) -> Array:
        """Return a result, one number or N per row, in the order, kind and precision of the inputs."""
        out = self.rows(folded) if scalar else self.rows(folded, self._shape[-1])
        if is_tensor(out):
            return giver(*self._inputs)(out.contiguous())
        return giver(*self._inputs)(np.ascontiguousarray(out).reshape(out.shape))


def _permute(array: Any, axes: list[int]) -> Any:
    return array.permute(axes) if is_tensor(array) else array.transpose(axes)


def check_shapes(sigma: Array, *vectors: Array) -> None:
    """Raise unless vectors are (..., N), sigma is (..., N, N), and their leading dimensions broadcast."""
    shapes, matrix = [tuple(v.shape) for v in vectors], tuple(sigma.shape)
    got = f"got {', '.join(map(str, shapes))} and sigma {matrix}"
    n = matrix[-1] if matrix else 0
    if len(matrix) < 2 or n == 0 or matrix[-2] != n or any(not s or s[-1] != n for s in shapes):
        raise ValueError(f"expected vectors (..., N) and sigma (..., N, N) with N of at least 1, {got}.")
    try:
        np.broadcast_shapes(*(s[:-1] for s in shapes), matrix[:-2])
    except ValueError:
        raise ValueError(
            f"expected leading dimensions that broadcast, {got}; align or insert axes."
        ) from None
